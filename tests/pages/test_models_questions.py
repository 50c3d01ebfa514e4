"""The questions about heads on the page Models, opened by Streamlit's own test runner."""

import sys
from itertools import product

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz.attention.readings import HEAD_TYPES
from attnviz.models.explained import explained
from attnviz.models.views import view
from attnviz.text import LANGUAGES, words
from attnviz.text.numbers import number
from attnviz.ui import cached_models
from attnviz.ui.rooms.models import PANELS, folds, head
from attnviz.ui.rooms.models.head_list import MEASURES
from attnviz.ui.rooms.models.why import written
from tests.pages.test_models import drawn, opened, weights_of

TEXT = "The king met the queen and she smiled."
QUESTIONS = ("hidden", "why", "readings", "head_table", "similar")
T = words("en")


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Wait for the model and for the work: what is shown while it runs is another test's."""
    monkeypatch.setattr(head, "_SOON", 120.0)
    monkeypatch.setattr(folds, "_SOON", 120.0)


def capture_of(app: AppTest, text: str = TEXT):
    return cached_models.capture_job(
        cached_models.Asked(model=cached_model(app), text=text)
    ).result()


def cached_model(app: AppTest) -> str:
    return app.selectbox(key="control.model").value


def picture(app: AppTest, key: str) -> dict:
    """Find the one picture that has an entry of this name."""
    return next(data for data in texts(app) if key in data)


def texts(app: AppTest) -> list[dict]:
    import json

    found = [data for data, _ in drawn(app)]
    for part in app.get("bidi_component"):
        if part.proto.bytes.startswith(b"{"):
            found.append(json.loads(part.proto.bytes))
    return found


def captions(app: AppTest) -> str:
    return "\n".join(each.value.replace("\\", "") for each in app.caption)


def test_nothing_is_computed_until_a_question_is_asked():
    app = opened(t=TEXT)
    assert not {T(f"fold.{name}") for name in QUESTIONS} & {each.value for each in app.subheader}
    assert not app.get("plotly_chart")
    assert len(drawn(app)) == 2


@pytest.mark.parametrize(("name", "language"), list(product(QUESTIONS, LANGUAGES)))
def test_a_link_opens_each_question_in_every_language(name, language):
    app = opened(t=TEXT, panel=name, lang=language)
    assert not app.error
    assert not app.warning
    assert words(language)(f"fold.{name}") in [each.value for each in app.subheader]
    app = opened(t=TEXT, panel=name, lang=language, present="1", notation="column", hide="0")
    assert not app.error


def test_the_whole_page_and_each_question_have_a_name():
    assert set(QUESTIONS) <= set(PANELS)


def test_why_shows_the_models_own_numbers():
    app = opened(t=TEXT, lh="1.0", q="2", key="1", panel="why", digits="4")
    found = explained(capture_of(app).layers[1], 0, 2, 1)
    (table,) = [data for data in texts(app) if data.get("label", "").startswith("Query, key")]
    cells = table["tables"][0]["cells"]
    assert cells[2][0] == number(found.products[found.order[0]], 4)
    assert float(cells[2][0].replace("−", "-")) == pytest.approx(
        max(found.products, key=abs), abs=1e-4
    )
    steps = next(each.value for each in app.markdown if T("why.weight") in each.value)
    assert f"**{written(found.weight, 4)}**" in steps
    assert f"**{written(found.adds, 4)}**" in steps


def test_the_pair_of_why_is_chosen_and_stands_in_the_link():
    app = opened(t=TEXT, lh="1.0", panel="why")
    app.selectbox(key="control.why_query").set_value(4).run()
    assert app.query_params["q"] == "4"
    app.selectbox(key="control.why_key").set_value(2).run()
    assert (app.query_params["q"], app.query_params["key"]) == ("4", "2")
    again = opened(**app.query_params)
    assert again.selectbox(key="control.why_query").value == 4
    assert again.selectbox(key="control.why_key").value == 2


def test_every_token_can_ask_why_even_the_one_that_links_leave_out():
    app = opened(panel="why")
    app.selectbox(key="control.why_query").set_value(1).run()
    assert app.selectbox(key="control.why_query").value == 1


def test_why_without_a_key_takes_the_largest_of_the_row():
    app = opened(t=TEXT, lh="1.0", q="3", panel="why")
    row = capture_of(app).weights(1, 0, rows=3)
    assert app.selectbox(key="control.why_key").value == int(row.argmax())


def test_why_between_words_offers_pieces():
    app = opened(t=TEXT, unit="words", panel="why")
    assert T("why.pieces") in [each.value for each in app.info]
    next(button for button in app.button if button.label == T("why.to_pieces")).click().run()
    assert app.selectbox(key="control.why_query")


