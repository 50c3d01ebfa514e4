"""Ablate and edit on the page Models, opened by Streamlit's own test runner."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz.exports.model_pages import _chips
from attnviz.figures.code_edits import numpy_edit, package_edit
from attnviz.figures.edits import change_bars, change_bars_alt, spread_map, spread_map_alt
from attnviz.figures.notation import NOTATIONS
from attnviz.figures.spoken_edits import edits_said, share, spread_said
from attnviz.models.editing.changes import changes
from attnviz.text import LANGUAGES, words
from attnviz.text.numbers import decimals, number
from attnviz.ui import cached_models
from attnviz.ui.rooms.models import PANELS, changed, folds, head, mending
from tests.pages.test_models import drawn, opened, weights_of

TWICE = "kq7.wzmb;xkq7.w"
MODEL = "induction"
T = words("en")
SLOTS = {name: f"{{{name}}}" for name in ("token", "share", "head", "key", "j", "weight")}


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Wait for the model and for the work: what is shown while it runs is another test's."""
    monkeypatch.setattr(head, "_SOON", 120.0)
    monkeypatch.setattr(folds, "_SOON", 120.0)


def edited(**link: str) -> AppTest:
    return opened(**({"model": MODEL, "t": TWICE, "panel": "edit", "lh": "1.0"} | link))


def run(*edits: tuple):
    return cached_models.capture_job(
        cached_models.Asked(model=MODEL, text=TWICE, edits=edits)
    ).result()


def press(app: AppTest, key: str) -> AppTest:
    app.button(key=key).click().run()
    assert not app.exception, app.exception
    return app


def grid(app: AppTest) -> tuple[dict, list[bytes]]:
    return next((data, arrays) for data, arrays in drawn(app) if "counts" in data)


def said(app: AppTest) -> str:
    return "\n".join(each.value.replace("\\", "") for each in (*app.markdown, *app.caption))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_link_with_edits_opens_the_answer_in_every_language(language):
    app, t = edited(edit="off.1.0;even.1.1;cut.0.-1.5.2;mask.3", lang=language), words(language)
    assert "edit" in PANELS
    assert not app.error
    assert t("edit.in_force", n=4) in said(app)
    assert t("edit.next.token") in said(app)
    plain, other = run(), run(("off", 1, 0), ("even", 1, 1), ("cut", 0, -1, 5, 2), ("mask", 3))
    found = changes(plain, other)
    (letter,) = [each for each in found.foreseen if each.text == "z"]
    assert decimals(letter.before, 3) in said(app)
    assert decimals(letter.after, 3) in said(app)
    for alone in ({"present": "1"}, {"notation": "column"}):
        assert not edited(edit="off.1.0", lang=language, **alone).error


def test_heads_are_switched_off_made_even_and_given_back():
    app = press(edited(), "edit.off")
    assert app.query_params["edit"] == "off.1.0"
    assert T("edit.off_back", heads="L1H0") in [button.label for button in app.button]
    app = press(app, "edit.even")  # a head is off or even, not both
    assert app.query_params["edit"] == "even.1.0"
    app = press(app, "edit.off")
    assert app.query_params["edit"] == "off.1.0"
    app = press(app, "edit.off")
    assert "edit" not in app.query_params
    assert T("edit.explained") in said(app)


def test_several_heads_in_hand_are_switched_off_together():
    app = press(edited(lh="1.0,1.1,1.2,1.3"), "edit.off")
    assert app.query_params["edit"] == "off.1.0;off.1.1;off.1.2;off.1.3"
    plain, other = run(), run(*(("off", 1, head) for head in range(4)))
    before, after = plain.predictions[0], changes(plain, other).foreseen
    assert before.text == "z"
    lost = next(each for each in after if each.text == "z")
    line = T(
        "edit.said_next", token="z", before=decimals(lost.before, 2), after=decimals(lost.after, 2)
    )
    assert line in said(app)
    assert lost.after < 0.05 < 0.9 < lost.before
    app = press(app, "edit.undo")
    assert app.query_params["edit"] == "off.1.0;off.1.1;off.1.2"
    assert "edit" not in press(app, "edit.undo_all").query_params


