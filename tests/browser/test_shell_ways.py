"""Ways around: the steps, the browser's Back, links, undo, drafts, guesses, notation."""

import re
from urllib.parse import parse_qs, urlsplit

import numpy as np
from playwright.sync_api import Locator, expect

from attnviz.text import words

t = words("en")

PASTE = """(input, text) => {
  const data = new DataTransfer();
  data.setData("text", text);
  const ways = { bubbles: true, composed: true, cancelable: true };
  return input.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, ...ways }));
}"""


def number(tab, row: str, column: int) -> Locator:
    name = t("grid.cell", row=row, column=column)
    return tab.page.get_by_role("textbox", name=name, exact=True)


def shared(tab) -> list[str]:
    """Open what can be shared; give the link and the snippet."""
    tab.page.get_by_role("button", name=t("bar.share"), exact=True).click()
    body = tab.page.get_by_test_id("stPopoverBody")
    expect(body.locator("code")).to_have_count(2)
    return [code.strip() for code in body.locator("code").all_inner_texts()]


def test_the_steps_are_one_click_away_and_their_link_opens_them(visit):
    tab = visit(link={"lang": "en", "q": "2"})
    page = tab.page
    page.get_by_role("button", name=t("bar.steps"), exact=True).click()
    expect(page.locator(".st-key-step .st-key-step-query")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/steps\?.*\bq=2\b"))
    link, snippet = shared(tab)
    assert urlsplit(link).path == "/steps"
    assert parse_qs(urlsplit(link).query) == {"lang": ["en"], "q": ["2"]}
    assert "embed=true" in snippet
    drawn = page.get_by_test_id("stPopoverBody").locator("img")
    expect(drawn).to_be_visible()
    assert drawn.evaluate("image => image.complete && image.naturalWidth > 50")
    again = visit(urlsplit(link).path, link={"lang": "en", "q": "2"})
    expect(again.page.locator(".st-key-step .st-key-step-query")).to_be_visible()
    assert tab.wrong + again.wrong == []


def test_back_returns_to_what_was_there_before(visit):
    tab = visit(link={"lang": "en"})
    page = tab.page
    was = tab.readout().inner_text()
    page.get_by_role("button", name="a3").click()
    expect(page).to_have_url(re.compile(r"\bq=2\b"))
    page.get_by_role("button", name="I1").click()
    expect(page).to_have_url(re.compile(r"\bq=0\b"))
    page.go_back()
    expect(page.get_by_role("button", name="a3")).to_have_attribute("aria-pressed", "true")
    page.go_back()
    expect(page.get_by_role("button", name="saw2")).to_have_attribute("aria-pressed", "true")
    expect(page).not_to_have_url(re.compile(r"\bq="))
    page.mouse.move(1, 1)
    expect(tab.readout()).to_have_text(was)


def test_one_step_back_returns_to_the_page_before_with_its_settings(visit):
    tab = visit(link={"lang": "en"})
    page = tab.page
    page.get_by_role("button", name="a3").click()
    expect(page).to_have_url(re.compile(r"\bq=2\b"))
    page.get_by_role("link", name=t("nav.steps"), exact=True).click()
    expect(page).to_have_url(re.compile(r"/steps\?.*\bq=2\b"))
    expect(page.get_by_role("button", name="a3")).to_have_attribute("aria-pressed", "true")
    tab.settle()
    page.get_by_role("button", name="I1").click()
    expect(page).to_have_url(re.compile(r"/steps\?.*\bq=0\b"))
    page.go_back()
    expect(page).to_have_url(re.compile(r"/steps\?.*\bq=2\b"))
    expect(page.get_by_role("button", name="a3")).to_have_attribute("aria-pressed", "true")
    page.go_back()
    expect(page).to_have_url(re.compile(r"/\?lang=en&q=2$"))
    expect(tab.grid(t("see.weights_title"))).to_be_visible()
    expect(page.get_by_role("button", name="a3")).to_have_attribute("aria-pressed", "true")
    page.go_forward()
    expect(page.locator(".st-key-step .st-key-step-query")).to_be_visible()
    expect(page.get_by_role("button", name="a3")).to_have_attribute("aria-pressed", "true")
    assert tab.wrong == []


def test_the_other_notation_is_a_click_away_and_stays_in_the_link(visit):
    tab = visit(link={"lang": "en"})
    page = tab.page
    rows = tab.cells(t("see.weights_title")).all_inner_texts()
    page.get_by_role("radio", name=t("notation.column"), exact=True).click()
    badge = page.locator(".stMarkdownBadge").filter(has_text=t("notation.same")).first
    expect(badge).to_be_visible()
    expect(page).to_have_url(re.compile("notation=column"))
    turned = np.array(rows).reshape(4, 4).T.ravel().tolist()
    expect(tab.cells(t("see.weights_title"))).to_have_text(turned)
    tab.cells(t("see.weights_title")).nth(1).click()  # row 1, column 2: token 2 asks token 1
    story = page.locator(".st-key-ancestry")
    expect(story).to_contain_text("α₂,₁ = ")
    expect(page).to_have_url(re.compile(r"key=0\b"))
    page.reload()
    expect(tab.cells(t("see.weights_title"))).to_have_text(turned)
    expect(page.get_by_role("radio", name=t("notation.column"), exact=True)).to_be_checked()
    assert tab.wrong == []


def test_the_code_is_opened_beside_the_panel(visit):
    tab = visit(link={"lang": "en"})
    page = tab.page
    page.get_by_role("button", name=t("tools.code"), exact=True).first.click()
    body = page.get_by_test_id("stPopoverBody")
    expect(body.locator("code").first).to_contain_text("import numpy as np")
    body.get_by_role("tab", name="attnviz", exact=True).click()
    expect(body.locator("code").last).to_be_visible()
    expect(body.locator("code").last).to_contain_text("attnviz.attend_heads")


def test_wrong_numbers_stay_until_each_is_healed_and_a_refused_block_is_shown(visit):
    tab = visit(link={"lang": "en"})
    tab.drawer()
    sidebar = tab.page.get_by_test_id("stSidebar")
    one, two = number(tab, "saw2", 1), number(tab, "a3", 2)
    for cell, text in ((one, "abc"), (two, "x y")):
        cell.fill(text)
        cell.press("Enter")
        expect(cell).to_have_attribute("aria-invalid", "true")
    expect(one).to_have_value("abc")
    expect(two).to_have_value("x y")
    first = t("error.number.cell_unreadable", row=2, column=1, text="abc")
    second = t("error.number.cell_unreadable", row=3, column=2, text="x y")
    one.focus()
    expect(sidebar.get_by_text(first).first).to_be_visible()
    two.focus()
    expect(sidebar.get_by_text(second).first).to_be_visible()
    two.fill("7")
    two.press("Enter")
    expect(two).to_have_attribute("aria-invalid", "false")
    expect(tab.cells(t("see.inputs_title")).nth(7)).to_have_text("7")
    expect(one).to_have_value("abc")
    expect(one).to_have_attribute("aria-invalid", "true")
    expect(sidebar.get_by_text(first).first).to_be_visible()
    number(tab, "I1", 1).evaluate(PASTE, "1\t2\n3\tnine\n")
    expect(sidebar.locator("code").first).to_contain_text("nine")
    expect(sidebar.get_by_text("nine").first).to_be_visible()
    expect(tab.cells(t("see.inputs_title")).nth(0)).to_have_text("1")
    expect(one).to_have_value("abc")


def test_a_guess_comes_before_the_step(visit):
    tab = visit("/steps", link={"lang": "en", "predict": "1", "step": "weights"})
    page = tab.page
    step = page.locator(".st-key-step-weights")
    expect(step.get_by_text(t("predict.weights", place=2))).to_be_visible()
    expect(step.locator(".js-plotly-plot")).to_have_count(0)
    slider = step.locator("input[type=range]")
    slider.focus()
    slider.press("ArrowRight")
    step.get_by_role("button", name=t("predict.reveal")).click()
    said = t("predict.compare", guess="0.51", truth="0.56", off="0.05")
    expect(step.get_by_text(said).first).to_be_visible()
    expect(step.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    step.get_by_role("button", name=t("predict.again")).click()
    expect(step.locator(".js-plotly-plot")).to_have_count(0)
    expect(step.get_by_role("button", name=t("predict.reveal"))).to_be_visible()


def test_long_input_survives_a_reload_and_is_offered_as_a_file(visit):
    numbers = np.random.default_rng(1).uniform(0, 1, (64, 16)).round(12)
    typed = ";".join(",".join(f"{number:.12f}" for number in row) for row in numbers)
    tab = visit(link={"lang": "en", "digits": "4", "in": typed})
    page = tab.page
    label = tab.grid(t("see.inputs_title")).get_attribute("aria-label")
    assert "64 × 16" in label
    was = tab.cells(t("see.inputs_title")).all_inner_texts()
    page.reload()
    page.locator(".readout").first.wait_for()
    tab.settle()
    assert tab.cells(t("see.inputs_title")).all_inner_texts() == was
    page.get_by_role("button", name=t("bar.share"), exact=True).click()
    said = page.get_by_test_id("stPopoverBody").get_by_role("alert")
    expect(said).to_contain_text(t("share.too_long", n_characters="#", most=8000).split("#")[0])
    page.keyboard.press("Escape")
    page.get_by_role("button", name=t("bar.download"), exact=True).click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name=t("download.zip"), exact=True).click()
    assert waiting.value.suggested_filename == "attnviz.zip"
    assert tab.wrong == []
