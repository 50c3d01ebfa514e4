"""Models: the answer is in sight, in a window of 1280 × 720, on a phone and on a projector."""

import pytest
from playwright.sync_api import Locator, Page, expect

from attnviz.models.catalogue import catalogue
from tests.browser.conftest import Visit, Visitor

CHOOSERS = ".st-key-bar :is(.st-key-control-model, .st-key-control-pattern) input"
LONG = 120_000  # milliseconds until a model has been loaded on a busy machine


def shown(visit: Visitor, ready: str, **how) -> Visit:
    """Open the package's own model with a question, and wait until it is answered."""
    link = {"model": "induction", "t": "blue mug. blue mug", **how.pop("link", {})}

    def patient(page: Page) -> None:
        page.set_default_timeout(LONG)

    tab = visit("/models", link=link, before=patient, ready=ready, **how)
    tab.page.locator(ready).first.wait_for()
    tab.settle()
    return tab


def top(part: Locator) -> float:
    return part.evaluate("node => node.getBoundingClientRect().top")


@pytest.mark.parametrize("language", ["en", "zh-Hant"])
@pytest.mark.parametrize("model", catalogue())
def test_the_names_of_the_choosers_are_whole(visit, language, model):
    link = {"lang": language, "panel": "lines", "model": model}
    names = visit("/models", link=link, ready=CHOOSERS).page.locator(CHOOSERS)
    expect(names).to_have_count(2)
    for name in names.all():
        assert name.evaluate("node => node.scrollWidth <= node.clientWidth"), name.input_value()


def test_on_a_phone_what_came_of_an_edit_stands_before_what_can_be_edited(visit):
    edited = {"panel": "edit", "edit": "off.1.3", "lang": "zh-Hant"}
    tab = shown(visit, ".st-key-edit_grid .stage", link=edited, phone=True)
    assert top(tab.page.locator(".st-key-chips")) < top(tab.page.locator(".st-key-edit_grid"))
    assert top(tab.page.locator(".st-key-edit_grid")) < top(tab.page.locator(".st-key-editing"))
    assert top(tab.page.locator(".st-key-edit_grid")) < 844


def test_a_projector_shows_the_sentence_beside_all_heads(visit):
    tab = shown(visit, ".lines canvas", link={"panel": "all_heads", "present": "1"})
    heads, lines = (tab.page.locator(part).bounding_box() for part in (".heads .stage", ".lines"))
    assert heads
    assert lines
    assert heads["x"] + heads["width"] <= lines["x"]
    assert heads["y"] + heads["height"] <= 720
    assert lines["y"] < 360
