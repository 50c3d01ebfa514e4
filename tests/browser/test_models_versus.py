"""Comparing heads as a person does: point, hold, exchange, choose, by mouse and by keyboard."""

import re

import pytest
from playwright.sync_api import Page, expect

from attnviz.text import words
from tests.browser.conftest import Visit, Visitor

T = words("en")
TEXT = "the cat sat. the cat"
OTHER = "the big cat sat. the cat"
LONG = 120_000  # milliseconds until a model has been loaded on a busy machine


def compare(visit: Visitor, **how) -> Visit:
    """Open a comparison, and wait until both sides have been read."""
    link = {"model": "induction", "t": TEXT, "lh": "1.0", "panel": "versus", "vs": "text"}
    link |= how.pop("link", {})

    def patient(page: Page) -> None:
        page.set_default_timeout(LONG)

    tab = visit("/models", link=link, before=patient, ready=".pair .over", **how)
    tab.settle()
    return tab


def readout(tab: Visit):
    return tab.page.locator(".pair .readout")


def large(tab: Visit):
    """Find the map of the difference, which the keyboard reaches."""
    return tab.page.locator(".pair .map").first.locator(".over")


def test_the_keyboard_reads_both_weights_and_their_difference(visit):
    tab = compare(visit)
    large(tab).focus()
    large(tab).press("ArrowDown")
    large(tab).press("ArrowLeft")
    expect(readout(tab)).to_have_text(
        re.compile(r"A 1\.0000, B 1\.0000, difference [+−]?0\.0000|A \d\.\d{4}, B \d\.\d{4}")
    )
    said = readout(tab).inner_text()
    numbers = re.findall(r"[+−]?\d\.\d{4}", said)
    one, other, difference = (float(text.replace("−", "-")) for text in numbers)
    assert other - one == pytest.approx(difference, abs=2e-4)
    for _ in range(3):
        large(tab).press("ArrowDown")
    sent = len(tab.frames)
    large(tab).press("Enter")
    expect(tab.page).to_have_url(re.compile(r"[?&]q=\d"))
    large(tab).press("Escape")
    expect(tab.page).not_to_have_url(re.compile(r"[?&]q=\d"))
    tab.settle()
    assert len(tab.frames) == sent, "an answer to the first key would take back the second"
    assert not tab.wrong
    assert not tab.outside


def test_a_row_is_held_from_one_map_in_all_and_comes_back_with_the_link(visit):
    tab = compare(visit)
    small = tab.page.locator(".pair .small .over").first
    box = small.bounding_box()
    assert box
    small.click(position={"x": box["width"] / 2, "y": box["height"] * 0.8})
    expect(tab.page).to_have_url(re.compile(r"[?&]q=\d"))
    tab.page.mouse.move(0, 0)
    said = readout(tab).inner_text()
    assert "“" in said
    tab.page.goto(tab.page.url)
    headline = tab.page.get_by_test_id("stMarkdown").locator("strong").first
    expect(headline).to_contain_text(said.split(")")[0])
    assert not tab.wrong


def test_insertions_are_blank_and_the_sides_can_be_exchanged(visit):
    tab = compare(visit, link={"vt": OTHER})
    expect(tab.page.locator(".pair .scale")).to_contain_text(T("versus.blank"))
    titles = tab.page.locator(".pair h3")
    before = titles.all_inner_texts()
    tab.page.get_by_role("button", name=T("versus.swap")).click()
    expect(titles.nth(1)).to_contain_text(OTHER)
    expect(tab.page).to_have_url(re.compile("vt=the(%20|\\+)cat"))
    assert before != titles.all_inner_texts()
    assert not tab.wrong


def test_a_click_on_a_square_compares_with_another_head(visit):
    tab = compare(visit, link={"vs": "head", "vh": "1.1"})
    grid = tab.page.locator(".heads .over")
    expect(tab.page.locator(".pair h3").nth(2)).to_contain_text("1")
    grid.focus()
    grid.press("ArrowUp")
    grid.press("Enter")
    expect(tab.page).to_have_url(re.compile(r"vh=0\.1"))
    assert not tab.wrong
    assert not tab.outside


@pytest.mark.parametrize(
    ("kind", "scheme", "phone"), [("text", "dark", True), ("head", "light", False)]
)
def test_a_comparison_in_chinese_fits_its_screen(visit, kind, scheme, phone):
    link = {"vs": kind, "notation": "column"}
    tab = compare(visit, locale="zh-TW", scheme=scheme, phone=phone, link=link)
    t = words("zh-Hant")
    expect(tab.page.get_by_text(t("fold.versus"))).to_be_visible()
    expect(tab.page.locator(".pair h3").first).to_have_text(t("versus.difference"))
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= (390 if phone else 1280)
    assert not tab.wrong
    assert not tab.outside


def test_readings_stay_on_one_scale(visit):
    def patient(page: Page) -> None:
        page.set_default_timeout(LONG)

    link = {
        "model": "induction",
        "t": TEXT,
        "lh": "1.0",
        "panel": "readings",
        "reading": "flow_all",
    }
    tab = visit("/models", link=link, before=patient, ready=".heat .over")
    ends = tab.page.locator(".heat .legend")
    expect(ends).to_contain_text("01")
    tab.page.get_by_role("radio", name=T("readings.value")).click()
    tab.settle()
    expect(ends).to_contain_text("01")
    tab.page.get_by_role("radio", name=T("readings.scale.own")).click()
    expect(ends).not_to_have_text("01")
    assert not tab.wrong