def test_hidden_tokens_leave_map_and_lines_and_their_weight_is_said():
    app = opened(t=TEXT, lh="1.0", hide="0,2", panel="hidden")
    said = captions(app)
    app = opened(t=TEXT, lh="1.0", hide="0,2", panel="map")
    capture = capture_of(app)
    heat, lines = drawn(app)
    labels = [token.label for token in capture.tokens]
    assert heat[0]["keys"] == [label for at, label in enumerate(labels) if at not in (0, 2)]
    assert heat[0]["queries"] == labels
    assert lines[0]["keys"] == heat[0]["keys"]
    np.testing.assert_allclose(weights_of(*heat).sum(axis=1), 1, atol=1e-3)
    gone = view(capture, 1, 0).weights[:, [0, 2]].sum(axis=1).mean()
    assert number(float(gone), 2) in said


def test_all_special_tokens_are_hidden_by_one_click_and_come_back():
    app = opened(t=TEXT, panel="hidden")
    capture = capture_of(app)
    special = [at for at, token in enumerate(capture.tokens) if token.special]
    button = next(each for each in app.button if each.label == T("hidden.special"))
    if not special:
        assert button.disabled
        return
    button.click().run()
    assert app.query_params["hide"] == ",".join(map(str, special))
    next(each for each in app.button if each.label == T("hidden.back")).click().run()
    assert "hide" not in app.query_params


def test_hiding_everything_is_refused_in_a_sentence():
    n = len(capture_of(opened(t=TEXT)).tokens)
    app = opened(t=TEXT, hide=",".join(map(str, range(n))))
    assert T("error.models.all_hidden") in [each.value.replace("\\", "") for each in app.error]


def test_the_table_lists_every_head_with_its_numbers():
    app = opened(t=TEXT, panel="head_table", sort="induction_score", type="")
    capture, table = capture_of(app), picture(app, "sorting")
    heads = sum(layer.n_heads for layer in capture.layers)
    assert len(table["rows"]) == heads
    assert [column["key"] for column in table["columns"]] == list(MEASURES)
    assert table["sorting"] == "induction_score"
    expected = np.diag(capture.weights(1, 1)).mean()
    row = next(row for row in table["rows"] if row["name"] == "1.1")
    assert row["values"][MEASURES.index("self_share")] == pytest.approx(expected, abs=1e-6)
    assert {name for row in table["rows"] for name in row["types"]} == set(table["types"])


def test_what_cannot_be_averaged_is_not_available():
    app = opened(t="saw", panel="head_table")
    at = MEASURES.index("induction_score")
    rows = picture(app, "sorting")["rows"]
    assert {row["values"][at] for row in rows} == {None}
    assert {row["cells"][at] for row in rows} == {T("head_table.none")}


def test_every_type_says_its_rule():
    app = opened(t=TEXT, panel="head_table")
    rules = next(each.value for each in app.markdown if T("head_type.broad") in each.value)
    for name, rule in HEAD_TYPES.items():
        assert T(f"head_type.{name}") in rules
        assert T(f"measure.{rule.measure}") in rules


def test_the_map_of_heads_has_every_head():
    app = opened(t=TEXT, panel="similar", lh="1.1")
    assert len(app.get("plotly_chart")) == 1
    assert "1.1" in captions(app)


@pytest.mark.parametrize("kind", ["weight", "value", "rollout", "flow", "flow_all"])
def test_each_reading_says_what_it_may_claim_and_shows_its_map(kind):
    app = opened(t=TEXT, lh="1.0", q="3", panel="readings", reading=kind, amount="1")
    assert not app.error
    assert T(f"readings.claim.{kind}") in captions(app)
    data, arrays = drawn(app)[0]
    numbers = weights_of(data, arrays)
    capture = capture_of(app)
    if kind == "weight":
        np.testing.assert_allclose(numbers, capture.weights(1, 0), atol=1e-4)
    if kind in ("rollout", "weight"):
        np.testing.assert_allclose(numbers.sum(axis=1), 1, atol=1e-3)
    if kind == "flow":
        assert not numbers[[0, 1, 2]].any()
    if kind in ("flow", "flow_all"):
        assert numbers[3].sum() > 1


def test_an_unknown_reading_of_a_link_is_the_weight():
    app = opened(t=TEXT, panel="readings", reading="telepathy")
    assert T("readings.claim.weight") in captions(app)


def test_the_questions_bring_no_pandas():
    code = (
        "import sys, attnviz.ui.rooms.models; "
        "print({'pandas', 'pyarrow', 'torch'} & set(sys.modules))"
    )
    import subprocess

    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.strip() == "set()", run.stderr
