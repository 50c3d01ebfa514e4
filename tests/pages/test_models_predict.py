"""Predict, Repeat and the lesson cards, opened by Streamlit's own test runner."""

import json
from itertools import product

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz.attention.metrics import induction_score
from attnviz.models.cards import answer, cards
from attnviz.models.repeats import copies, foreknown
from attnviz.text import LANGUAGES, words
from attnviz.text.numbers import decimals, number
from attnviz.ui import cached_models
from attnviz.ui.rooms.models import folds, head, predict
from tests.pages.test_models import drawn, opened

TEXT = "blue mug tree. blue mug"
T = words("en")


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Wait for the model and for the work: what is shown while it runs is another test's."""
    for module in (head, folds, predict):
        monkeypatch.setattr(module, "_SOON", 120.0)


def asking(panel: str = "predict", **link: str) -> AppTest:
    return opened(**{"model": "induction", "t": TEXT, "lh": "1.3", "panel": panel} | link)


def strip(app: AppTest) -> dict:
    return next(data for data, _ in drawn(app) if "steps" in data)


def grid(app: AppTest) -> tuple[dict, list[bytes]]:
    return next((data, arrays) for data, arrays in drawn(app) if "counts" in data)


def chart(app: AppTest, place: int = 0) -> dict:
    return json.loads(app.get("plotly_chart")[place].proto.spec)["data"][0]


def said(app: AppTest) -> str:
    parts = [*app.caption, *app.markdown, *app.info, *app.error]
    return "\n".join(each.value.replace("\\", "") for each in parts)


def badges(app: AppTest) -> list[str]:
    found = [each.value.replace("\\", "") for each in app.markdown]
    return [each for each in found if "-badge[" in each]


def button(app: AppTest, key: str):
    return app.button(key=key)


@pytest.mark.parametrize(
    ("panel", "language", "extra"),
    list(product(("predict", "repeat"), LANGUAGES, ({}, {"present": "1", "notation": "column"}))),
)
def test_a_link_opens_each_question_in_every_language(panel, language, extra):
    app = asking(panel, lang=language, amount="4", **extra)
    assert not app.error
    assert not app.warning


def test_what_would_come_next_is_there_before_anything_is_written():
    app, found = asking(), cached_models.writing("induction", TEXT, 0, 0).result()
    data = strip(app)
    assert (data["steps"], data["chosen"], data["read"]) == (1, 0, len(TEXT))
    np.testing.assert_allclose(data["weights"], found.row(0, 1, 3), atol=1e-5)
    assert found.steps[0].texts[0] in said(app)
    assert number(found.steps[0].probabilities[0], 2) in said(app)


def test_the_model_writes_when_asked_and_the_link_keeps_it():
    app = asking()
    button(app, "write.begin").click().run()
    assert app.query_params["amount"] == str(predict.FIRST)
    data = strip(app)
    assert data["steps"] == predict.FIRST + 1
    assert len(data["tokens"]) == len(TEXT) + predict.FIRST
    again = opened(**app.query_params)
    assert strip(again)["tokens"] == data["tokens"]
    button(again, "write.clear").click().run()
    assert "amount" not in again.query_params
    assert strip(again)["steps"] == 1


def test_walking_shows_the_row_of_each_step():
    app = asking(amount="5")
    found = cached_models.writing("induction", TEXT, 5, 0).result()
    assert button(app, "write.previous").disabled
    for step in range(1, 6):
        button(app, "write.next").click().run()
        data = strip(app)
        assert (data["chosen"], app.query_params["gen"]) == (step, str(step))
        np.testing.assert_allclose(data["weights"], found.row(step, 1, 3), atol=1e-5)
        assert data["values"] == [decimals(each, 2) for each in found.row(step, 1, 3)]
    assert button(app, "write.next").disabled


def test_a_step_that_is_not_there_is_the_last():
    assert strip(asking(amount="3", gen="60"))["chosen"] == 3


def test_the_row_of_every_head_is_drawn():
    app = asking(amount="5", gen="2")
    found = cached_models.writing("induction", TEXT, 5, 0).result()
    data, arrays = grid(app)
    assert data["counts"] == [4, 4]
    for layer, raw in enumerate(arrays):
        rows = found.row_of_heads(2, layer)
        shades = np.frombuffer(raw, np.uint8).reshape(4, -1)
        np.testing.assert_allclose(shades, np.sqrt(rows) * 255, atol=0.51)


def test_by_chance_another_draw_writes_another_text():
    app = asking(t="xq7", amount="20")
    app.segmented_control(key="control.writes_by").set_value("chance").run()
    first = strip(app)["tokens"]
    assert app.query_params["draw"] == "1"
    button(app, "write.another").click().run()
    assert app.query_params["draw"] == "2"
    assert strip(app)["tokens"] != first


def test_what_does_not_fit_is_refused_and_the_text_stays():
    app = asking(t="ab" * 45, amount="20")
    assert T("error.models.no_room", n_read=90, n_tokens=20, most=96) in said(app)
    assert strip(app)["steps"] == 1
    assert app.number_input(key="control.write").value == 20


@pytest.mark.parametrize("amount", ["0", "65", "2.5", "-3"])
def test_an_amount_out_of_range_is_none(amount):
    app = asking(amount=amount)
    assert strip(app)["steps"] == 1
    assert not app.error


