"""All heads of a model at once: however many layers, the one in hand is in sight."""

import pytest
from playwright.sync_api import Locator, Page, expect

TALLEST = 340


def stage(page: Page) -> Locator:
    return page.locator(".heads .stage")


def inside(page: Page) -> list[int]:
    """Give how high the picture is, how much of it the box shows, and how far it is scrolled."""
    return stage(page).evaluate("box => [box.scrollHeight, box.clientHeight, box.scrollTop]")


@pytest.mark.parametrize("n_layers", [6, 12, 24, 30])
def test_every_layer_is_seen_without_scrolling(open_page, n_layers):
    page = open_page(f"heads&n={n_layers}")
    high, shown, _ = inside(page)
    assert high <= shown <= TALLEST + 2
    assert stage(page).evaluate("box => box.scrollWidth <= box.clientWidth")


def test_a_higher_window_has_larger_maps(open_page):
    low, high = (inside(open_page("heads", height=height))[0] for height in (720, 1000))
    assert low < high <= TALLEST + 280 + 2


def test_where_there_are_too_many_the_box_scrolls_to_the_head_in_hand(open_page):
    page = open_page("heads", width=390)
    high, shown, scrolled = inside(page)
    assert shown < high
    top = 22 + 18 * (high - 22) / 30  # layer 18 of 30, under the numbers of the heads
    assert scrolled < top < scrolled + shown


def test_the_banks_are_one_picture_for_the_pointer_and_the_keys(open_page):
    page = open_page("heads")
    over = page.locator(".heads .over")
    box = over.bounding_box()
    over.hover(position={"x": box["width"] - 8, "y": box["height"] - 10})
    expect(page.locator(".heads .readout")).to_have_text("head 29.8")
    over.hover(position={"x": 40, "y": 30})
    expect(page.locator(".heads .readout")).to_have_text("head 0.0")
    page.mouse.move(0, 0)
    over.focus()
    for key in ("ArrowDown", "ArrowRight"):
        over.press(key)
    expect(page.locator(".heads .readout")).to_have_text("head 19.7")
    over.press("Enter")
    page.get_by_text("heard: 19.7").wait_for()