def test_the_pair_in_hand_is_cut_in_one_head_or_in_all():
    app = edited(q="14", key="5")
    assert app.selectbox(key="control.edit_query").value == 14
    app = press(app, "edit.cut")
    assert app.query_params["edit"] == "cut.1.0.14.5"
    assert run(("cut", 1, 0, 14, 5)).weights(1, 0)[14, 5] == 0
    app.checkbox(key="edit.every").check().run()
    app = press(app, "edit.cut")
    assert app.query_params["edit"] == "cut.1.0.14.5;cut.1.-1.14.5"
    app = press(app, "edit.mask")
    assert app.query_params["edit"].endswith(";mask.5")


def test_another_token_that_asks_brings_its_largest_key():
    app = edited()
    app.selectbox(key="control.edit_query").set_value(8).run()
    row = run().weights(1, 0)[8]
    assert app.query_params["q"] == "8"
    assert app.selectbox(key="control.edit_key").value == int(row.argmax())


def test_what_cannot_be_done_is_refused_and_nothing_changes():
    app = edited(q="3", key="9")
    app = press(app, "edit.cut")
    assert T("error.edits.not_seen", layer=1, query=4, key=10) in app.error[0].value.replace(
        "\\", ""
    )
    assert "edit" not in app.query_params
    app = press(edited(q="0", key="0"), "edit.cut")
    assert T("error.edits.nothing_left", layer=1, head=0, query=1) in said_error(app)


def said_error(app: AppTest) -> str:
    return "\n".join(each.value.replace("\\", "") for each in app.error)


def test_an_edit_of_a_link_that_cannot_be_is_left_out_and_said():
    app = edited(edit="even.1.0;off.7.0;cut.1.0.0.0")
    told = app.warning[0].value.replace("\\", "")
    assert T("error.models.no_layer", layer=7, n_layers=2, last=1) in told
    assert app.query_params["edit"] == "even.1.0"
    assert not app.error
    assert T("edit.in_force", n=1) in said(app)
    assert T("edit.next.token") in said(app)
    assert not press(app, "edit.chip.even.1.0").warning


def test_an_edit_that_nothing_could_check_is_refused_when_the_model_does():
    app = edited(q="0", key="0")
    app.session_state[f"flag.{mending.UNCHECKED}"] = True
    app.query_params["edit"] = "cut.1.0.0.0"
    app.run()
    assert T("error.edits.nothing_left", layer=1, head=0, query=1) in said_error(app)
    assert "edit" not in app.query_params
    assert app.button(key="edit.cut")


def test_of_two_edits_of_one_head_in_a_link_the_later_stands():
    app = edited(edit="off.1.0;mask.3;even.1.0")
    assert app.query_params["edit"] == "mask.3;even.1.0"
    assert T("edit.in_force", n=2) in said(app)


def test_the_question_has_an_answer_before_anything_was_changed():
    app = edited()
    assert T("edit.example", names="L1H0") in said(app)
    assert T("edit.next.token") in said(app)
    assert "edit" not in app.query_params
    app = press(app, "edit.example_drop")
    assert T("edit.explained") in said(app)
    assert T("edit.next.token") not in said(app)


def test_the_pair_that_is_offered_first_can_be_cut():
    app = press(edited(), "edit.cut")
    assert not app.error
    assert app.query_params["edit"].startswith("cut.1.0.")


def test_heads_and_readings_of_a_link_that_are_not_there_are_said():
    app = edited(panel="readings", lh="99.99,1.2", reading="zzz")
    told = app.warning[0].value.replace("\\", "")
    assert T("setting.heads_shown") in told
    assert T("setting.reading") in told
    assert app.query_params["lh"] == "1.2"
    assert "reading" not in app.query_params


