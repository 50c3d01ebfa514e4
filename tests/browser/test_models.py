"""Models as a person meets it: open a head, point at tokens, hold one, read the map."""

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attnviz.text import words
from tests.browser.conftest import Visit, Visitor

TEXT = "the cat sat. the cat sat."
LONG = 120_000  # milliseconds until a model has been loaded on a busy machine


def read(visit: Visitor, panel: str = "all_heads", **how) -> Visit:
    """Open a text, and wait until the model has read it."""
    link = {"t": TEXT, "lh": "0.1", "panel": panel, **how.pop("link", {})}

    def patient(page: Page) -> None:
        page.set_default_timeout(LONG)

    tab = visit("/models", link=link, before=patient, ready=".lines .token", **how)
    picture = {"all_heads": ".heads .over", "map": ".heat .over"}.get(panel, ".lines canvas")
    tab.page.locator(picture).wait_for()
    tab.settle()
    return tab


def choose(tab: Visit, *names: str) -> None:
    """Choose a group of questions, or a question."""
    for name in names:
        tab.page.get_by_role("radio", name=words("en")(name), exact=True).click()
        tab.settle()


def token(tab: Visit, side: str, place: int):
    return tab.page.locator(f".side .token.{side}").nth(place)


def test_pointing_and_holding_ask_the_server_nothing(visit):
    tab = read(visit)
    said, before = tab.page.locator(".lines .readout"), len(tab.frames)
    token(tab, "query", 3).hover()
    expect(said).to_contain_text("4")
    first = said.inner_text()
    token(tab, "key", 2).hover()
    expect(said).not_to_have_text(first)
    token(tab, "query", 3).click()
    expect(token(tab, "query", 3)).to_have_class(re.compile("locked"))
    token(tab, "query", 1).hover()
    expect(said).to_have_text(first)  # what is held stays
    token(tab, "query", 3).click()
    expect(token(tab, "query", 3)).not_to_have_class(re.compile("locked"))
    assert len(tab.frames) == before
    assert not tab.wrong


def test_what_is_held_is_in_the_address_and_opens_again(visit):
    tab = read(visit)
    token(tab, "query", 4).click()
    expect(tab.page).to_have_url(re.compile(r"[?&]q=4\b"))
    tab.page.reload()
    tab.page.locator(".lines .token").first.wait_for()
    expect(token(tab, "query", 4)).to_have_class(re.compile("locked"))


@pytest.mark.parametrize(("side", "place"), [("query", 1), ("key", 3)])
def test_who_is_held_and_on_which_side_comes_back_with_the_link(visit, side, place):
    tab = read(visit)
    token(tab, side, place).click()
    expect(tab.page).to_have_url(re.compile(rf"[?&]hold={side}\b"))
    choose(tab, "panel.lines")  # the server takes it over, and writes the address anew
    expect(token(tab, side, place)).to_have_class(re.compile("locked"))
    tab.page.reload()
    tab.page.locator(".lines .token").first.wait_for()
    expect(token(tab, side, place)).to_have_class(re.compile("locked"))


def test_lines_and_map_look_at_the_same_token(visit):
    tab = read(visit, "map")
    over = tab.page.locator(".heat .over")
    over.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight"):
        over.press(key)
    expect(token(tab, "query", 2)).to_have_class(re.compile("chosen"))
    value = re.search(r"= (\d\.\d{4})", tab.page.locator(".heat .readout").inner_text())
    assert value is not None
    shown = token(tab, "key", 1).locator(".number").inner_text()
    assert shown == f"{float(value[1]):.2f}"


def test_another_head_opens_by_click_and_by_keyboard(visit):
    tab = read(visit)
    grid = tab.page.locator(".heads .over")
    grid.focus()
    grid.press("ArrowDown")
    grid.press("ArrowRight")
    grid.press("Enter")
    expect(tab.page).to_have_url(re.compile(r"lh=1\.2"))
    tab.settle()
    expect(tab.page.locator(".lines .head")).to_have_text(
        words("en")("models.head_name", layer=1, head=2)
    )
    box = grid.bounding_box()
    grid.click(position={"x": 60, "y": 45}, modifiers=["Shift"])
    expect(tab.page.locator(".lines .head")).to_have_count(2)
    assert box is not None


def test_another_head_opens_while_a_token_is_held(visit):
    tab = read(visit)
    token(tab, "query", 4).click()
    expect(tab.page).to_have_url(re.compile(r"[?&]q=4\b"))
    grid = tab.page.locator(".heads .over")
    grid.focus()
    for key in ("ArrowDown", "ArrowRight", "Enter"):
        grid.press(key)
    expect(tab.page).to_have_url(re.compile(r"lh=1\.2"))
    expect(tab.page).to_have_url(re.compile(r"[?&]q=4\b"))
    expect(token(tab, "query", 4)).to_have_class(re.compile("locked"))


