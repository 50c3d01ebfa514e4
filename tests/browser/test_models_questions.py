"""The questions about heads as a person asks them: sort, choose, open."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from attnviz.text import words
from tests.browser.conftest import Visit, Visitor

T = words("en")
TEXT = "the cat sat. the cat sat."
LONG = 120_000  # milliseconds until a model has been loaded on a busy machine


def read(visit: Visitor, **how) -> Visit:
    """Open a text, and wait until the model has read it."""
    link = {"t": TEXT, "lh": "0.1", **how.pop("link", {})}

    def patient(page: Page) -> None:
        page.set_default_timeout(LONG)

    ready = how.pop("ready", ".st-key-question :is(.root, .js-plotly-plot)")
    tab = visit("/models", link=link, before=patient, ready=ready, **how)
    tab.settle()
    return tab


def shares(tab: Visit, column: int) -> list[float]:
    cells = tab.page.locator(f".listing tbody tr td:nth-child({column})").all_inner_texts()
    return [float(text) for text in cells if re.fullmatch(r"[\d.]+", text)]


def names(tab: Visit) -> Locator:
    return tab.page.locator(".listing .open")


def test_heads_are_listed_sorted_and_opened(visit):
    tab = read(visit)
    tab.page.get_by_role("radio", name=T("group.compare"), exact=True).click()
    names(tab).first.wait_for()
    tab.settle()
    expect(tab.page).to_have_url(re.compile("panel=head_table"))
    sort = tab.page.get_by_role("button", name=T("head_table.sort", column=T("measure.self_share")))
    sort.click()
    down = shares(tab, 8)
    assert down == sorted(down, reverse=True)
    expect(tab.page).to_have_url(re.compile("sort=self_share(&|$)"))
    tab.settle()
    sort.click()
    expect(tab.page).to_have_url(re.compile("sort=self_share_up"))
    tab.settle()
    assert shares(tab, 8) == sorted(down)
    names(tab).first.focus()
    names(tab).first.press("ArrowDown")
    chosen = names(tab).nth(1).inner_text()
    names(tab).nth(1).press("Enter")
    layer, head = chosen.split(".")
    expect(names(tab).nth(1)).to_have_attribute("aria-pressed", "true")
    tab.page.get_by_role("radio", name=T("group.look"), exact=True).click()
    expect(tab.page.locator(".lines .head")).to_have_text(
        T("models.head_name", layer=layer, head=head)
    )
    assert not tab.wrong
    assert not tab.outside


def test_hidden_special_tokens_leave_the_map(visit):
    tab = read(visit, link={"panel": "hidden"}, ready=".stMultiSelect")
    button = tab.page.get_by_role("button", name=T("hidden.special"))
    button.wait_for()
    if button.is_disabled():  # a model that reads letter by letter has none
        assert not [
            label for label in tab.page.locator(".token.key").all_inner_texts() if "[" in label
        ]
        return
    button.click()
    expect(tab.page).to_have_url(re.compile("hide=0"))
    tab.settle()
    tab.page.get_by_role("radio", name=T("group.look"), exact=True).click()
    tab.page.get_by_role("radio", name=T("panel.map"), exact=True).click()
    expect(tab.page.locator(".stMarkdownBadge").filter(has_text="%").first).to_be_visible()
    assert not tab.wrong


@pytest.mark.parametrize(
    ("panel", "scheme", "phone"),
    [("why", "dark", False), ("head_table", "light", True), ("similar", "dark", True)],
)
def test_questions_in_chinese_fit_their_screen(visit, panel, scheme, phone):
    tab = read(visit, locale="zh-TW", scheme=scheme, phone=phone, link={"panel": panel})
    expect(tab.page.get_by_text(words("zh-Hant")(f"fold.{panel}"))).to_be_visible()
    expect(tab.page.get_by_test_id("stCaptionContainer").last).to_be_visible()
    width = tab.page.evaluate("document.documentElement.scrollWidth")
    assert width <= (390 if phone else 1280)
    assert not tab.wrong
    assert not tab.outside
