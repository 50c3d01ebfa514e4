"""Heads on the built-in sentences, and readings behind W^O, as a person asks for them."""

import re

import pytest
from playwright.sync_api import expect

from attnviz.models.corpus import sentences_for
from attnviz.text import words
from tests.browser.test_models_questions import LONG, names, read

T = words("en")


def test_the_table_is_asked_of_the_sentences_by_the_keyboard(visit):
    tab = read(visit, link={"panel": "head_table"}, ready=".listing .open")
    count = names(tab).count()
    here = tab.page.get_by_role("radio", name=T("head_table.on.text"))
    here.focus()
    here.press("ArrowRight")
    tab.page.keyboard.press("Enter")
    n = len(sentences_for("default"))
    note = tab.page.get_by_text(T("head_table.note_sentences", n=n))
    expect(note).to_be_visible(timeout=LONG)
    expect(tab.page).to_have_url(re.compile("exp=sentences"))
    tab.settle()
    assert names(tab).count() == count
    cells = tab.page.locator(".listing tbody td").all_inner_texts()
    assert sum("±" in cell for cell in cells) > count
    tab.page.get_by_role("button", name=T("head_table.on.read", n=n)).click()
    expect(tab.page.get_by_text(sentences_for("default")[2])).to_be_visible()
    assert not tab.wrong
    assert not tab.outside


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_means_and_readings_fit_a_phone_in_chinese(visit, scheme):
    links = {
        "light": {"panel": "head_table", "exp": "sentences"},
        "dark": {"panel": "readings", "reading": "norm"},
    }
    ready = {"light": ".listing .open", "dark": ".heat canvas"}[scheme]
    tab = read(visit, locale="zh-TW", scheme=scheme, phone=True, link=links[scheme], ready=ready)
    t = words("zh-Hant")
    n = len(sentences_for("default"))
    said = {
        "light": t("head_table.note_sentences", n=n),
        "dark": t("readings.claim.norm").split("：")[0],
    }
    expect(tab.page.get_by_text(said[scheme]).first).to_be_visible(timeout=LONG)
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert not tab.wrong
    assert not tab.outside


def test_a_norm_based_reading_is_chosen_and_stays_in_the_link(visit):
    tab = read(visit, link={"panel": "readings"}, ready=".heat canvas")
    tab.page.get_by_role("radio", name=T("readings.norm"), exact=True).click()
    expect(tab.page.get_by_text(T("readings.claim.norm")[:60])).to_be_visible(timeout=LONG)
    expect(tab.page).to_have_url(re.compile("reading=norm"))
    tab.settle()
    expect(tab.page.locator(".heat canvas").first).to_be_visible()
    assert not tab.wrong
