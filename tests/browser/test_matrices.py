"""Matrices: change one W and see what follows, click down to a row times a column, both axes."""

import re

import pytest
from playwright.sync_api import Locator, expect

from attnviz.text import words

t, zh = words("en"), words("zh-Hant")

SIDEWAYS = "document.querySelector('.stMain').scrollWidth <= document.documentElement.clientWidth"


def named(tab, symbol: str) -> Locator:
    """Find a matrix of the ribbon by its symbol."""
    return tab.page.get_by_role("grid", name=re.compile(f"^{re.escape(symbol)}, "))


def numbers(tab, symbol: str) -> list[str]:
    return named(tab, symbol).locator(".cell").all_inner_texts()


def test_one_w_is_changed_in_place_and_only_what_reads_it_is_marked(visit):
    tab = visit("/matrices")
    expect(named(tab, "O").locator(".cell")).to_have_count(8)
    before = {symbol: numbers(tab, symbol) for symbol in ("Q", "K", "A", "A′", "V", "O")}
    named(tab, "Wv").locator(".cell").first.click()
    cell = tab.page.get_by_role("textbox", name=t("grid.cell", row=1, column=1), exact=True)
    cell.fill("3")
    cell.press("Enter")
    for symbol in ("I", "Wq", "Q", "Wk", "K", "A", "A′"):
        said = t("ribbon.same" if symbol in ("Wq", "Wk") else "ribbon.unchanged")
        expect(named(tab, symbol).locator(".title")).to_have_text(said)
        assert named(tab, symbol).locator(".fresh").count() == 0
    for symbol, n, of in (("V", 2, 8), ("O", 4, 8)):
        expect(named(tab, symbol).locator(".title")).to_have_text(t("ribbon.changed", n=n, of=of))
        assert named(tab, symbol).locator(".fresh").count() == n
    for symbol in ("Q", "K", "A", "A′"):
        assert numbers(tab, symbol) == before[symbol]
    assert numbers(tab, "V") != before["V"]
    assert tab.wrong == []


def test_undo_brings_the_numbers_back(visit):
    tab = visit("/matrices", link={"step": "w_q"})
    expect(named(tab, "A").locator(".cell")).to_have_count(16)
    before = numbers(tab, "A")
    cell = tab.page.get_by_role("textbox", name=t("grid.cell", row=1, column=1), exact=True)
    cell.fill("7")
    cell.press("Enter")
    expect(named(tab, "K").locator(".title")).to_have_text(t("ribbon.unchanged"))
    assert numbers(tab, "A") != before
    tab.page.locator(".st-key-undo button").click()
    expect(named(tab, "A").locator(".cell").first).to_have_text(before[0])
    assert numbers(tab, "A") == before


def test_a_number_is_chosen_by_keyboard_and_the_link_opens_it_again(visit):
    tab = visit("/matrices")
    named(tab, "Q").locator(".cell").nth(2).focus()
    expect(tab.readout()).to_have_text("q₂,₁ = (0)(1) + (1)(0) + (1)(−1) = −1")
    tab.page.keyboard.press("ArrowRight")
    expect(tab.readout()).to_have_text("q₂,₂ = (0)(0) + (1)(1) + (1)(0) = 1")
    tab.page.keyboard.press("Enter")
    expect(tab.page).to_have_url(re.compile(r"key=1.*step=query|step=query.*key=1"))
    expect(tab.page.locator(".st-key-made .katex-display")).to_be_visible()
    held = named(tab, "Wq").locator("td.held")
    assert held.all_inner_texts() == ["0", "1", "0"]
    assert named(tab, "I").locator("tr.hand .cell").all_inner_texts() == ["0", "1", "1"]
    again = visit(
        "/matrices", link=dict(part.split("=") for part in tab.page.url.split("?")[1].split("&"))
    )
    expect(again.readout()).to_have_text("q₂,₂ = (0)(0) + (1)(1) + (1)(0) = 1")


@pytest.mark.parametrize("symbol", ["A", "O"])
def test_a_click_goes_down_to_the_row_times_the_column(visit, symbol):
    tab = visit("/matrices", link={"digits": "4"})
    named(tab, symbol).locator(".cell").first.click()
    made = tab.page.locator(".st-key-made")
    if symbol == "A":
        expect(made.locator("code")).to_contain_text("α₁,₁ = q₁·k₁ = (−1)(3) + (0)(1) = −3")
    else:
        expect(made).to_contain_text(
            re.sub(r"\$.*?\$", "", t("ribbon.cell.head_outputs", row=1, column=1))
        )
        expect(tab.readout()).to_contain_text("b₁,₁ = (0.0432)(1)")


def test_the_other_notation_transposes_the_whole_ribbon(visit):
    tab = visit("/matrices")
    symbols = ("I", "Wq", "Q", "A", "A′", "O")
    rows = {symbol: named(tab, symbol).locator("tbody tr").all_inner_texts() for symbol in symbols}
    cells = {symbol: sorted(numbers(tab, symbol)) for symbol in symbols}
    tab.page.get_by_role("radio", name=t("notation.column"), exact=True).click()
    expect(named(tab, "I").locator("tbody tr")).to_have_count(3)
    for symbol in symbols:
        assert sorted(numbers(tab, symbol)) == cells[symbol]
        assert named(tab, symbol).locator("tbody tr").all_inner_texts() != rows[symbol]
    expect(
        tab.page.locator(".st-key-sources").get_by_text(t("notation.same")).first
    ).to_be_visible()


def test_the_wrong_axis_is_said_and_marked_on_a_phone_in_the_dark(visit):
    tab = visit("/matrices", link={"panel": "axis"}, locale="zh-TW", scheme="dark", phone=True)
    sums = named(tab, "A′").locator(".sum")
    expect(sums.nth(1)).to_have_text("1")
    tab.page.get_by_role("radio", name=zh("axis.along.query"), exact=True).click()
    expect(sums.nth(3)).to_have_text("3.28 ≠ 1")
    expect(tab.page.get_by_text(zh("axis.outside")).first).to_be_attached()
    assert tab.page.evaluate(SIDEWAYS)
    assert tab.wrong == []


@pytest.mark.parametrize("locale", ["zh-TW", "en-US"])
@pytest.mark.parametrize("panel", ["ribbon", "together", "counting", "ladder"])
def test_no_question_scrolls_sideways_on_a_phone(visit, panel, locale):
    tab = visit("/matrices", link={"panel": panel, "step": "w_k"}, locale=locale, phone=True)
    assert tab.page.evaluate(SIDEWAYS)


def test_the_pairs_fill_one_by_one_with_the_arrow_keys(visit):
    tab = visit("/matrices", link={"panel": "together"})
    waiting = named(tab, "A").locator(".cell", has_text="·")
    expect(waiting).to_have_count(11)
    tab.page.get_by_role("slider").first.focus()
    tab.page.keyboard.press("ArrowRight")
    expect(waiting).to_have_count(10)
    tab.page.get_by_role("button", name=t("together.all")).click()
    expect(waiting).to_have_count(0)
    expect(tab.page).to_have_url(re.compile("amount=16"))
