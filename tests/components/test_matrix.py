from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

# Every cell that shows a number: the contrast of its text with what lies behind it.
CONTRASTS = """
() => {
  const root = document.querySelector("[data-testid=stBidiComponentIsolated]").shadowRoot;
  const channels = (colour) => {
    const most = colour.startsWith("color") ? 1 : 255;
    return colour.match(/[\\d.]+/g).map((part, at) => (at < 3 ? part / most : Number(part)));
  };
  const luminance = (colour) => {
    const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = channels(colour).map(linear);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const page = getComputedStyle(document.querySelector(".stApp")).backgroundColor;
  const texts = [...root.querySelectorAll(".cell, th, .sum, caption span, .chip bdi")];
  return texts.filter((text) => text.textContent).map((text) => {
    const { color, backgroundColor } = getComputedStyle(text);
    const behind = channels(backgroundColor)[3] === 0 ? page : backgroundColor;
    const [low, high] = [luminance(color), luminance(behind)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  });
}
"""


def cells(page: Page, table: str):
    return page.get_by_role("grid", name=table).locator(".cell")


def readout(page: Page):
    return page.locator(".readout")


def test_pointing_reads_the_cell_and_asks_the_server_nothing(open_page):
    page = open_page("hero")
    before, height = len(page.sent), page.locator(".matrices").bounding_box()["height"]
    cells(page, "Attention weights").nth(6).hover()
    expect(readout(page)).to_have_text("α′2,3 = 0.5601: saw looks at a")
    lit = page.locator("table >> nth=0").locator(".lit")
    expect(lit).to_have_text(["1", "1", "0"])  # row 3 of a, the key
    expect(page.get_by_role("grid", name="Output vectors").locator(".lit")).to_have_count(2)
    page.mouse.move(5, 5)
    expect(readout(page)).to_contain_text("b2 = 0.0279")
    assert len(page.sent) == before
    assert page.locator(".matrices").bounding_box()["height"] == height


def test_clicks_arrive_and_the_pointed_cell_survives_the_rerun(open_page):
    page = open_page("hero")
    cells(page, "Attention weights").nth(3).click()
    expect(page.get_by_text("heard: cell 1 0 3")).to_be_visible()
    expect(readout(page)).to_have_text("α′1,4 = 0.3189: I looks at saw")
    page.get_by_role("button", name="3 a").click()
    expect(page.get_by_text("cell 1 0 3, query 2")).to_be_visible()
    expect(page.get_by_role("button", name="3 a")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("grid", name="Attention weights").get_by_role("rowheader").nth(3).click()
    expect(page.get_by_text("query 2, query 3")).to_be_visible()


def test_the_keyboard_walks_reads_and_chooses(open_page):
    page = open_page("hero")
    cells(page, "Attention weights").nth(4).focus()
    for press in ("ArrowRight", "ArrowDown", "Home", "ArrowLeft", "ArrowUp", "End"):
        page.keyboard.press(press)
    expect(readout(page)).to_contain_text("α′2,4")
    page.keyboard.press("Escape")
    expect(readout(page)).to_contain_text("b2 = 0.0279")
    page.keyboard.press("Enter")
    expect(page.get_by_text("heard: cell 1 1 3")).to_be_visible()
    page.keyboard.press("ArrowLeft")  # the focus outlived the rerun
    expect(readout(page)).to_contain_text("α′2,3")
    assert page.locator("[tabindex='0'].cell").count() == 3


def test_the_chips_are_one_stop_and_the_arrow_keys_go_along_them(open_page):
    page = open_page("hero")
    page.get_by_role("button", name="2 saw").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("button", name="3 a")).to_be_focused()
    expect(page.get_by_role("grid", name="Output vectors").locator(".lit")).to_have_count(2)
    page.keyboard.press("Enter")
    expect(page.get_by_text("heard: query 2")).to_be_visible()
    expect(page.get_by_role("button", name="3 a")).to_be_focused()
    assert page.locator(".chip[tabindex='0']").count() == 1


def test_tokens_are_shown_as_they_were_typed(open_page):
    page = open_page("strange")
    page.on("dialog", lambda dialog: pytest.fail(f"a token ran: {dialog.message}"))
    heads = page.get_by_role("grid", name="Input vectors").get_by_role("rowheader")
    expect(heads).to_have_text(
        ["1 <b>x</b>", "2 <img src=x onerror=alert(1)>", "3 שלום", "4 👩‍👩‍👧"]
    )
    assert page.locator(".matrices img, .matrices b").count() == 0