@pytest.mark.parametrize("text", ["x", "<b>$x$</b>", "學而時習之"])
def test_any_text_can_be_gone_on_with(text):
    app = asking(t=text, amount="6")
    assert not app.error
    assert strip(app)["steps"] >= 2


def test_repeat_offers_to_double_a_text_without_copies():
    app = asking("repeat", t="xq7 kfp")
    assert T("repeat.nothing") in said(app)
    button(app, "repeat.mine").click().run()
    assert app.query_params["t"] == "xq7 kfp xq7 kfp"
    assert len(app.get("plotly_chart")) == 2
    button(app, "repeat.random").click().run()
    text = app.query_params["t"]
    assert text[: len(text) // 2] == text[len(text) // 2 :]


def test_repeat_shows_the_numbers_of_one_pass_and_opens_the_strongest_head():
    text = "blue mug tree lamp. blue mug tree lamp."
    app = asking("repeat", t=text)
    found = cached_models.writing("induction", text, 0, 0).result()
    ids = [token.id for token in found.tokens]
    first, second = foreknown(found.expected, copies(ids)).means
    assert first < 0.1 < 0.7 < second
    assert number(first, 2) in said(app)
    assert number(second, 2) in said(app)
    capture = cached_models.capture_job(cached_models.Asked(model="induction", text=text)).result()
    scores = {
        (layer, each): induction_score(capture.weights(layer, each), ids)
        for layer in range(2)
        for each in range(4)
    }
    best = max(scores, key=lambda pair: scores[pair])
    assert number(scores[best], 2) in said(app)
    button(app, "repeat.open").click().run()
    assert app.query_params["lh"] == f"{best[0]}.{best[1]}"
    assert app.query_params["panel"] == "all_heads"


def test_an_encoder_is_not_asked_to_write():
    if not cached_default():
        pytest.skip("the weights are not installed")
    app = opened(model="default", panel="predict")
    assert not app.error
    assert not [data for data, _ in drawn(app) if "steps" in data]


def cached_default() -> bool:
    from attnviz.models.catalogue import catalogue

    return catalogue()["default"].installed


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_card_asks_its_question_and_hides_the_answer(language):
    t = words(language)
    app = opened(card="again", model="induction", lang=language)
    assert t("card.again.question") in said(app)
    assert t("card.again.hint") in said(app)
    assert grid(app)[0]["chosen"] == [[0, 0]]
    assert not any(
        t("models.known_for", pattern="").rstrip("。.") in n for n in grid(app)[0]["notes"]
    )
    assert t("cards.rule", right="80%", partly="40%", least="0.10", n=1)[:8] not in said(app)


def test_a_head_is_checked_with_its_number_and_its_rank():
    reader = cards()["again"].readers[-1]
    app = opened(card="again", model="induction", t=reader.text)
    capture = cached_models.capture_job(
        cached_models.Asked(model="induction", text=reader.text)
    ).result()
    found = answer(cards()["again"], capture)
    verdicts = set()
    for each in found.heads:
        app = opened(card="again", model="induction", t=reader.text, lh=f"{each.layer}.{each.head}")
        button(app, "card.check").click().run()
        verdict = found.verdict(each.pair)
        verdicts.add(verdict)
        start = T(f"cards.{verdict}", head="§", value="", rank="", n="", measure="").split("§")[0]
        (badge,) = [badge for badge in badges(app) if start in badge]
        assert number(each.value, 2) in badge
        assert f"rank {found.rank(each.pair)} of {len(found.heads)}" in badge
    assert verdicts == {"right", "partly", "not"}


def test_another_head_has_to_be_checked_anew():
    app = opened(card="again", model="induction", lh="1.3")
    button(app, "card.check").click().run()
    assert any("Right" in badge for badge in badges(app))
    button(app, "card.show").click().run()
    other = next(each.key for each in app.button if (each.key or "").startswith("card.best.1.1"))
    button(app, other).click().run()
    assert app.query_params["lh"] == "1.1"
    assert not any("Right" in badge for badge in badges(app))


def test_show_me_names_the_best_heads_and_opens_them():
    app = opened(card="again", model="induction")
    button(app, "card.show").click().run()
    found = cached_models.card_answer(
        cached_models.Asked(model="induction", text=cards()["again"].readers[-1].text), "again"
    )
    best = found.best
    button(app, f"card.best.{best.layer}.{best.head}").click().run()
    assert app.query_params["lh"] == f"{best.layer}.{best.head}"
    assert app.query_params["card"] == "again"


def test_a_text_without_what_is_asked_offers_the_cards_own():
    app = opened(card="again", model="induction", t="xq7")
    assert T("cards.elsewhere") in said(app)
    button(app, "card.back").click().run()
    assert app.query_params["t"] in {reader.text for reader in cards()["again"].readers}


def test_a_card_is_opened_from_its_list_and_closed():
    app = opened(model="induction", t="xq7")
    button(app, "card.previous").click().run()
    assert app.query_params["card"] == "previous"
    button(app, "card.close").click().run()
    assert "card" not in app.query_params


def test_a_card_that_is_not_there_is_none():
    app = opened(card="telepathy", model="induction")
    assert not app.error
    assert not [each for each in app.button if each.key == "card.check"]
