"""The page Heads as a person uses it: design a head, leave one out, compare the wirings."""

import re

from playwright.sync_api import Locator, expect

from attnviz.text import words

t, zh = words("en"), words("zh-Hant")
TWO = {"ex": "two_heads", "pos": "example"}


def number(tab, matrix: int, row: str, column: int) -> Locator:
    """Find a number of W^q (0) or W^k (1)."""
    name = t("grid.cell", row=row, column=column)
    return tab.page.get_by_role("textbox", name=name, exact=True).nth(matrix)


def sideways(tab) -> int:
    """Give by how many pixels the page can be scrolled sideways."""
    return tab.page.evaluate(
        "() => document.querySelector('.stMain').scrollWidth - document.documentElement.clientWidth"
    )


def test_a_person_designs_a_head_that_looks_back(visit):
    tab = visit("/heads", link={"lang": "en", "panel": "challenge"})
    page = tab.page
    page.get_by_role("button", name=t("challenge.start"), exact=True).click()
    expect(number(tab, 0, t("challenge.feature.one"), 1)).to_be_visible()
    across, up = t("challenge.feature.place_across"), t("challenge.feature.place_up")
    for matrix, row, column, typed in (
        (1, across, 1, "1"),
        (1, up, 2, "1"),
        (0, up, 1, "abc"),
        (0, across, 2, "−9"),
    ):
        cell = number(tab, matrix, row, column)
        cell.fill(typed)
        cell.press("Enter")
        tab.settle()
    wrong = number(tab, 0, up, 1)
    expect(wrong).to_have_attribute("aria-invalid", "true")
    expect(wrong).to_have_value("abc")
    wrong.fill("9")
    wrong.press("Enter")
    solved = t("challenge.solved", distance="0.00", solved="0.10")
    expect(page.get_by_text(solved).first).to_be_visible()
    map_ = tab.cells(t("challenge.own"))
    expect(map_.nth(4)).to_have_text("1.00")  # row 2 looks at token 1
    was = map_.all_inner_texts()
    page.get_by_role("button", name=t("challenge.gauge_button"), exact=True).click()
    expect(number(tab, 1, across, 1)).to_have_value("1")
    expect(number(tab, 1, across, 2)).to_have_value("0")
    expect(number(tab, 0, up, 2)).to_have_value("9")  # W^q changed, the map did not
    assert map_.all_inner_texts() == was
    expect(page.get_by_text(solved).first).to_be_visible()
    page.reload()
    expect(page.get_by_text(solved).first).to_be_visible()
    assert tab.wrong == []


def test_a_head_is_left_out_and_the_other_stays(visit):
    tab = visit("/heads", link={"lang": "en", "panel": "joining", **TWO})
    page = tab.page
    expect(tab.cells(t("joining.adds", head=1))).to_have_count(20)
    kept = tab.cells(t("joining.adds", head=1)).all_inner_texts()
    leave = page.get_by_role("button", name=t("head.number", number=2), exact=True)
    leave.last.click()
    expect(page).to_have_url(re.compile(r"\bdrop=1\b"))
    expect(page.get_by_text(t("joining.others", difference="0"))).to_be_visible()
    gone = tab.cells(t("joining.dropped_head", head=2))
    expect(gone.first).to_have_text("0")
    expect(tab.cells(t("joining.adds", head=1))).to_have_text(kept)
    assert tab.wrong == []


def test_the_last_two_wirings_differ_by_0_by_keyboard(visit):
    tab = visit("/heads", link={"lang": "en", "panel": "wirings", **TWO})
    page = tab.page
    same = t("wirings.apart", how=t("wirings.split"), maps="0", outputs="0")
    expect(page.get_by_text(same)).to_be_visible()
    page.get_by_role("radio", name=t("wirings.separate"), exact=True).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"\bwiring=split\b"))
    gap = tab.cells(t("wirings.gap", head=2))
    expect(gap).to_have_count(16)
    assert set(gap.all_inner_texts()) == {"0"}
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"\bwiring=slice\b"))
    expect(page.get_by_text(t("wirings.values_lost"))).to_be_visible()
    assert tab.wrong == []


def test_the_two_head_example_is_one_click_away_in_chinese_and_in_the_dark(visit):
    tab = visit("/heads", link={"lang": "zh-Hant"}, locale="zh-TW", scheme="dark")
    page = tab.page
    page.get_by_role("button", name=zh("stage.take"), exact=True).click()
    second = tab.cells(zh("head.number", number=2)).first
    expect(second).to_be_visible()
    page.get_by_role("radio", name=zh("panel.two_saws"), exact=True).click()
    expect(page.get_by_text(zh("two_saws.kind.pronoun")).first).to_be_visible()
    page.get_by_role("radio", name=zh("two_saws.none"), exact=True).click()
    equal = zh("two_saws.equal", first=2, second=4)
    expect(page.get_by_text(equal)).to_be_visible()
    page.reload()
    expect(page.get_by_text(equal)).to_be_visible()
    assert tab.wrong == []


def test_every_question_fits_a_phone(visit):
    for panel in ("every_head", "two_saws", "joining", "sharing", "challenge"):
        tab = visit("/heads", link={"lang": "zh-Hant", "panel": panel, **TWO}, phone=True)
        expect(tab.page.get_by_role("heading").first).to_be_visible()
        assert sideways(tab) <= 0, panel
        assert tab.wrong == []
    tab = visit("/heads", link={"lang": "zh-Hant", "panel": "head_count"}, phone=True)
    expect(tab.page.locator(".st-key-counts table")).to_be_visible()
    assert sideways(tab) <= 0


def test_the_first_answer_is_above_the_fold(visit):
    tab = visit("/heads", link={"lang": "en", **TWO})
    for head in (1, 2):
        box = tab.grid(t("head.number", number=head)).first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] < 720
