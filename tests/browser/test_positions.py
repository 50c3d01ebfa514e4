"""Positions: tokens put into another order, the lamp, a phone, a dark page, and what is refused."""

import re

from playwright.sync_api import Locator, Page, expect

from attnviz.text import words
from attnviz.ui.rooms.positions.trials import TRIALS

t, zh = words("en"), words("zh-Hant")


def chips(page: Page) -> Locator:
    return page.locator(".order button")


def metric(page: Page, label: str) -> Locator:
    """Find the number under a label."""
    shown = page.get_by_test_id("stMetric").filter(has_text=label)
    return shown.get_by_test_id("stMetricValue")


def reordered(page: Page, *order: str) -> None:
    expect(chips(page)).to_have_text(list(order))


def test_dragging_a_token_takes_its_output_along_until_positions_are_on(visit):
    tab = visit("/positions", link={"lang": "en", "panel": "shuffle"})
    page = tab.page
    reordered(page, "I1", "saw2", "a3", "saw4")
    first, last = chips(page).nth(0).bounding_box(), chips(page).nth(3).bounding_box()
    page.mouse.move(first["x"] + 30, first["y"] + 15)
    page.mouse.down()
    page.mouse.move(first["x"] + 60, first["y"] + 15)
    page.mouse.move(last["x"] + 30, last["y"] + 15, steps=6)
    page.mouse.up()
    reordered(page, "saw2", "a3", "saw4", "I1")
    expect(page).to_have_url(re.compile(r"\border=1%2C2%2C3%2C0"))
    expect(metric(page, t("shuffle.along"))).to_have_text(t("shuffle.of", count=4, n=4))
    expect(page.get_by_text(t("shuffle.equivariant"))).to_be_visible()
    box = page.get_by_role("combobox", name=t("drawer.positions"))
    box.click()
    page.get_by_role("option", name=t("position.sinusoidal"), exact=True).click()
    expect(metric(page, t("shuffle.along"))).to_have_text(t("shuffle.of", count=0, n=4))
    reason = t("puzzle.by_position", position=t("position.sinusoidal"))
    expect(page.get_by_text(t("shuffle.broken", reasons=reason))).to_be_visible()
    reordered(page, "saw2", "a3", "saw4", "I1")
    assert tab.wrong == []


def test_keys_and_the_button_shuffle_too_and_the_order_comes_back(visit):
    tab = visit("/positions", link={"lang": "en", "panel": "shuffle"})
    page = tab.page
    chips(page).nth(1).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("End")
    reordered(page, "I1", "a3", "saw4", "saw2")
    expect(page).to_have_url(re.compile(r"\border=0%2C2%2C3%2C1"))
    expect(chips(page).nth(3)).to_be_focused()
    expect(chips(page).nth(3)).to_have_attribute("aria-label", "saw2, place 4 of 4")
    page.get_by_role("button", name=t("shuffle.shuffle"), exact=True).click()
    expect(page).not_to_have_url(re.compile(r"\border=0%2C2%2C3%2C1"))
    expect(metric(page, t("shuffle.along"))).to_have_text(t("shuffle.of", count=4, n=4))
    page.get_by_role("button", name=t("shuffle.as_they_stood"), exact=True).click()
    reordered(page, "I1", "saw2", "a3", "saw4")
    expect(page).not_to_have_url(re.compile(r"\border="))
    assert tab.wrong == []


def test_the_lamp_goes_on_with_a_code_and_stays_off_with_more_heads(visit):
    tab = visit("/positions", link={"lang": "en"})
    page = tab.page
    lamp = page.locator(".st-key-lamp")
    expect(lamp.get_by_role("heading")).to_contain_text("b₂ = b₄")
    page.get_by_role("button", name=t("lamp.heads"), exact=True).click()
    expect(lamp).to_contain_text(t("lamp.did_nothing", tried=t("lamp.heads")))
    expect(lamp.get_by_role("heading")).to_contain_text("o₂ = o₄")
    page.get_by_role("button", name=t("position.sinusoidal"), exact=True).click()
    expect(lamp.get_by_role("heading")).to_contain_text("o₂ ≠ o₄")
    expect(page).to_have_url(re.compile(r"pos=sinusoidal"))
    expect(page.get_by_role("grid", name="ΔA′")).to_be_visible()
    page.get_by_role("button", name=t("position.sinusoidal"), exact=True).click()
    expect(lamp.get_by_role("heading")).to_contain_text("o₂ = o₄")
    assert tab.wrong == []


def test_each_trial_alone_says_what_it_does_on_a_dark_chinese_page(visit):
    tab = visit("/positions", link={"lang": "zh-Hant"}, scheme="dark", locale="zh-TW")
    page = tab.page
    page.get_by_text(zh("lamp.each")).click()
    table = page.get_by_role("table").filter(has_text=zh("lamp.tried"))
    expect(table.get_by_role("row")).to_have_count(1 + len(TRIALS))
    told = {
        row.get_by_role("cell").first.inner_text(): row.get_by_role("cell").last.inner_text()
        for row in table.get_by_role("row").all()[1:]
    }
    keeps = {name for name, verdict in told.items() if zh("lamp.keeps") in verdict}
    assert keeps == {zh("lamp.heads"), zh("lamp.matrices"), zh("lamp.scale")}
    assert zh("lamp.breaks") in told[zh("mask.causal")]
    assert zh("lamp.breaks") in told[zh("position.rotary")]
    assert tab.wrong == []


def test_rotary_with_an_odd_width_is_refused_in_a_sentence_and_nothing_is_lost(visit):
    link = {"lang": "en", "panel": "rotation", "dk": "3", "amount": "5"}
    tab = visit("/positions", link=link)
    page = tab.page
    page.get_by_role("button", name=t("rotation.on"), exact=True).click()
    said = page.get_by_role("alert").filter(has_text="d_k")
    expect(said).to_contain_text(t("error.positions.rotary_odd", d_k=3))
    expect(said).to_contain_text(t("check.kept"))
    expect(page).to_have_url(re.compile(r"\bdk=3\b.*|.*\bamount=5\b"))
    expect(page).not_to_have_url(re.compile("pos=rotary"))
    expect(page.get_by_text(t("rotation.odd", d_k=3))).to_be_visible()
    assert tab.wrong == []


def test_no_question_scrolls_a_phone_sideways(visit):
    for panel in ("lamp", "shuffle", "codes", "combining", "wrap"):
        link = {"lang": "zh-Hant", "panel": panel, "pos": "sinusoidal"}
        tab = visit("/positions", link=link, phone=True)
        assert tab.page.evaluate("document.querySelector('.stMain').scrollWidth") <= 390, panel
        assert tab.wrong == [], panel
        tab.page.close()