def test_the_colours_change_without_the_server_and_stay_in_the_address(visit):
    tab = read(visit, "map")
    before = len(tab.frames)
    tab.page.locator(".heat .mode").nth(1).click()
    expect(tab.page.locator(".heat .mode").nth(1)).to_have_attribute("aria-pressed", "true")
    expect(tab.page).to_have_url(re.compile("colours=log"))
    assert len(tab.frames) == before


def test_what_is_held_reaches_whatever_is_asked_next_and_stays_in_the_address(visit):
    tab = read(visit, "map")
    before = len(tab.frames)
    token(tab, "query", 4).click()
    tab.page.locator(".heat .mode").nth(1).click()
    assert len(tab.frames) == before
    choose(tab, "group.ask")
    expect(tab.page).to_have_url(re.compile(r"[?&]q=4\b"))
    expect(tab.page).to_have_url(re.compile("colours=log"))
    asks = tab.page.locator(".st-key-control-why_query input")
    expect(asks).to_have_value(re.compile("^5 "))
    choose(tab, "group.look", "panel.lines")
    expect(token(tab, "query", 4)).to_have_class(re.compile("locked"))
    expect(tab.page).to_have_url(re.compile(r"[?&]q=4\b"))


def test_another_text_lets_go_of_what_is_held(visit):
    tab = read(visit)
    token(tab, "query", 4).click()
    box = tab.page.locator(".st-key-control-passage textarea")
    box.fill("another text of some words")
    tab.page.get_by_role("button", name=words("en")("models.read")).click()
    expect(tab.page).to_have_url(re.compile("t=another"))
    tab.settle()
    expect(box).to_have_value("another text of some words")
    expect(tab.page.locator(".token.locked")).to_have_count(0)
    expect(tab.page).not_to_have_url(re.compile(r"[?&]q="))


def test_questions_are_chosen_by_keyboard(visit):
    tab = read(visit)
    look = tab.page.get_by_role("radio", name=words("en")("group.look"), exact=True)
    look.focus()
    look.press("ArrowRight")
    chosen = tab.page.locator(":focus")
    if chosen.get_attribute("aria-checked") != "true":
        chosen.press("Enter")
    expect(tab.page).to_have_url(re.compile("panel=why"))
    assert not tab.wrong


@pytest.mark.parametrize(("scheme", "phone"), [("dark", False), ("light", True)])
def test_the_page_in_chinese_fits_its_screen(visit, scheme, phone):
    tab = read(visit, locale="zh-TW", scheme=scheme, phone=phone)
    expect(tab.page.locator(".lines .readout")).to_have_text(words("zh-Hant")("models.lines.hint"))
    width = tab.page.evaluate("document.querySelector('.stMain').scrollWidth")
    assert width <= (390 if phone else 1280)
    assert not tab.wrong
    assert not tab.outside


def test_markup_in_a_text_stays_text(visit):
    tab = read(visit, link={"t": "<img src=x onerror=alert(1)> $x$ ![y](http://127.0.0.1:9/z)"})
    assert tab.page.locator(".lines img").count() == 0
    assert not tab.wrong
    assert not tab.outside


def test_weights_of_a_file_stand_in_the_models_place(visit, tmp_path):
    eye = np.eye(3, dtype=np.float32)[None]
    np.savez(tmp_path / "mine.npz", layer_0=eye, tokens=np.array(["I", "<b>", "saw"]))
    tab = read(visit)
    tab.page.get_by_role("button", name=words("en")("models.open")).click()
    tab.page.get_by_test_id("stFileUploaderDropzoneInput").last.set_input_files(
        tmp_path / "mine.npz"
    )
    expect(tab.page.get_by_text(words("en")("models.given_shown"))).to_be_visible()
    expect(tab.page.locator(".side .token.query .word")).to_have_text(["I", "<b>", "saw"])
    tab.page.keyboard.press("Escape")
    token(tab, "query", 1).hover()
    expect(token(tab, "key", 1).locator(".number")).to_have_text("1.00")


def test_the_sentence_that_reads_a_map_is_of_the_token_that_is_held(visit):
    text = "The animal didn't cross the street because it was too tired."
    tab = read(visit, "map", link={"t": text, "lh": "3.1", "hide": "0,15"})
    said = tab.page.locator(".heat .spoken")
    expect(said).to_contain_text("token 11")
    before = len(tab.frames)
    token(tab, "query", 6).click()
    expect(said).to_contain_text("“cross” (token 7)")
    expect(said).not_to_contain_text("token 11")
    readout = tab.page.locator(".lines .readout").inner_text()
    assert "“cross” (token 7)" in readout
    token(tab, "key", 1).click()  # the second key that is left is the third token
    expect(said).to_contain_text("“animal” (token 3) is attended to most")
    assert len(tab.frames) == before
