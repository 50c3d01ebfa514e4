"""Links longer than anybody means: a sentence each, in the reader's language, and a way on."""

import pytest
from playwright.sync_api import expect

from attnviz.text import words
from attnviz.ui.long_links import LONGEST_READ


@pytest.mark.parametrize(
    ("locale", "scheme", "phone", "language"),
    [("en-US", "light", False, "en"), ("zh-TW", "dark", True, "zh-Hant")],
)
def test_a_link_of_a_megabyte_says_so_and_leads_into_the_app(
    visit, locale, scheme, phone, language
):
    t = words(language)
    tab = visit(locale=locale, scheme=scheme, phone=phone)
    page = tab.page
    numbers = tab.numbers()
    query = f"text={'a' * 1_000_000}"
    answer = page.goto(f"{tab.address}/?{query}")
    assert answer is not None
    assert answer.status == 414
    said = t("long_link.said", most=LONGEST_READ // 1024, got=len(query) // 1024)
    expect(page.locator("p").first).to_have_text(said)
    expect(page.locator("html")).to_have_attribute("lang", language)
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name=t("long_link.open"))).to_be_focused()
    page.keyboard.press("Enter")
    page.locator(".readout").first.wait_for()
    tab.settle()
    assert tab.numbers() == numbers


def test_a_value_too_long_for_any_setting_is_named_and_the_rest_is_read(visit):
    t = words("zh-Hant")
    tab = visit(link={"lang": "zh-Hant", "q": "2", "text": "a" * 400_000})
    named = f"{t('drawer.sentence')} (text)"
    expect(tab.page.get_by_role("alert")).to_contain_text(t("check.damaged", keys=named))
    expect(tab.page.locator(".chip[aria-pressed=true]")).to_contain_text("3")
    assert "text=" not in tab.page.url
    assert tab.wrong == []
