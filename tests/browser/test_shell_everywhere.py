"""Each part of the shell in both languages, both themes, on a phone, and with keys alone.

One visit goes through all parts; what fails is named, and the next part starts from a fresh page.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Error, Locator, Page, expect

from attnviz.figures.spoken import say_scene
from attnviz.scene import scene_of
from attnviz.settings import Settings
from attnviz.text import Words, words
from tests.browser.conftest import Visit
from tests.browser.test_drawer import tab_to
from tests.browser.test_shell_files import choose
from tests.browser.test_shell_present import SIDEWAYS

Story = Callable[[Visit, Words], None]

PLACES = {
    "en light laptop": ("en", "light", False),
    "zh-Hant dark laptop": ("zh-Hant", "dark", False),
    "zh-Hant light phone": ("zh-Hant", "light", True),
}
GROUNDS = {"light": "rgb(253, 252, 250)", "dark": "rgb(22, 24, 28)"}
LONGEST_MOTION = 0.3  # seconds

# The longest transition or animation, in seconds: of the app's own components, or of everything.
MOTION = """(everywhere) => {
  const every = (root, own) => [...root.querySelectorAll("*")].flatMap((node) => [
    ...(own || everywhere ? [node] : []),
    ...(node.shadowRoot ? every(node.shadowRoot, true) : []),
  ]);
  const one = (part) => parseFloat(part) / (/ms/.test(part) ? 1000 : 1);
  const seconds = (text) => text.split(",").map(one);
  const nodes = every(document, false);
  const longest = nodes.flatMap((node) => [null, "::before", "::after"].flatMap((part) => {
    const style = getComputedStyle(node, part);
    const moves = style.animationName === "none" ? [] : seconds(style.animationDuration);
    return [...seconds(style.transitionDuration), ...moves];
  }));
  return { nodes: nodes.length, longest: Math.max(...longest) };
}"""


def opened(tab: Visit, button: str) -> Locator:
    """Open a popover of the bar, and find what is in it."""
    tab.page.get_by_role("button", name=button, exact=True).first.click()
    body = tab.page.get_by_test_id("stPopoverBody")
    expect(body).to_be_visible()
    return body


def closed(tab: Visit) -> None:
    tab.page.keyboard.press("Escape")
    expect(tab.page.get_by_test_id("stPopoverBody")).to_have_count(0)
    tab.settle()


def seen(found: Locator) -> Locator:
    """Take the one that is visible: Streamlit writes a badge twice, for wide and narrow pages."""
    return found.filter(visible=True).first


def own_settings(tab: Visit, t: Words) -> Locator:
    """Open the drawer at the settings of attention."""
    drawer = tab.drawer()
    drawer.get_by_role("tab", name=t("drawer.attention"), exact=True).click()
    expect(drawer.locator(".st-key-control-digits")).to_be_visible()
    return drawer


def leave_drawer(tab: Visit, t: Words) -> None:
    tab.page.get_by_role("button", name=t("drawer.close")).click()
    expect(tab.page.locator(".st-key-control-sentence")).to_have_count(0)
    tab.settle()


def notation(tab: Visit, t: Words) -> None:
    weights = tab.cells(t("see.weights_title"))
    rows = weights.all_inner_texts()
    tab.page.get_by_role("radio", name=t("notation.column"), exact=True).click()
    expect(seen(tab.page.get_by_text(t("notation.same")))).to_be_visible()
    expect(weights).to_have_text([rows[at] for start in range(4) for at in range(start, 16, 4)])
    tab.page.get_by_role("radio", name=t("notation.row"), exact=True).click()
    expect(weights).to_have_text(rows)


def digits(tab: Visit, t: Words) -> None:
    slider = own_settings(tab, t).locator(".st-key-control-digits input[type=range]")
    slider.press("End")
    expect(tab.cells(t("see.weights_title")).nth(6)).to_have_text("0.5601")
    expect(tab.page).to_have_url(re.compile("digits=4"))
    slider.press("Home")
    expect(tab.cells(t("see.weights_title")).nth(6)).to_have_text("0.56")
    leave_drawer(tab, t)


def code(tab: Visit, t: Words) -> None:
    body = opened(tab, t("tools.code"))
    expect(body.locator("code").first).to_contain_text("import numpy as np")
    closed(tab)


def say_it(tab: Visit, t: Words) -> None:
    language = tab.page.locator("html").get_attribute("lang")
    for query in (2, 1):
        tab.page.locator(".strip .chip").nth(query).click()
        scene = scene_of(Settings(language=language, query=query), language)
        said = say_scene(scene, t).replace("**", "")
        expect(tab.page.locator("[data-testid=stCaptionContainer]", has_text=said)).to_be_visible()


def presenting(tab: Visit, t: Words) -> None:
    page = tab.page
    page.get_by_role("button", name=t("present.start"), exact=True).click()
    deck = page.locator(".st-key-panels .deck")
    expect(deck.locator(".place")).to_have_text(re.compile(r"^1 / \d$"))
    expect(page.locator(".st-key-bar")).to_have_count(0)
    rows = tab.grid(t("see.weights_title")).locator("tbody tr")
    for place, strength in enumerate(("0.5", "1", "0.5", "0.5")):
        for part in (".row", ".cell >> nth=2", ".sum"):
            expect(rows.nth(place).locator(part)).to_have_css("opacity", strength)
    deck.get_by_role("button", name=t("steps.next"), exact=True).click()
    expect(tab.grid(t("see.scores_title"))).to_be_visible()
    expect(tab.grid(t("see.weights_title"))).to_be_hidden()
    page.locator(".st-key-leave button").click()
    expect(page.locator(".st-key-bar")).to_be_visible()
    page.goto(f"{tab.address}/?lang={page.locator('html').get_attribute('lang')}")
    page.locator(".readout").first.wait_for()


def files_in(tab: Visit, t: Words) -> None:
    hero = tab.cells(t("see.inputs_title")).all_inner_texts()
    drawer = tab.drawer()
    choose(tab.page, "會.csv", "詞,x,y\n貓,1,0.5\n坐,0.25,-1\n".encode())
    expect(drawer.locator("code").first).to_contain_text("0.2500")
    drawer.get_by_role("button", name=t("file.take"), exact=True).click()
    expect(tab.cells(t("see.inputs_title"))).to_have_text(["1.00", "0.50", "0.25", "−1.00"])
    expect(tab.grid(t("see.weights_title")).locator("th.row")).to_have_text(["貓1", "坐2"])
    leave_drawer(tab, t)
    tab.page.locator(".st-key-undo button:visible").click()
    expect(tab.cells(t("see.inputs_title"))).to_have_text(hero)


def everything_out(tab: Visit, t: Words) -> None:
    body = opened(tab, t("bar.download"))
    for kind in ("json", "zip"):
        with tab.page.expect_download() as waiting:
            body.get_by_role("button", name=t(f"download.{kind}"), exact=True).click()
        assert waiting.value.suggested_filename == f"attnviz.{kind}"
    expect(body.get_by_role("button", name=t("download.draw", kind="PNG"))).to_be_visible()
    closed(tab)


def share(tab: Visit, t: Words) -> None:
    body = opened(tab, t("bar.share"))
    language = tab.page.locator("html").get_attribute("lang")
    expect(body.locator("code").first).to_contain_text(f"lang={language}")
    expect(body.locator("img")).to_be_visible()
    expect(body.get_by_text(t("share.qr"))).to_be_visible()
    expect(body.locator("code").last).to_contain_text("embed=true")
    closed(tab)


def chips(tab: Visit, t: Words) -> None:
    bar = tab.page.locator(".st-key-sources")
    for what in ("vectors", "matrices"):
        chip = f"{t(f'chip.{what}')}: {t('chip.typed')}"
        expect(seen(bar.get_by_text(chip))).to_be_visible()
    check = seen(bar.get_by_text(t("check.ok")))
    expect(check).to_be_visible()
    if tab.page.evaluate("matchMedia('(hover: hover)').matches"):
        check.hover()
        reason = t("check.rows", difference="#").split("#")[0]
        expect(tab.page.get_by_role("tooltip")).to_contain_text(reason)
        tab.page.mouse.move(1, 1)


def predict_first(tab: Visit, t: Words) -> None:
    page = tab.page
    page.get_by_role("button", name=t("bar.steps"), exact=True).click()
    step = page.locator(".st-key-step-query")
    expect(step).to_be_visible()
    page.locator(".st-key-control-predict label").first.click()
    box = step.get_by_role("spinbutton")
    box.fill("3")
    expect(step.locator(".js-plotly-plot")).to_have_count(0)
    step.get_by_role("button", name=t("predict.reveal")).click()
    said = t("predict.compare", guess="3", truth="−1", off="4")
    expect(step.get_by_text(said).first).to_be_visible()


STORIES: dict[str, Story] = {
    "notation": notation,
    "digits": digits,
    "code": code,
    "say it": say_it,
    "chips and self-check": chips,
    "files in": files_in,
    "everything out": everything_out,
    "share": share,
    "presenter": presenting,
    "predict first": predict_first,
}


@contextmanager
def noted(failed: dict[str, str], name: str, page: Page) -> Iterator[None]:
    """Note under its name what failed, and go on from a fresh page."""
    try:
        yield
    except (AssertionError, Error, pytest.fail.Exception) as error:
        failed[name] = str(error)
        page.goto(page.url.split("?")[0].removesuffix("steps"))
        page.locator(".readout").first.wait_for()


@pytest.mark.parametrize("place", PLACES)
def test_every_part_of_the_shell_works(visit, place):
    language, scheme, phone = PLACES[place]
    locale = "zh-TW" if language == "zh-Hant" else "en-US"
    tab = visit(locale=locale, scheme=scheme, phone=phone)
    expect(tab.page.locator(".stApp")).to_have_css("background-color", GROUNDS[scheme])
    expect(tab.page.locator("html")).to_have_attribute("lang", language)
    failed: dict[str, str] = {}
    for name, story in STORIES.items():
        with noted(failed, name, tab.page):
            story(tab, words(language))
            assert tab.page.evaluate(SIDEWAYS) == [0, 0]
    assert failed == {}
    assert tab.wrong == []
    assert tab.outside == []


def by_keys(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_every_part_of_the_shell_that_is_operated_works_with_keys_alone(visit):
    tab, t, failed = visit(link={"lang": "en"}), words("en"), {}
    page = tab.page

    def button(name: str) -> Locator:
        return page.get_by_role("button", name=name, exact=True).first

    with noted(failed, "notation", page):
        tab_to(page, page.get_by_role("radio", name=t("notation.row"), exact=True))
        by_keys(page, "ArrowRight", "Space")
        expect(page).to_have_url(re.compile("notation=column"))
        by_keys(page, "ArrowLeft", "Space")
        expect(page).not_to_have_url(re.compile("notation="))
    with noted(failed, "everything out", page):
        tab_to(page, button(t("bar.download")))
        by_keys(page, "Enter")
        tab_to(page, button(t("download.npz")))
        with page.expect_download() as waiting:
            by_keys(page, "Enter")
        assert waiting.value.suggested_filename == "attnviz.npz"
        closed(tab)
    with noted(failed, "share", page):
        tab_to(page, button(t("bar.share")))
        by_keys(page, "Enter")
        body = page.get_by_test_id("stPopoverBody")
        expect(body.locator("code").first).to_contain_text("lang=en")
        closed(tab)
    with noted(failed, "code", page):
        tab_to(page, button(t("tools.code")))
        by_keys(page, "Enter")
        expect(page.get_by_test_id("stPopoverBody").locator("code").first).to_be_visible()
        closed(tab)
    with noted(failed, "digits", page):
        tab_to(page, button(t("bar.own")))
        by_keys(page, "Enter")
        tab_to(page, page.get_by_role("tab", name=t("drawer.input"), exact=True))
        by_keys(page, "ArrowRight")
        tab_to(page, page.locator(".st-key-control-digits input[type=range]"))
        by_keys(page, "ArrowRight")
        expect(tab.cells(t("see.weights_title")).nth(6)).to_have_text("0.560")
    with noted(failed, "files in", page):
        tab_to(page, page.get_by_role("tab", name=t("drawer.attention"), exact=True))
        by_keys(page, "ArrowLeft")
        tab_to(page, page.get_by_test_id("stFileUploader").locator("section button").last)
        with page.expect_file_chooser() as choosing:
            by_keys(page, "Space")
        file = {"name": "cats.csv", "mimeType": "", "buffer": b"1,0.5\n0.25,-1\n"}
        choosing.value.set_files(file)
        tab_to(page, button(t("file.take")))
        by_keys(page, "Enter")
        expect(tab.cells(t("see.inputs_title"))).to_have_count(4)
        tab_to(page, button(t("undo.undo")))
        by_keys(page, "Enter")
        expect(tab.cells(t("see.inputs_title"))).to_have_count(12)
    with noted(failed, "presenter", page):
        tab_to(page, button(t("present.start")))
        by_keys(page, "Enter")
        page.locator(".st-key-panels .deck").wait_for()
        by_keys(page, "ArrowRight")
        expect(tab.grid(t("see.scores_title"))).to_be_visible()
        by_keys(page, "Home")
        expect(tab.grid(t("see.weights_title"))).to_be_visible()
        by_keys(page, "Escape")
        expect(page.locator(".st-key-bar")).to_be_visible()
    with noted(failed, "predict first", page):
        tab_to(page, button(t("bar.steps")))
        by_keys(page, "Enter")
        step = page.locator(".st-key-step-query")
        tab_to(page, page.get_by_role("switch", name=t("predict.toggle")))
        by_keys(page, "Space")
        tab_to(page, step.get_by_role("spinbutton"))
        by_keys(page, "Control+A", "3", "Enter")
        said = t("predict.compare", guess="3", truth="−1", off="4")
        expect(step.get_by_text(said).first).to_be_visible()
    assert failed == {}
    assert tab.wrong == []


@pytest.mark.parametrize("path", ["/", "/steps"])
def test_what_moves_moves_briefly_and_not_at_all_for_who_asks(visit, path):
    page = visit(path).page
    page.locator(".js-plotly-plot").last.wait_for(state="attached")
    page.emulate_media(reduced_motion="no-preference")
    own = page.evaluate(MOTION, False)
    assert own["nodes"] > 100
    assert own["longest"] <= LONGEST_MOTION
    assert page.evaluate(MOTION, True)["longest"] > 0  # it would be seen
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(MOTION, True)["longest"] == 0
