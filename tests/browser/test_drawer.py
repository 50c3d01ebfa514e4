"""The drawer: a sentence of one's own, numbers typed and pasted, settings by keyboard."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from attnviz.text import words

t = words("en")

PASTE = """(input, text) => {
  const data = new DataTransfer();
  data.setData("text", text);
  const ways = { bubbles: true, composed: true, cancelable: true };
  return input.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, ...ways }));
}"""

HERO = ["1", "0", "2", "0", "1", "1", "1", "1", "0", "0", "1", "1"]


def type_sentence(tab, sentence: str) -> None:
    box = tab.drawer().get_by_role("textbox", name=t("drawer.sentence"), exact=True)
    box.fill(sentence)
    box.press("Enter")


def number(tab, row: str, column: int) -> Locator:
    """Find the input of one number of the token vectors."""
    name = t("grid.cell", row=row, column=column)
    return tab.page.get_by_role("textbox", name=name, exact=True)


def tab_to(page: Page, target: Locator, most: int = 60) -> None:
    """Press Tab until the target has the focus."""
    for _ in range(most):
        if target.evaluate("node => node === node.getRootNode().activeElement"):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"{target} cannot be reached with Tab")


@pytest.mark.parametrize(
    ("sentence", "tokens"),
    [
        ("the cat sat on the mat", ["the1", "cat2", "sat3", "on4", "the5", "mat6"]),
        ("他會開會", ["他1", "會2", "開3", "會4"]),
    ],
)
def test_a_typed_sentence_is_shown_token_by_token_equal_words_too(visit, sentence, tokens):
    tab = visit()
    type_sentence(tab, sentence)
    weights = tab.grid(t("see.weights_title"))
    expect(weights.locator("th.row")).to_have_text(tokens)
    expect(weights.locator("th.column")).to_have_text(tokens)
    expect(weights.locator(".cell")).to_have_count(len(tokens) ** 2)
    ticks = tab.page.locator(".st-key-figure-map-weights .xaxislayer-above .xtick")
    expect(ticks).to_have_count(len(tokens))
    rows = weights.get_by_role("row").all_inner_texts()
    twins = [place for place, token in enumerate(tokens) if token[:-1] in ("the", "會")]
    first, second = (rows[2 + place].split("\t")[1:] for place in twins)
    assert first[: len(tokens)] == second[: len(tokens)]  # the same word asks the same


def test_an_unreadable_number_keeps_the_picture_and_the_next_one_heals_it(visit):
    tab = visit()
    tab.drawer()
    cell = number(tab, "saw2", 1)
    cell.fill("abc")
    cell.press("Enter")
    said = t("error.number.cell_unreadable", row=2, column=1, text="abc")
    expect(tab.page.get_by_text(said).first).to_be_visible()
    expect(cell).to_have_value("abc")
    expect(cell).to_have_attribute("aria-invalid", "true")
    expect(tab.cells(t("see.inputs_title"))).to_have_text(HERO)
    cell.fill("5")
    cell.press("Enter")
    expect(tab.cells(t("see.inputs_title")).nth(3)).to_have_text("5")
    expect(tab.page.get_by_text(said)).to_have_count(0)
    expect(cell).to_have_attribute("aria-invalid", "false")
    expect(tab.page).to_have_url(re.compile("in="))


def test_full_width_signs_are_numbers(visit):
    tab = visit()
    tab.drawer()
    cell = number(tab, "saw2", 1)
    cell.fill("−１．５")
    cell.press("Enter")
    expect(tab.cells(t("see.inputs_title")).nth(3)).to_have_text("−1.50")
    expect(cell).to_have_value("−1.5")


def test_a_block_from_a_spreadsheet_is_pasted_where_the_cursor_is(visit):
    tab = visit()
    tab.drawer()
    number(tab, "a3", 2).evaluate(PASTE, "7\t8\n9\t−10\n")
    expect(tab.cells(t("see.inputs_title"))).to_have_text([*HERO[:7], "7", "8", "0", "9", "−10"])
    expect(tab.grid(t("see.weights_title")).locator("th.row").last).to_have_text("saw4")


def test_a_setting_is_changed_by_keyboard_alone(visit):
    tab = visit()
    page = tab.page
    tab_to(page, page.get_by_role("button", name=t("bar.own")))
    page.keyboard.press("Enter")
    attention = page.get_by_role("tab", name=t("drawer.attention"), exact=True)
    expect(attention).to_be_visible()
    tab_to(page, page.get_by_role("tab", name=t("drawer.input"), exact=True))
    page.keyboard.press("ArrowRight")
    expect(attention).to_have_attribute("aria-selected", "true")
    select = page.get_by_role("combobox", name=t("drawer.normalizer"))
    tab_to(page, select)
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("option", name=t("normalizer.sparsemax"))).to_be_visible()
    page.keyboard.type("sparsemax")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("norm=sparsemax"))
    expect(tab.cells(t("see.weights_title")).nth(6)).to_have_text("1.00")
    expect(select).to_be_focused()


def test_the_slider_of_heads_adds_heads_and_their_choice(visit):
    tab = visit()
    tab.drawer()
    tab.page.get_by_role("tab", name=t("drawer.attention"), exact=True).click()
    slider = tab.page.locator(".st-key-control-n_heads input[type=range]")
    slider.focus()
    slider.press("ArrowRight")
    expect(tab.page).to_have_url(re.compile("heads=2"))
    for head in (1, 2):
        expect(tab.page.get_by_role("radio", name=t("head.number", number=head))).to_be_attached()
    expect(tab.grid(t("head.number", number=2))).to_be_visible()  # beside W^O
