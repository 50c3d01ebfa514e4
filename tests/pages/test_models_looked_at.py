"""What is held, how far the colours go, and who could read a text, on the page Models."""

import numpy as np
import pytest

from attnviz.components.palette import locked
from attnviz.models.catalogue import catalogue
from attnviz.text import LANGUAGES, words
from attnviz.ui.rooms.models import head, unread
from tests.pages.test_models import drawn, opened, weights_of

TEXT = "the cat sat. the cat sat."
CHINESE = "學生在圖書館讀書"


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Wait for the model: what is shown while it runs is another test's."""
    monkeypatch.setattr(head, "_SOON", 120.0)


def shown(**link: str) -> tuple[dict, list[bytes]]:
    app = opened(**({"model": "induction", "t": TEXT, "lh": "0.1", "panel": "lines"} | link))
    return next(each for each in drawn(app) if "strip" in each[0])


@pytest.mark.parametrize(
    ("link", "held"),
    [
        ({"q": "1", "hold": "query"}, {"side": "query", "at": 1, "other": None}),
        ({"hold": "query"}, {"side": "query", "at": 1, "other": None}),
        ({"key": "4", "hold": "key"}, {"side": "key", "at": 4, "other": None}),
        ({"q": "7", "key": "4", "hold": "key"}, {"side": "key", "at": 4, "other": None}),
        ({"q": "7", "key": "4"}, {"side": "query", "at": 7, "other": 4}),
        ({"q": "7"}, {"side": "query", "at": 7, "other": None}),
    ],
)
def test_a_link_holds_the_token_that_asks_or_the_one_that_is_asked(link, held):
    assert shown(**link)[0]["locked"] == held


def test_nothing_is_held_without_a_token():
    assert locked(None, None) is None
    assert locked(None, None, "key") is None
    assert locked(2, None, "key") == {"side": "query", "at": 2, "other": None}


def test_another_text_holds_nothing():
    app = opened(model="induction", t=TEXT, panel="lines", q="1", hold="query")
    app.text_area(key="control.passage").set_value("abc abc").run()
    assert "hold" not in app.query_params
    assert next(data for data, _ in drawn(app) if "strip" in data)["locked"] is None


def test_the_colours_of_many_tokens_end_at_the_largest_weight():
    few = shown(t="kq7.wzmb")
    assert few[0]["limit"] == 1
    many = shown(t="kq7.wzmb;x" * 12, lh="0.0")
    largest = weights_of(many[0], many[1][1:3]).max()
    assert many[0]["limit"] == pytest.approx(largest, rel=1e-2)
    assert np.isfinite(many[0]["limit"])


def test_the_model_that_reads_most_languages_is_proposed_but_not_to_itself():
    best = unread.proposed("default")
    assert best is not None
    assert len(best.reads) == max(len(entry.reads) for entry in catalogue().values())
    assert unread.proposed(best.key) is None


@pytest.mark.skipif(not catalogue()["default"].installed, reason="its weights are a package")
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_of_unknown_signs_is_warned_of_with_a_model_that_reads_it(language, monkeypatch):
    t, other = words(language), catalogue()["zh"]
    app = opened(model="default", t=CHINESE, lang=language)
    said = [each.value for each in app.warning]
    assert any("[UNK]" in each for each in said)
    if not other.installed:
        assert any(f"models add {other.key}" in each for each in said)
        return
    button = app.button(key="models.unknown_read")
    assert button.label == t("models.unknown_read", name=other.title)
    monkeypatch.setattr(head, "_SOON", 0.0)
    button.click().run()
    assert app.query_params["model"] == other.key
    assert app.query_params["t"] == CHINESE
