from __future__ import annotations

from playwright.sync_api import Page, expect


def cell(page: Page, name: str):
    return page.get_by_role("textbox", name=name, exact=True)


def heard(page: Page, what: str):
    expect(page.get_by_text("heard: ")).to_have_text(f"heard: {what}")


PASTE = """(input, text) => {
  const data = new DataTransfer();
  data.setData("text", text);
  const ways = { bubbles: true, composed: true, cancelable: true };
  return input.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, ...ways }));
}"""


def test_a_typed_text_arrives_raw_on_enter_and_the_next_cell_is_in_hand(open_page):
    page = open_page("grid")
    cell(page, "1 I, 1").fill("－１２．５")
    page.keyboard.press("Enter")
    heard(page, "edit 0 0 '－１２．５'")
    expect(cell(page, "2 saw, 1")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(cell(page, "2 saw, 2")).to_be_focused()
    page.keyboard.press("Tab")
    expect(cell(page, "2 saw, 3")).to_be_focused()
    page.keyboard.type("7")
    page.keyboard.press("Escape")
    expect(cell(page, "2 saw, 3")).to_have_value("1")
    page.keyboard.press("Enter")
    heard(page, "edit 0 0 '－１２．５'")  # unchanged texts are not sent


def test_an_invalid_text_stays_and_says_why(open_page):
    page = open_page("grid")
    cell(page, "2 saw, 2").fill("abc")
    page.keyboard.press("Tab")
    wrong = cell(page, "2 saw, 2")
    expect(wrong).to_have_attribute("aria-invalid", "true")
    expect(wrong).to_have_value("abc")
    expect(wrong).to_have_attribute("title", "A number is needed here; got abc")
    expect(page.get_by_role("status")).to_have_text("A number is needed here; got abc")


def test_nothing_typed_is_lost_while_the_server_is_slow(open_page):
    page = open_page("grid&slow=0.3")
    for text in ("5", "6", "7"):
        page.keyboard.press("Tab") if text != "5" else cell(page, "1 I, 1").focus()
        page.keyboard.type(text)
    page.keyboard.press("Tab")
    page.keyboard.type("8")  # still being typed when the answers come
    heard(page, "edit 0 0 '5', edit 0 1 '6', edit 0 2 '7'")
    expect(cell(page, "2 saw, 1")).to_have_value("8")
    expect(cell(page, "1 I, 2")).to_have_value("6")
    page.keyboard.press("Enter")
    heard(page, "edit 0 0 '5', edit 0 1 '6', edit 0 2 '7', edit 1 0 '8'")


def test_a_block_is_pasted_raw_and_a_single_number_as_usual(open_page):
    page = open_page("grid")
    assert not cell(page, "2 saw, 2").evaluate(PASTE, "1\t２\n3\t−4\n")
    heard(page, "paste 1 1 '1\\t２\\n3\\t−4'")
    assert cell(page, "2 saw, 2").evaluate(PASTE, "1,234\r\n")


def test_rows_and_columns_come_and_go(open_page):
    page = open_page("grid")
    page.get_by_role("button", name="Add a column").click()
    expect(page.get_by_role("textbox")).to_have_count(12)
    page.get_by_role("button", name="Remove row 3 <b>a</b>").click()
    expect(page.get_by_role("textbox")).to_have_count(8)
    page.get_by_role("button", name="Remove row 2 saw").click()
    expect(page.get_by_role("button", name="Remove row 1 I")).to_be_disabled()
    heard(page, "add_column None, remove_row 2, remove_row 1")


def test_the_buttons_are_reached_with_the_arrow_keys(open_page):
    page = open_page("grid")
    cell(page, "2 saw, 3").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("button", name="Remove row 2 saw")).to_be_focused()
    page.keyboard.press("Enter")
    heard(page, "remove_row 1")
    cell(page, "2 saw, 2").focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name="Remove column 2")).to_be_focused()


def test_an_edit_and_the_button_pressed_after_it_arrive_in_order(open_page):
    page = open_page("grid&slow=0.2")
    cell(page, "3 <b>a</b>, 1").fill("9")
    page.get_by_role("button", name="Remove row 1 I").click()
    heard(page, "edit 2 0 '9', remove_row 0")
    expect(page.get_by_role("textbox").nth(3)).to_have_value("9")


def test_composing_letters_are_not_sent_until_they_are_done(open_page):
    page = open_page("grid")
    cell(page, "1 I, 1").focus()
    wire = page.context.new_cdp_session(page)
    wire.send("Input.imeSetComposition", {"text": "１", "selectionStart": 1, "selectionEnd": 1})
    page.locator("input:focus").dispatch_event(
        "keydown", {"key": "Enter", "isComposing": True, "bubbles": True}
    )
    expect(cell(page, "1 I, 1")).to_be_focused()
    heard(page, "")
    wire.send("Input.insertText", {"text": "１"})
    page.keyboard.press("Enter")
    heard(page, "edit 0 0 '１'")


def test_a_sidebar_scrolls_inside(open_page):
    page = open_page("grid&sidebar", width=390, height=844)
    page.get_by_role("textbox").first.wait_for(state="attached")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
