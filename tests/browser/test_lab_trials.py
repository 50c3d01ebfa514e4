"""Four questions of the Lab as a person meets them: painting, sliding, drawing again."""

import re

from playwright.sync_api import Locator, Page, expect

from attnviz.text import words
from tests.browser.test_shell_present import SIDEWAYS

t, zh = words("en"), words("zh-Hant")


def mask(page: Page, label: str = t("painter.label")) -> Locator:
    return page.get_by_role("grid", name=label).locator(".cell")


def middle(cell: Locator) -> tuple[float, float]:
    box = cell.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def leaks(tab, title: str = t("painter.zero_title")) -> Locator:
    return tab.grid(title).locator("tbody .sum")


def test_a_mask_is_painted_by_click_and_drag_and_the_leak_is_shown(visit):
    tab = visit("/lab", link={"lang": "en", "panel": "painter", "q": "0"})
    page = tab.page
    expect(page.get_by_text("Nobody is hidden")).to_be_visible()
    mask(page).nth(1).click()
    expect(page).to_have_url(re.compile(r"mask=custom.*cells=1011\.1111\.1111\.1111"))
    page.mouse.move(*middle(mask(page).nth(2)))
    page.mouse.down()
    page.mouse.move(*middle(mask(page).nth(3)), steps=3)
    page.mouse.up()
    expect(leaks(tab)).to_have_text(["98.4 %", "0 %", "0 %", "0 %"])
    expect(page.get_by_text("3 ÷ (0.05 + 3) = 98.4 %")).to_be_visible()
    page.get_by_role("radio", name=t("painter.causal"), exact=True).click()
    expect(page).to_have_url(re.compile("mask=causal"))
    expect(leaks(tab)).to_have_text(["98.4 %", "63.8 %", "1.2 %", "0 %"])
    sums = tab.grid(t("painter.after_title")).locator("tbody .sum")
    expect(sums).to_have_text(["0.04", "0.23", "0.92", "1"])
    expect(mask(page).nth(3)).to_have_attribute("aria-selected", "false")
    assert tab.wrong == []


def test_a_mask_is_painted_by_keyboard_where_tokens_are_columns(visit):
    tab = visit("/lab", link={"lang": "en", "panel": "painter", "notation": "column"})
    page = tab.page
    mask(page).first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.down(" ")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.up(" ")
    expect(page).to_have_url(re.compile(r"cells=1000\.1111\.1111\.1111"))
    expect(mask(page).nth(12)).to_be_focused()
    expect(mask(page).nth(12)).to_have_attribute("aria-label", re.compile("I.*may not see saw"))
    expect(page.get_by_text("column 1 (I) gives 98.4 %")).to_be_visible()


def test_the_mask_is_painted_with_a_finger_on_a_dark_phone_in_chinese(visit):
    link = {"lang": "zh-Hant", "panel": "painter", "mask": "causal", "q": "0"}
    tab = visit("/lab", link=link, scheme="dark", phone=True)
    page = tab.page
    expect(leaks(tab, zh("painter.zero_title")).first).to_have_text("98.4 %")
    mask(page, zh("painter.label")).nth(1).tap()
    expect(page).to_have_url(re.compile(r"cells=1100\.1100\.1110\.1111"))
    expect(leaks(tab, zh("painter.zero_title")).first).not_to_have_text("98.4 %")
    assert page.evaluate(SIDEWAYS) == [0, 0]
    assert tab.wrong == []


def test_one_temperature_moves_the_map_and_the_other_does_not(visit):
    tab = visit("/lab", link={"lang": "en", "panel": "temperatures"})
    page, map_ = tab.page, tab.cells(t("see.weights_title"))
    expect(map_).to_have_count(16)
    before = map_.all_inner_texts()
    sampling = page.locator(".st-key-temperatures-sampling input[type=range]")
    sampling.focus()
    sampling.press("ArrowLeft")
    expect(page).to_have_url(re.compile("amount=0.75"))
    bars = page.locator(".st-key-figure-lots .bartext")
    expect(bars).to_have_text(["0.25", "0.69", "0.06"])
    assert map_.all_inner_texts() == before
    attention = page.locator(".st-key-temperatures-attention input[type=range]")
    attention.focus()
    attention.press("Home")
    expect(page).to_have_url(re.compile("temp=0"))
    expect(map_.nth(6)).to_have_text("1.00")
    expect(page).to_have_url(re.compile("amount=0.75"))
    assert tab.wrong == []


def test_a_width_is_chosen_by_slider_and_by_its_row(visit):
    tab = visit("/lab", link={"lang": "en", "panel": "scaling"}, phone=True)
    page = tab.page
    slider = page.locator(".st-key-scaling-width input[type=range]")
    slider.focus()
    slider.press("End")
    expect(page).to_have_url(re.compile("amount=512"))
    expect(page.get_by_text(t("scaling.row_title", d=512, n_keys=10))).to_be_visible()
    table = tab.grid(t("scaling.unscaled_title"))
    table.get_by_role("rowheader", name="64", exact=True).click()
    expect(page).to_have_url(re.compile("amount=64"))
    expect(slider).to_have_value("4")
    assert page.evaluate(SIDEWAYS) == [0, 0]
    assert tab.wrong == []


def test_dropout_is_drawn_again_and_a_share_of_1_is_refused(visit):
    tab = visit("/lab", link={"lang": "en", "panel": "dropout"})
    page = tab.page
    after = tab.cells(t("dropout.after_title"))
    expect(after).to_have_count(16)
    before = after.all_inner_texts()
    page.get_by_role("button", name=t("dropout.again")).click()
    expect(page).to_have_url(re.compile("draw=1"))
    expect(page.get_by_text(t("dropout.draw", draw=2), exact=True)).to_be_visible()
    tab.settle()
    assert after.all_inner_texts() != before
    box = page.get_by_role("spinbutton", name=t("dropout.share"))
    box.fill("1")
    box.press("Enter")
    expect(page.get_by_text("must be at least 0 and below 1; it is 1")).to_be_visible()
    expect(page).not_to_have_url(re.compile("amount="))
    box.fill("0.5")
    box.press("Enter")
    expect(page).to_have_url(re.compile("amount=0.5"))
    expect(tab.cells(t("dropout.factors_title", share="0.5")).nth(4)).to_have_text("2.00")
    assert tab.wrong == []
