from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from attnviz.components.painter import _mask, _turned


def cell(page: Page, row: int, column: int):
    return page.get_by_role("grid", name="Mask").locator(".cell").nth(4 * row + column)


def hidden(page: Page) -> list[int]:
    cells = page.get_by_role("grid", name="Mask").locator(".cell").all()
    return [at for at, each in enumerate(cells) if each.get_attribute("aria-selected") == "false"]


def middle(page: Page, row: int, column: int) -> tuple[float, float]:
    box = cell(page, row, column).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_click_paints_a_cell_and_another_takes_it_back(open_page):
    page = open_page("painter")
    expect(cell(page, 0, 2)).to_have_attribute("aria-label", "1 I may see 3 a")
    cell(page, 0, 2).click()
    expect(page.get_by_text("heard: 1101/1111/1111/1111", exact=True)).to_be_visible()
    expect(cell(page, 0, 2)).to_have_attribute("aria-label", "1 I may not see 3 a")
    cell(page, 0, 2).click()
    expect(page.get_by_text("1101/1111/1111/1111, 1111/1111/1111/1111")).to_be_visible()
    assert hidden(page) == []


def test_a_drag_paints_what_it_crosses_and_is_sent_once(open_page):
    page = open_page("painter")
    before = len(page.sent)
    page.mouse.move(*middle(page, 0, 0))
    page.mouse.down()
    page.mouse.move(*middle(page, 0, 3))  # quickly: the cells between are not pointed at
    page.mouse.move(*middle(page, 2, 3))
    assert hidden(page) == [0, 1, 2, 3, 7, 11]
    assert len(page.sent) == before
    page.mouse.up()
    expect(page.get_by_text("heard: 0000/1110/1110/1111", exact=True)).to_be_visible()
    assert hidden(page) == [0, 1, 2, 3, 7, 11]


def test_the_keyboard_walks_toggles_and_holds_the_brush_down(open_page):
    page = open_page("painter")
    cell(page, 0, 0).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_text("heard: 1011/1111/1111/1111", exact=True)).to_be_visible()
    expect(cell(page, 0, 1)).to_be_focused()  # the focus outlived the rerun
    page.keyboard.press("ArrowDown")
    page.keyboard.down(" ")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.up(" ")
    expect(page.get_by_text("1011/1001/1101/1111")).to_be_visible()
    assert page.locator(".painter [tabindex='0']").count() == 1


def test_a_label_paints_its_whole_row_or_column(open_page):
    page = open_page("painter")
    page.get_by_role("rowheader", name="2 saw").click()
    expect(page.get_by_text("heard: 1111/0000/1111/1111", exact=True)).to_be_visible()
    page.get_by_role("columnheader", name="4 saw").click()
    expect(page.get_by_text(", 1111/0001/1111/1111")).to_be_visible()  # first it is filled
    page.get_by_role("columnheader", name="4 saw").click()
    expect(page.get_by_text(", 1110/0000/1110/1110")).to_be_visible()


def test_escape_takes_a_stroke_back_and_nothing_is_sent(open_page):
    page = open_page("painter")
    before = len(page.sent)
    page.mouse.move(*middle(page, 1, 1))
    page.mouse.down()
    page.mouse.move(*middle(page, 3, 3))
    assert hidden(page) == [5, 10, 15]
    page.keyboard.press("Escape")
    page.mouse.up()
    assert hidden(page) == []
    assert len(page.sent) == before


def test_quick_strokes_are_all_kept_however_slow_the_server_is(open_page):
    page = open_page("painter&slow=0.4")
    for column in range(4):
        cell(page, 0, column).click()
        page.wait_for_timeout(120)
    expect(page.get_by_text("0000/1111/1111/1111")).to_be_visible()
    page.wait_for_timeout(600)
    assert hidden(page) == [0, 1, 2, 3]


def test_a_finger_paints_too(open_page, browser, address):
    page = browser.new_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page.goto(f"{address}/?show=painter")
    page.get_by_text("heard:").wait_for()
    cell(page, 1, 2).tap()
    expect(page.get_by_text("heard: 1111/1101/1111/1111", exact=True)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.close()


def test_where_tokens_are_columns_the_mask_comes_back_as_it_was_given(open_page):
    page = open_page("painter&turned=1")
    cell(page, 0, 2).click()  # row 1, column 3 as drawn: token 3 asks token 1
    expect(page.get_by_text("heard: 1111/1111/0111/1111", exact=True)).to_be_visible()
    expect(page.get_by_role("columnheader", name="2 saw")).to_have_class("column held")


def test_many_cells_fit_a_phone(open_page):
    page = open_page("painter&n=30", width=390, height=844)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize(
    "value", [None, "11", ["11"], ["11", "1"], ["1x", "11"], [["1", "1"], "11"], {"0": "11"}]
)
def test_what_is_no_mask_of_this_size_is_not_believed(value):
    assert _mask(value, 2) is None


def test_a_mask_is_turned_and_turned_back():
    mask = ("110", "001", "111")
    assert _turned(mask) == ("101", "101", "011")
    assert _turned(_turned(mask)) == _mask(list(mask), 3) == mask
