from __future__ import annotations

from playwright.sync_api import Page, expect

STYLES = (
    "[...document.head.querySelectorAll('style')]"
    ".filter((sheet) => sheet.textContent.includes('st-key-stage')).length"
)


def shown(page: Page) -> list[str]:
    return page.evaluate(
        "[...document.querySelectorAll('[class*=st-key-stage-]')]"
        ".filter((step) => step.checkVisibility({ visibilityProperty: true }))"
        ".map((step) => /st-key-stage-(\\w+)/.exec(step.className)[1])"
    )


def opened(open_page, show: str = "deck", **how) -> Page:
    page = open_page(show, **how)
    page.locator(".deck .place", has_text="/ 9").wait_for()
    page.locator(".js-plotly-plot").nth(1).wait_for(state="attached")
    return page


def test_keys_show_the_next_step_and_ask_the_server_nothing(open_page):
    page = opened(open_page)
    assert shown(page) == ["query"]
    height = page.locator(".st-key-stage").bounding_box()["height"]
    before = len(page.sent)
    for key, step in [
        ("ArrowRight", "key"),
        ("End", "all"),
        ("ArrowLeft", "sum"),
        ("Home", "query"),
    ]:
        page.keyboard.press(key)
        assert shown(page) == [step]
        assert page.locator(".st-key-stage").bounding_box()["height"] == height
    assert len(page.sent) == before


def test_a_step_is_reported_once_a_person_stays_on_it(open_page):
    page = opened(open_page)
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_text("heard: scale", exact=True)).to_be_visible()
    page.get_by_role("button", name="8 sum").click()
    page.get_by_role("slider").press("ArrowRight")
    expect(page.get_by_text("heard: scale, all", exact=True)).to_be_visible()
    assert shown(page) == ["all"]


def test_playing_runs_to_the_end_and_reports_only_there(open_page):
    page = opened(open_page, "deck&seconds=0.8&step=normalise")
    before = len(page.sent)
    page.keyboard.press(" ")
    expect(page.locator(".place")).to_have_text("8 / 9")
    assert len(page.sent) == before
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    assert shown(page) == ["all"]
    expect(page.get_by_text("heard: all", exact=True)).to_be_visible()


def test_moving_by_hand_pauses(open_page):
    page = opened(open_page, "deck&seconds=0.5")
    page.get_by_role("button", name="Play").click()
    page.get_by_role("button", name="Next step").click()
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    assert shown(page) == ["key"]


def test_a_chart_that_was_hidden_has_its_size(open_page):
    page = opened(open_page, "deck&step=query")
    page.get_by_role("button", name="6 normalise").click()
    chart, column = page.locator(".js-plotly-plot").nth(1), page.get_by_test_id("stColumn").nth(11)
    assert chart.bounding_box()["width"] == column.bounding_box()["width"]


def test_typing_moves_nothing_and_the_link_opens_its_step(open_page):
    page = opened(open_page, "deck&step=mask")
    page.get_by_label("note").press_sequentially("a b")
    page.get_by_label("note").press("ArrowLeft")
    assert shown(page) == ["mask"]


def test_the_style_goes_with_the_deck(open_page):
    page = opened(open_page)
    assert page.evaluate(STYLES) == 1
    page.get_by_text("gone").click()
    page.locator(".deck").wait_for(state="detached")
    assert page.evaluate(STYLES) == 0
    assert len(shown(page)) == 9


def test_a_narrow_page_does_not_scroll_sideways(open_page):
    page = opened(open_page, width=390, height=844)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