@pytest.mark.parametrize("show", ["hero", "scores"])
def test_every_number_can_be_read_on_a_light_and_on_a_dark_page(open_page, show):
    page = open_page(show)
    page.locator(".cell").first.wait_for()
    for scheme, background in [("light", "rgb(253, 252, 250)"), ("dark", "rgb(22, 24, 28)")]:
        page.emulate_media(color_scheme=scheme)
        expect(page.locator(".stApp")).to_have_css("background-color", background)
        contrasts = page.evaluate(CONTRASTS)
        assert len(contrasts) > 40
        assert min(contrasts) >= 4.5


@pytest.mark.parametrize("show", ["hero", "40"])
def test_a_narrow_page_does_not_scroll_sideways(open_page, show):
    page = open_page(show, width=390, height=844)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_many_cells_are_read_through_the_template(open_page):
    page = open_page("40")
    cells(page, "Attention weights").nth(41).hover()
    expect(readout(page)).to_have_text("α′(2,2) = 0.28: 2 quick looks at 2 quick")


def test_a_column_in_hand_is_picked_summed_and_read_as_a_row_is(open_page):
    page = open_page("columns")
    weights = page.get_by_role("grid", name="Attention weights")
    expect(weights.locator("td.held")).to_have_text(["0.03", "0.21", "0.56", "0.21"])
    expect(weights.locator(".sums td")).to_have_text(["Σ", *["1.00"] * 4])
    expect(weights.locator(".marks td").nth(2)).to_have_text("▲")
    weights.locator(".cell").nth(2).hover()  # row 1, column 3
    expect(readout(page)).to_have_text("α′3,1 = 0.6103: a looks at I")
    outputs = page.get_by_role("grid", name="Output vectors")
    expect(outputs.locator(".lit")).to_have_text(["0.45", "1.78"])
    weights.get_by_role("columnheader", name="3 a").click()
    expect(page.get_by_text("heard: query 2")).to_be_visible()


def test_a_column_label_chooses_with_the_keyboard(open_page):
    page = open_page("columns")
    cells(page, "Attention weights").nth(0).focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.get_by_text("heard: query 0")).to_be_visible()


# The texts of a matrix that a projector shows fainter; those at full strength.
STRENGTHS = """(table) => {
  const cells = [...table.rows].slice(1).flatMap((line) => [...line.cells]);
  const shown = cells.filter((cell) => cell.textContent.trim());
  const of = (faint) => shown.filter((cell) => (getComputedStyle(cell).opacity < 1) === faint);
  return [of(true), of(false)].map((found) => found.map((cell) => cell.innerText.trim()));
}"""


def present(page: Page) -> None:
    """Ask for what a projector asks for."""
    page.evaluate("document.documentElement.style.setProperty('--dimmed', '0.5')")


def test_a_projector_shows_the_row_in_hand_and_the_one_pointed_at_at_full_strength(open_page):
    page = open_page("hero")
    weights = page.get_by_role("grid", name="Attention weights")
    assert weights.evaluate(STRENGTHS)[0] == []  # nobody presents
    present(page)
    faint, full = weights.evaluate(STRENGTHS)
    rows = weights.locator("tbody tr").evaluate_all(
        "(rows) => rows.map((row) => [...row.cells].map((cell) => cell.innerText.trim()))"
    )
    filled = [[text for text in row if text] for row in rows]
    assert faint == [text for place in (0, 2, 3) for text in filled[place]]
    assert [text for text in full if text in filled[1]][-len(filled[1]) :] == filled[1]
    cells(page, "Attention weights").nth(8).hover()  # row 3
    assert weights.evaluate(STRENGTHS)[0] == [text for place in (0, 3) for text in filled[place]]
    outputs = page.get_by_role("grid", name="Output vectors")
    faint_outputs = outputs.evaluate(STRENGTHS)[0]
    assert [text for text in faint_outputs if "." in text] == ["−0.59", "1.68", "−0.38", "1.44"]
    page.mouse.move(5, 5)
    assert weights.evaluate(STRENGTHS)[0] == faint


def test_a_projector_shows_the_column_in_hand_with_its_label_and_sum(open_page):
    page = open_page("columns")
    present(page)
    weights = page.get_by_role("grid", name="Attention weights")
    faint, full = weights.evaluate(STRENGTHS)
    assert [text for text in full if "." in text] == ["0.03", "0.21", "0.56", "0.21", "1.00"]
    assert faint.count("1.00") == 3
    cells(page, "Attention weights").nth(2).hover()  # row 1, column 3
    up = [text for text in weights.evaluate(STRENGTHS)[1] if "." in text]
    assert up.count("1.00") == 2
    assert len(up) == 10
