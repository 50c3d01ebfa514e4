"""Presenter mode and the embedded view: what a room or another page sees."""

import re

import pytest
from playwright.sync_api import expect

from attnviz.text import words

t = words("en")

# The sizes, on the screen, of every text that can be seen: prose, and numbers.
# Left out: icons, and what is set smaller beside a letter (indices, exponents).
SIZES = """() => {
  const every = (node) => [...node.querySelectorAll("*")].flatMap((child) =>
    [child, ...(child.shadowRoot ? every(child.shadowRoot) : [])]);
  const seen = (node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const left_out = "sub, sup, .msupsub, .katex-mathml, script, style, title";
  const found = { texts: [], digits: [] };
  for (const node of every(document.body)) {
    const { width, height } = node.getBoundingClientRect();
    const text = [...node.childNodes].filter((child) => child.nodeType === 3)
      .map((child) => child.data).join("").replace(/\\u200b/g, "").trim();
    const { fontFamily, fontSize } = getComputedStyle(node);
    const icon = /Material/.test(fontFamily) || node.closest(left_out);
    if (!text || icon || width <= 1 || height <= 1 || !seen(node)) continue;
    const size = Math.round(parseFloat(fontSize) * (node.currentCSSZoom ?? 1) * 100) / 100;
    const number = /^[−.\\d]+$/.test(text);
    found[number ? "digits" : "texts"].push([size, text.slice(0, 40)]);
  }
  return found;
}"""
PANELS = """() => [...document.querySelectorAll("[class*='st-key-panel-']")]
  .filter((panel) => panel.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
  .map((panel) => /st-key-panel-(\\w+)/.exec(panel.className)[1])"""
SIDEWAYS = """() => {
  const roots = [document.documentElement, document.querySelector("[data-testid=stMain]")];
  return roots.map((root) => root.scrollWidth - root.clientWidth);
}"""


@pytest.mark.parametrize("language", ["en", "zh-Hant"])
def test_presenting_shows_one_large_panel_at_a_time(visit, language):
    tab = visit(link={"lang": language, "present": "1", "key": "2"})
    page = tab.page
    page.locator(".st-key-panels .deck").wait_for()
    page.locator(".js-plotly-plot").last.wait_for(state="attached")
    expect(page.locator("header.stAppHeader")).to_be_hidden()
    expect(page.locator(".st-key-bar")).to_have_count(0)
    names = ["weights", "ancestry", "scores", "maps"]
    before, seen = len(tab.frames), [page.evaluate(PANELS)]
    seen += tab.pressed(["ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft"], PANELS)
    assert len(tab.frames) == before
    assert seen == [[name] for name in (*names, names[2])]
    page.keyboard.press("Home")
    place, small, wide = page.locator(".deck .place"), set(), []
    n_panels = int(place.inner_text().split("/")[1])
    for number in range(1, n_panels + 1):
        expect(place).to_have_text(words(language)("steps.place", i=number, n=n_panels))
        assert len(page.evaluate(PANELS)) <= 1
        sizes = page.evaluate(SIZES)
        small |= {(size, text) for size, text in sizes["texts"] if size < 18}
        small |= {(size, text) for size, text in sizes["digits"] if size < 16}
        wide.append(page.evaluate(SIDEWAYS))
        page.keyboard.press("ArrowRight")
    assert wide == [[0, 0]] * n_panels
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-bar")).to_be_visible()
    expect(page).not_to_have_url(re.compile("present="))
    assert tab.wrong == []
    assert sorted(small) == []


def test_the_steps_are_presented_one_at_a_time_and_the_keys_move_them(visit):
    tab = visit("/steps", link={"lang": "en", "present": "1"})
    page = tab.page
    page.locator(".js-plotly-plot").last.wait_for(state="attached")
    expect(page.locator("header.stAppHeader")).to_be_hidden()
    expect(page.locator(".st-key-bar")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".st-key-step-key")).to_be_visible()
    assert page.evaluate(SIDEWAYS) == [0, 0]
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-bar")).to_be_visible()


def test_an_embedded_view_shows_its_panel_and_no_menu(visit):
    tab = visit(link={"lang": "en", "embed": "true", "panel": "scores", "q": "2"})
    page = tab.page
    expect(tab.cells(t("see.scores_title")).nth(8)).to_have_text("4")
    expect(tab.grid(t("see.weights_title"))).to_have_count(0)
    expect(page.locator("header.stAppHeader")).to_be_hidden()
    expect(page.get_by_role("link", name=t("nav.steps"))).to_have_count(0)
    expect(page.locator(".st-key-bar")).to_have_count(0)
    expect(page.locator(".js-plotly-plot")).to_have_count(0)
    tab.settle()
    for kept in ("embed=true", "panel=scores", "q=2"):
        assert kept in page.url  # a reload stays embedded
    page.reload()
    expect(tab.cells(t("see.scores_title")).nth(8)).to_have_text("4")
    expect(page.locator(".st-key-bar")).to_have_count(0)
    assert tab.wrong == []


@pytest.mark.parametrize(("scheme", "notation"), [("light", "row"), ("dark", "column")])
def test_the_one_who_asks_is_in_the_light_and_whoever_is_pointed_at(visit, scheme, notation):
    tab = visit(link={"lang": "zh-Hant", "present": "1", "notation": notation}, scheme=scheme)
    cells = tab.cells(words("zh-Hant")("see.weights_title"))

    def at(query: int) -> list[str]:
        places = range(4 * query, 4 * query + 4) if notation == "row" else range(query, 16, 4)
        faint = "(cell) => getComputedStyle(cell).opacity"
        return [cells.nth(place).evaluate(faint) for place in places]

    expect(cells).to_have_count(16)
    assert [at(query) for query in range(4)] == [["0.5"] * 4, ["1"] * 4, ["0.5"] * 4, ["0.5"] * 4]
    cells.nth(0).hover()
    assert [at(query) for query in range(4)] == [["1"] * 4, ["1"] * 4, ["0.5"] * 4, ["0.5"] * 4]
    tab.page.keyboard.press("Escape")
    expect(tab.page.locator(".st-key-bar")).to_be_visible()
    expect(cells.nth(15)).to_have_css("opacity", "1")
    assert tab.wrong == []
