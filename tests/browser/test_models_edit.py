"""Heads are switched off, edges cut and tokens masked as a person does it."""

import itertools
import re

import pytest
from playwright.sync_api import Page, expect

from attnviz.text import words
from tests.browser.conftest import Visit, Visitor

T = words("en")
TWICE = "kq7.wzmb;xkq7.w"
LONG = 120_000  # milliseconds until a model has been loaded on a busy machine


def read(visit: Visitor, **how) -> Visit:
    """Open the edits of the small induction model, and wait until it has read the text."""
    link = {"model": "induction", "t": TWICE, "lh": "1.0", "panel": "edit", **how.pop("link", {})}

    def patient(page: Page) -> None:
        page.set_default_timeout(LONG)

    tab = visit("/models", link=link, before=patient, ready=".st-key-editing", **how)
    tab.settle()
    return tab


def button(tab: Visit, name: str):
    return tab.page.get_by_role("button", name=name, exact=True)


def badge(tab: Visit, text: str):
    return tab.page.locator(".stMarkdownBadge").filter(has_text=text).first


def test_a_head_is_switched_off_and_given_back_by_the_keyboard(visit):
    tab = read(visit)
    expect(tab.page.get_by_text(T("edit.example", names="L1H0"))).to_be_visible()
    off = button(tab, T("edit.off", heads="L1H0"))
    off.focus()
    off.press("Enter")
    expect(tab.page).to_have_url(re.compile(r"edit=off\.1\.0"))
    tab.page.locator(".st-key-edit_grid .stage").wait_for()
    tab.settle()
    expect(badge(tab, T("edit.in_force", n=1))).to_be_visible()
    expect(tab.page.get_by_text(T("edit.next.token"), exact=True)).to_be_visible()
    grid = tab.page.locator(".st-key-edit_grid .over")
    grid.focus()
    grid.press("ArrowRight")
    expect(tab.page.locator(".st-key-edit_grid .readout")).to_contain_text("L1H1")
    grid.press("Enter")
    expect(button(tab, T("edit.off", heads="L1H1"))).to_be_visible()
    chip = button(tab, T("edit.named.off", head="L1H0"))
    chip.focus()
    chip.press("Enter")
    expect(tab.page).not_to_have_url(re.compile("edit=off"))
    expect(tab.page.get_by_text(T("edit.explained"))).to_be_visible()
    assert not tab.wrong
    assert not tab.outside


def test_a_cut_edge_and_a_masked_token_stand_in_every_question(visit):
    tab = read(visit, link={"q": "14", "key": "5"})
    button(tab, T("edit.cut")).click()
    expect(tab.page).to_have_url(re.compile(r"edit=cut\.1\.0\.14\.5"))
    tab.settle()
    button(tab, T("edit.mask", token="6 z")).click()
    expect(tab.page).to_have_url(re.compile(r"mask\.5"))
    tab.settle()
    tab.page.get_by_text(T("group.look"), exact=True).click()
    tab.settle()
    expect(badge(tab, T("edit.in_force", n=2))).to_be_visible()
    button(tab, T("edit.show_untouched")).click()
    expect(badge(tab, T("edit.peeking", n=2))).to_be_visible()
    button(tab, T("edit.to_panel")).click()
    button(tab, T("edit.undo_all")).click()
    expect(tab.page).not_to_have_url(re.compile("edit=cut"))
    assert not tab.wrong


@pytest.mark.parametrize("phone", [False, True])
def test_the_answer_in_chinese_fits_its_screen_in_the_dark(visit, phone):
    link = {"edit": "off.1.0;off.1.1;cut.0.-1.5.2;mask.3"}
    tab = read(visit, locale="zh-TW", scheme="dark", phone=phone, link=link)
    t = words("zh-Hant")
    expect(tab.page.get_by_text(t("fold.edit"))).to_be_visible()
    tab.page.locator(".st-key-edit_grid .stage").wait_for()
    expect(tab.page.get_by_test_id("stCaptionContainer").last).to_be_visible()
    tab.settle()
    width = tab.page.evaluate("document.documentElement.scrollWidth")
    assert width <= (390 if phone else 1280)
    assert not tab.wrong
    assert not tab.outside


def test_every_head_in_turn_says_which_one_is_needed(visit):
    tab = read(visit)
    button(tab, T("each_off.start", n=8)).click()
    tab.page.locator(".st-key-worth_grid .stage").wait_for()
    for said in ("each_off.caution", "each_off.claim.loss"):
        expect(tab.page.get_by_text(T(said).replace("**", ""))).to_be_visible()
    heads = tab.page.locator("table tbody tr td:first-child")
    by_effect = heads.all_inner_texts()
    tab.page.get_by_role("radio", name=T("each_off.by.gradient")).press("Enter")
    expect(heads).not_to_have_text(by_effect)
    expect(tab.page).to_have_url(re.compile("amount=2"))
    assert not tab.wrong


def test_the_map_of_heads_names_as_many_as_fit_a_phone(visit):
    link = {"model": "induction", "t": TWICE, "panel": "similar"}
    ready = ".st-key-plot-similar .scatterlayer"

    def patient(page: Page) -> None:
        page.set_default_timeout(LONG)

    tab = visit("/models", link=link, before=patient, ready=ready, phone=True)
    last = tab.page.locator(".st-key-plot-similar .scatterlayer > .trace").last
    last.wait_for(state="attached")
    assert last.evaluate("each => getComputedStyle(each).display") == "none"
    names = tab.page.locator(".st-key-plot-similar .scatterlayer > .trace:nth-last-child(2) text")
    boxes = [each.bounding_box() for each in names.all()]
    assert boxes
    apart = [
        one["x"] + one["width"] <= other["x"] + 1
        or other["x"] + other["width"] <= one["x"] + 1
        or one["y"] + one["height"] <= other["y"] + 4  # a line is higher than its letters
        or other["y"] + other["height"] <= one["y"] + 4
        for one, other in itertools.combinations(boxes, 2)
    ]
    assert all(apart)
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390
