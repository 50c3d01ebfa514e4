"""A model writes and is asked which head does what, as a person does it."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from attnviz.text import words
from tests.browser.conftest import Visit, Visitor

T = words("en")
TEXT = "blue mug tree lamp. blue mug"
LONG = 120_000  # milliseconds until a model has been loaded on a busy machine


def asked(visit: Visitor, ready: str, **how) -> Visit:
    """Open the package's own model with a question, and wait until it is answered."""
    link = {"model": "induction", "t": TEXT, "lh": "1.3", **how.pop("link", {})}

    def patient(page: Page) -> None:
        page.set_default_timeout(LONG)

    tab = visit("/models", link=link, before=patient, ready=ready, **how)
    tab.settle()
    return tab


def colours(tab: Visit) -> list[str]:
    pieces = tab.page.locator(".written .piece")
    return pieces.evaluate_all("nodes => nodes.map((node) => node.style.background)")


def written(tab: Visit) -> Locator:
    return tab.page.locator(".written .new")


def test_a_model_writes_and_each_token_shows_where_it_looked(visit):
    tab = asked(visit, ".written .text", link={"panel": "predict"})
    expect(written(tab)).to_have_count(1)
    tab.page.get_by_role("button", name=T("predict_next.write", n=12)).click()
    expect(written(tab)).to_have_count(13)
    tab.settle()
    before = colours(tab)
    written(tab).nth(4).click()
    expect(tab.page).to_have_url(re.compile("gen=4"))
    expect(written(tab).nth(4)).to_have_class(re.compile("chosen"))
    tab.settle()
    assert colours(tab) != before
    written(tab).nth(4).press("ArrowRight")
    expect(tab.page).to_have_url(re.compile("gen=5"))
    expect(written(tab).nth(5)).to_be_focused()
    sent = len(tab.frames)
    tab.page.locator(".written .piece").first.hover()
    said = re.compile(re.escape(T("predict_next.cell", token="b", place=1, value="")))
    expect(tab.page.locator(".written .readout")).to_have_text(said)
    assert len(tab.frames) == sent
    now = colours(tab)
    grid = tab.page.locator(".heads .over").first
    grid.focus()
    grid.press("ArrowUp")
    grid.press("Enter")
    expect(tab.page).to_have_url(re.compile(r"lh=0\.3"))
    tab.settle()
    assert colours(tab) != now
    assert not tab.wrong
    assert not tab.outside


def test_a_head_is_chosen_checked_and_shown(visit):
    tab = asked(visit, ".heads .stage", link={"card": "again", "lh": "0.1"})
    tab.page.get_by_role(
        "button", name=T("cards.check", head=T("models.head_name", layer=0, head=1))
    ).click()
    badge = tab.page.locator(".st-key-card-said .stMarkdownBadge")
    expect(badge).to_contain_text("Not this one")
    grid = tab.page.locator(".heads .over").first
    grid.focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "Enter"):
        grid.press(key)
    expect(tab.page).to_have_url(re.compile(r"lh=1\.3"))
    tab.settle()
    expect(badge).to_have_count(0)
    check = tab.page.get_by_role(
        "button", name=T("cards.check", head=T("models.head_name", layer=1, head=3))
    )
    check.focus()
    check.press("Enter")
    expect(badge).to_contain_text("Right")
    tab.page.get_by_role("button", name=T("cards.show")).click()
    expect(tab.page.locator(".st-key-card-said button")).to_have_count(3)
    assert not tab.wrong
    assert not tab.outside


def test_a_question_is_chosen_from_the_list(visit):
    tab = asked(visit, ".heads .stage")
    tab.page.get_by_role("button", name=T("cards.choose")).click()
    question = tab.page.get_by_role("button", name=T("card.previous.question"))
    question.click()
    expect(tab.page).to_have_url(re.compile("card=previous"))
    expect(question).to_be_hidden()
    expect(tab.page.locator(".st-key-card-line")).to_contain_text(T("card.previous.question"))
    assert not tab.wrong


@pytest.mark.parametrize(
    ("panel", "scheme", "phone"),
    [("predict", "dark", True), ("repeat", "dark", False), ("repeat", "light", True)],
)
def test_writing_and_repeating_in_chinese_fit_their_screen(visit, panel, scheme, phone):
    link = {"panel": panel, "t": f"{TEXT} tree", "amount": "6"}
    ready = ".js-plotly-plot"
    tab = asked(visit, ready, locale="zh-TW", scheme=scheme, phone=phone, link=link)
    expect(tab.page.get_by_text(words("zh-Hant")(f"fold.{panel}"))).to_be_visible()
    width = tab.page.evaluate("document.documentElement.scrollWidth")
    assert width <= (390 if phone else 1280)
    assert not tab.wrong
    assert not tab.outside
