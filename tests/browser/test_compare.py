"""The page Compare as a person meets it: pixels that ask, sliders, pictures, other languages."""

import re

from playwright.sync_api import Locator, Page, expect

from attnviz.text import words
from tests.browser.test_shell_present import SIDEWAYS

t, zh = words("en"), words("zh-Hant")
READY = ".readout"


def cells(page: Page, label: str) -> Locator:
    return page.get_by_role("grid", name=label).locator(".cell")


def test_a_pixel_is_clicked_and_its_head_looks_from_there(visit):
    link = {"lang": "en", "panel": "convolution", "amount": "20"}
    tab = visit("/compare", link=link, ready=READY)
    page = tab.page
    expect(page.get_by_text("1.5×10⁻⁷").first).to_be_visible()
    picture = cells(page, t("convolution.picture"))
    expect(picture).to_have_count(50)
    picture.nth(13).click()
    expect(page).to_have_url(re.compile("key=13"))
    looks = cells(page, t("convolution.looks", head=1, arrow="↖"))
    expect(looks.nth(13)).to_have_attribute("aria-selected", "true")
    expect(looks.nth(2)).to_have_attribute("aria-label", re.compile("weight 1$"))
    looks.nth(2).hover()
    expect(page.locator(".readout").first).to_have_text("row 1, column 3: weight 1")
    page.get_by_text(t("convolution.ring"), exact=True).click()
    expect(page.get_by_text("Yes, everywhere")).to_be_visible()
    expect(cells(page, t("convolution.picture"))).to_have_count(84)
    assert tab.wrong == []


def test_pixels_are_walked_and_chosen_by_keyboard(visit):
    tab = visit("/compare", link={"lang": "en", "panel": "picture"}, ready=READY)
    page = tab.page
    picture = cells(page, t("picture.shown"))
    expect(picture.nth(24)).to_have_attribute("tabindex", "0")
    picture.nth(24).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    expect(picture.nth(15)).to_be_focused()
    expect(page.locator(".readout").first).to_have_text(re.compile("^row 2, column 6"))
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("key=15"))
    expect(picture.nth(15)).to_have_attribute("aria-selected", "true")
    expect(picture.nth(15)).to_be_focused()  # the focus outlived the rerun
    assert tab.wrong == []


def test_the_field_grows_with_the_layers_and_the_ends_are_linked(visit):
    tab = visit("/compare", link={"lang": "en", "panel": "receptive"}, ready=READY)
    page = tab.page
    expect(page.get_by_text("9 of 50", exact=True)).to_be_visible()
    slider = page.locator(".st-key-receptive-layers input[type=range]")
    slider.focus()
    slider.press("ArrowRight")
    expect(page).to_have_url(re.compile("amount=2"))
    expect(page.get_by_text("25 of 50", exact=True)).to_be_visible()
    expect(tab.cells(t("receptive.links", kernel=3)).nth(2)).to_have_text("63")
    assert tab.wrong == []


def test_a_picture_too_large_is_refused_in_chinese_on_a_dark_phone(visit, tmp_path):
    link = {"lang": "zh-Hant", "panel": "picture", "pic": "boat"}
    tab = visit("/compare", link=link, scheme="dark", phone=True, ready=READY)
    page = tab.page
    expect(page.get_by_text(zh("picture.question"))).to_be_visible()
    assert page.evaluate(SIDEWAYS) == [0, 0]
    page.get_by_role("button", name=zh("pictures.open")).click()
    wrong = tmp_path / "not.png"
    wrong.write_bytes(b"not a picture")
    page.locator("input[type=file]").set_input_files(wrong)
    expect(page.get_by_test_id("stAlert")).to_contain_text("not.png")
    expect(cells(page, zh("picture.shown"))).to_have_count(50)
    assert tab.wrong == []


def test_a_minute_of_speech_is_chosen_by_its_row(visit):
    tab = visit("/compare", link={"lang": "en", "panel": "speech"}, ready=READY)
    page = tab.page
    table = tab.grid(t("speech.table"))
    table.get_by_role("rowheader").last.click()
    expect(page).to_have_url(re.compile("amount=6000"))
    expect(page.get_by_text("125\u202f890").first).to_be_visible()
    slider = page.locator(".st-key-speech-radius input[type=range]")
    slider.focus()
    slider.press("ArrowRight")
    expect(page).to_have_url(re.compile("rung=20"))
    expect(page.get_by_text("245\u202f580").first).to_be_visible()
    assert tab.wrong == []


def test_a_longer_sequence_leaves_the_window_and_stops_the_whole_layer(visit):
    link = {"lang": "zh-Hant", "panel": "window_fc"}
    tab = visit("/compare", link=link, scheme="dark", locale="zh-TW", ready=READY)
    page = tab.page
    length = page.locator(".st-key-window_fc-length input[type=range]")
    length.focus()
    length.press("ArrowRight")
    expect(page).to_have_url(re.compile("amount=12"))
    page.get_by_role("radio", name=zh("window_fc.whole"), exact=True).click()
    expect(page.get_by_text(zh("error.window_fc.length", n=11, got=12))).to_be_visible()
    assert tab.wrong == []


def test_on_a_phone_the_question_that_is_shown_is_in_sight(visit):
    link = {"lang": "zh-Hant", "panel": "costs"}
    tab = visit("/compare", link=link, scheme="dark", phone=True, ready=".js-plotly-plot")
    costs, first = (
        tab.page.get_by_role("radio", name=zh(f"panel.{name}"), exact=True)
        for name in ("costs", "labelling")
    )
    expect(costs).to_be_in_viewport(ratio=1)
    expect(first).not_to_be_in_viewport()
    assert tab.page.evaluate(SIDEWAYS) == [0, 0]
    first.click()
    expect(first).to_have_attribute("aria-checked", "true")
    expect(first).to_be_in_viewport(ratio=1)
    assert tab.wrong == []


def test_the_label_of_a_word_comes_from_the_word_before(visit):
    tab = visit("/compare", link={"lang": "en", "panel": "labelling"}, phone=True, ready=READY)
    page = tab.page
    expect(tab.cells(t("labelling.strip"))).to_have_count(16)
    expect(tab.cells(t("labelling.strip")).nth(13)).to_have_text("verb")
    expect(tab.cells(t("labelling.strip")).nth(15)).to_have_text("noun")
    page.get_by_role("radio", name=t("labelling.frames"), exact=True).click()
    expect(tab.cells(t("labelling.strip"))).to_have_count(120)
    assert page.evaluate(SIDEWAYS) == [0, 0]
    assert tab.wrong == []