def test_every_other_question_shows_the_edited_run_until_the_untouched_is_asked_for():
    app = edited(panel="map", edit="cut.1.0.14.5", lh="1.0")
    heat, arrays = next((data, arrays) for data, arrays in drawn(app) if "mode" in data)
    assert weights_of(heat, arrays)[14, 5] == 0
    app = press(app, "edits.peek")
    heat, arrays = next((data, arrays) for data, arrays in drawn(app) if "mode" in data)
    assert weights_of(heat, arrays)[14, 5] == pytest.approx(run().weights(1, 0)[14, 5], abs=1e-4)
    assert app.query_params["edit"] == "cut.1.0.14.5"
    assert T("edit.peeking", n=1) in said(app)
    assert T("edit.off_here", head="L1H0") not in said(app)
    app = press(app, "edits.panel")
    assert app.query_params["panel"] == "edit"
    assert T("edit.next.token") in said(app)


def test_another_text_keeps_heads_and_drops_what_was_about_tokens():
    app = edited(edit="off.1.0;mask.3;cut.1.1.5.2")
    app.text_area(key="control.passage").set_value("abcabcab").run()
    assert app.query_params["edit"] == "off.1.0"
    app.selectbox(key="control.model").set_value("default").run()
    assert "edit" not in app.query_params


def test_each_square_is_as_dark_as_its_head_changed():
    app = edited(edit="off.0.2;even.1.3;cut.1.1.14.5")
    data, arrays = grid(app)
    found = changes(run(), run(("off", 0, 2), ("even", 1, 3), ("cut", 1, 1, 14, 5)))
    shades = np.frombuffer(arrays[1], np.uint8).reshape(4, 9, 9)
    for place, moved in enumerate(found.weights[1]):
        assert shades[place, 0, 1] == round(np.sqrt(moved / found.largest) * 255)
    first = np.frombuffer(arrays[0], np.uint8).reshape(4, 9, 9)
    assert first[2, 4, 4] == first[2, 0, 0] == 255
    assert not first[[0, 1, 3]].any()
    assert shades[1, 4, 4] != shades[1, 0, 1]
    assert T("edit.done.off") in data["notes"][2]
    assert share(float(found.weights[1][3])) in data["notes"][7]


@pytest.mark.parametrize("edits", [[("off", 1, 0)], [("even", 1, 0)], [("cut", 1, -1, 14, 5)]])
def test_both_forms_of_the_code_give_the_numbers_of_the_page(edits, capsys):
    plain, other = run(), run(*edits)
    numbers: dict = {}
    exec(numpy_edit(plain, other, 1, 0, 14, T), numbers)
    np.testing.assert_allclose(numbers["before"], plain.weights(1, 0)[14], atol=1e-6)
    np.testing.assert_allclose(numbers["after"], other.weights(1, 0)[14], atol=1e-6)
    whole: dict = {}
    exec(package_edit(MODEL, other, 1, 0, T), whole)
    found = changes(plain, other)
    np.testing.assert_allclose(whole["found"].weights[1], found.weights[1], atol=1e-6)
    assert whole["found"].foreseen[0].text == found.foreseen[0].text
    assert capsys.readouterr().out


def test_the_code_of_a_long_list_of_edits_and_of_sinks_can_be_read():
    other = run(*(("mask", token) for token in range(1, 14)))
    code = package_edit(MODEL, other, 0, 0, T)
    assert "    ('mask', 13),\n]" in code
    assert max(map(len, code.splitlines())) < 110


def test_sentences_say_what_the_numbers_are():
    plain, other = run(), run(("off", 0, 2))
    found = changes(plain, other)
    line = edits_said(found, other, ["X"], lambda pair: f"<{pair[0]}.{pair[1]}>", T)
    most = int(found.final.argmax())
    assert f"({most + 1}) moves most, by {share(found.final[most])}" in line
    best = found.ranked()[0]
    assert f"<{best[0]}.{best[1]}>, where {share(found.weights[best[0]][best[1]])}" in line
    assert "layer 0" in spread_said(found, ["X"], T)
    nothing = changes(plain, plain)
    assert edits_said(nothing, plain, ["X"], str, T) == T("edit.said_nothing", done="X")
    assert spread_said(nothing, ["X"], T) == T("edit.said_nothing", done="X")
    many = edits_said(found, other, list("abcde"), str, T)
    assert T("edit.and_more", names="a, b, c", n=2) in many


