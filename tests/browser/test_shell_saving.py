"""Saving a figure from the page itself, as PNG and SVG, in the colours it is seen in."""

import base64
import re
import struct

import pytest
from playwright.sync_api import Locator, Page, expect

from attnviz.text import words

GROUNDS = {"light": (253, 252, 250), "dark": (22, 24, 28)}

# What a PNG holds: its ground, how many colours, and how much ink lies in each of some boxes.
# Boxes are left, top, width and height, in the figure's own pixels; the PNG has twice as many.
INK = """async ([png, boxes]) => {
  const image = await createImageBitmap(await (await fetch(png)).blob());
  const canvas = new OffscreenCanvas(image.width, image.height);
  const paint = canvas.getContext("2d");
  paint.drawImage(image, 0, 0);
  const pixels = (...box) => {
    const { data } = paint.getImageData(...box.map((length) => Math.round(2 * length)));
    const four = (_, at) => data.slice(4 * at, 4 * at + 4).join();
    return Array.from({ length: data.length / 4 }, four);
  };
  const all = pixels(0, 0, image.width / 2, image.height / 2);
  const ink = (box) => pixels(...box).filter((pixel) => pixel !== all[0]).length;
  return { ground: all[0], colours: new Set(all).size, ink: boxes.map(ink) };
}"""
TICKS = """(figure) => [...figure.querySelectorAll(".xaxislayer-above .xtick text")].map((text) => {
  const [own, whole] = [text.getBoundingClientRect(), figure.getBoundingClientRect()];
  return [own.left - whole.left, own.top - whole.top, own.height * 0.7, own.height];
})"""


def saved(figure: Locator, kind: str, name: str) -> bytes:
    with figure.page.expect_download() as waiting:
        figure.get_by_role("button", name=name).click()
    download = waiting.value
    assert re.fullmatch(rf"attnviz-[\w-]+\.{kind}", download.suggested_filename)
    return download.path().read_bytes()


def looked_into(page: Page, png: bytes, boxes: list) -> dict:
    return page.evaluate(INK, [f"data:image/png;base64,{base64.b64encode(png).decode()}", boxes])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_figure_is_saved_twice_as_large_on_its_own_ground_with_chinese_intact(visit, scheme):
    t = words("zh-Hant")
    tab = visit(locale="zh-TW", scheme=scheme)
    figure = tab.page.locator(".st-key-figure-map-weights")
    figure.locator(".xtick text").last.wait_for()
    figure.hover()
    png = saved(figure, "png", t("download.picture", kind="PNG"))
    drawn = figure.locator(".js-plotly-plot")
    width, height = drawn.evaluate("({ _fullLayout: { width, height } }) => [width, height]")
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", png[16:24]) == (int(2 * width), int(2 * height))
    inside = looked_into(tab.page, png, drawn.evaluate(TICKS))
    assert inside["ground"] == ",".join(map(str, (*GROUNDS[scheme], 255)))
    assert inside["colours"] > 50
    he, can, opens, can_again = inside["ink"]  # of 他會開會: a box that stands for them all
    assert min(inside["ink"]) > 100  # would have the same ink each time
    assert can == pytest.approx(can_again, rel=0.02)
    assert all(abs(one / can - 1) > 0.04 for one in (he, opens))
    svg = saved(figure, "svg", t("download.picture", kind="SVG")).decode()
    assert svg.startswith("<svg")
    assert "會" in svg
    assert "rgb({}, {}, {})".format(*GROUNDS[scheme]) in svg
    expect(drawn.locator(".main-svg").first).to_have_css("background-color", "rgba(0, 0, 0, 0)")
    assert tab.wrong == []


@pytest.mark.parametrize("path", ["/", "/steps"])
def test_every_figure_of_a_page_can_be_saved_and_a_finger_finds_how(visit, path):
    t = words("en")
    tab = visit(path, link={"heads": "2"}, phone=True)
    page = tab.page
    page.locator(".js-plotly-plot .main-svg").last.wait_for(state="attached")
    for kind in ("svg", "png"):
        buttons = page.locator(f"[class*='st-key-figure-'] [data-format={kind}]")
        expect(buttons).to_have_count(page.locator(".js-plotly-plot").count())
    button = page.get_by_role("button", name=t("download.picture", kind="PNG")).first
    button.scroll_into_view_if_needed()
    expect(button.locator("..")).to_have_css("opacity", "1")
    with page.expect_download() as waiting:
        button.tap()
    assert waiting.value.path().read_bytes().startswith(b"\x89PNG")


def test_a_figure_is_saved_by_keyboard_and_a_projector_shows_no_buttons(visit):
    t = words("en")
    tab = visit(link={"lang": "en"})
    page = tab.page
    name = t("download.picture", kind="PNG")
    button = page.locator(".st-key-figure-nudge").get_by_role("button", name=name)
    button.focus()
    expect(page.locator(".st-key-figure-nudge .save")).to_have_css("opacity", "1")
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    assert waiting.value.suggested_filename == "attnviz-nudge.png"
    page.get_by_role("button", name=t("present.start")).click()
    page.locator(".st-key-panels .deck").wait_for()
    assert page.locator(".save:visible").count() == 0