@pytest.mark.parametrize("notation", NOTATIONS.values())
def test_figures_have_the_numbers_of_the_comparison(notation):
    plain, other = run(), run(("off", 0, 2))
    found, labels = changes(plain, other), list(TWICE)
    bars = change_bars(found.final, labels, T, "dark")
    np.testing.assert_allclose(bars.data[0].y, found.final * 100)
    assert share(found.final.max()) in change_bars_alt(found.final, labels, T)
    spread = spread_map(found.vectors, labels, T, notation=notation)
    np.testing.assert_allclose(spread.data[0].z, notation.laid(found.vectors.T), rtol=1e-6)
    assert spread.layout.coloraxis.cmax == pytest.approx(found.vectors.max())
    assert str(len(labels)) in spread_map_alt(found.vectors, labels, T, notation=notation)


def test_the_table_of_predictions_escapes_what_a_model_writes():
    found = changes(run(), run(("off", 1, 0)))
    rows = changed.foreseen_table(found, T, 3).split("\n")
    assert len(rows) == len(found.foreseen) + 2
    assert all(row.count("|") - row.count("\\|") == 6 for row in rows)


def test_a_head_that_is_off_or_even_says_so_where_it_is_looked_at():
    app = edited(panel="map", edit="off.1.0;even.0.2", lh="1.0")
    assert T("edit.off_here", head="L1H0") in said(app)
    assert T("edit.even_here", head="L0H2") not in said(app)
    app = edited(panel="map", edit="off.1.0;even.0.2", lh="0.2")
    assert T("edit.even_here", head="L0H2") in said(app)


def test_the_model_writes_with_the_edits_and_the_untouched_text_stands_beside_it():
    off = [("off", 1, head) for head in range(4)]
    link = ";".join(".".join(map(str, each)) for each in off)
    app = edited(panel="predict", edit=link, amount="6", t=TWICE)
    plain, changed = (
        cached_models.models().write(TWICE, 6, name="induction", edits=e) for e in ((), off)
    )
    texts = ["".join(each.text for each in run.tokens[run.n_read :]) for run in (plain, changed)]
    assert texts[0] != texts[1]
    assert T("predict_next.untouched_other", text=texts[0]) in said(app)
    app = edited(panel="predict", edit=link, t=TWICE)
    step = plain.steps[0]
    share = number(float(step.probabilities[0]), 2)
    assert T("predict_next.untouched_next", token=step.texts[0], share=share) in said(app)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_that_is_taken_away_names_every_edit(language):
    t = words(language)
    chips = _chips(
        run(("off", 1, 0), ("even", 0, 2), ("cut", 0, -1, 5, 2), ("cut", 1, 3, 6, 1), ("mask", 3)),
        t,
    )
    assert t("model_page.ablated", layer=1, head=0) in chips
    assert t("model_page.even", layer=0, head=2) in chips
    assert t("model_page.cut_all", layer=0, query="z", key="7") in chips
    assert t("model_page.cut", layer=1, head=3, query="m", key="q") in chips
    assert t("model_page.masked", token=".") in chips


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_head_that_is_off_decides_nothing(language):
    app, t = edited(panel="predict", edit="off.1.0", lang=language), words(language)
    assert t("predict_next.said_off", **SLOTS).rsplit("{weight}", 1)[1] in said(app)
    app = edited(panel="predict", edit="off.1.0", lh="1.1", lang=language)
    assert t("predict_next.said_off", **SLOTS).rsplit("{weight}", 1)[1] not in said(app)
