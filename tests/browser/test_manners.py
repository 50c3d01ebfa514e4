"""What holds on every page: nothing leaves, nothing breaks, nothing hides, nothing runs."""

from contextlib import suppress

import pytest
from playwright.sync_api import Error, Page, expect

from attnviz.text import words

t = words("en")

PAGES = ["/", "/steps"]
MANY = {
    "text": "the old cat sat on a mat and saw the other cat",
    "heads": "8",
    "key": "0",
}

# Every element of the page, also inside the components' own trees.
EVERY = """
const every = (node) => [...node.querySelectorAll("*")].flatMap((child) =>
  [child, ...(child.shadowRoot ? every(child.shadowRoot) : [])]);
const up = (node) => node.assignedSlot ?? node.parentElement ?? node.getRootNode().host ?? null;
const chain = (node) => (node ? [node, ...chain(up(node))] : []);
const seen = (node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true });
const scrolls = (node) => getComputedStyle(node).overflowX !== "visible";
const called = (node) =>
  `${node.localName}.${node.className} ${(node.textContent || node.value || "").slice(0, 40)}`;
"""

# What scrolls sideways, or reaches past the window's right edge outside a frame that scrolls.
SIDEWAYS = """() => {
  %s
  const page = "[data-testid=stMain], [data-testid=stSidebarContent], [data-testid=stHeader]";
  const roots = [document.documentElement, ...document.querySelectorAll(page)];
  const wide = roots.filter((node) =>
    node.getBoundingClientRect().right > 0 && node.scrollWidth > node.clientWidth + 1);
  const framed = (node) => chain(up(node)).some((at) => !roots.includes(at) && scrolls(at));
  const past = every(document.body).filter((node) => {
    const { right, width, height } = node.getBoundingClientRect();
    return width > 1 && height > 1 && right > innerWidth + 1 && seen(node) && !framed(node);
  });
  return [...wide, ...past].map(called);
}""".replace("%s", EVERY)

# The texts that can be seen with a contrast under 4.5; not in disabled controls and drawings.
FAINT = """() => {
  %s
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const rgba = (colour) => {
    if (!known.has(colour)) {
      paint.clearRect(0, 0, 1, 1);
      paint.fillStyle = colour;
      paint.fillRect(0, 0, 1, 1);
      known.set(colour, [...paint.getImageData(0, 0, 1, 1).data].map((part) => part / 255));
    }
    return known.get(colour);
  };
  const over = ([r, g, b, a], below) =>
    [...[r, g, b].map((part, at) => part * a + below[at] * (1 - a)), 1];

  // A text may stand outside an ancestor's box: then that box is not what lies behind it.
  const behind = (node) => {
    const layers = [];
    let box = node.getBoundingClientRect();
    for (const at of chain(node)) {
      const { left, right, top, bottom } = at.getBoundingClientRect();
      const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
      if (at !== node && scrolls(at)) box = at.getBoundingClientRect();
      else if (x < left || x > right || y < top || y > bottom) continue;
      layers.push(rgba(getComputedStyle(at).backgroundColor));
    }
    return layers.reduceRight((below, layer) => over(layer, below), [1, 1, 1, 1]);
  };
  const luminance = (colour) => {
    const [r, g, b] = colour.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (node, { color }) => {
    const opacity = chain(node).reduce((share, at) => share * getComputedStyle(at).opacity, 1);
    const [r, g, b, a] = rgba(color);
    const ground = behind(node);
    const lights = [luminance(over([r, g, b, a * opacity], ground)), luminance(ground)];
    return (Math.max(...lights) + 0.05) / (Math.min(...lights) + 0.05);
  };
  const left_out = "style, script, svg, .katex-mathml, :disabled, [aria-disabled=true]";
  const texts = every(document.body).filter((node) => {
    const { width, height } = node.getBoundingClientRect();
    const text = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
    const box = node.matches("input:not([type=range]), textarea");
    return (text || (box && (node.value || node.placeholder)))
      && width > 1 && height > 1 && seen(node) && !chain(node).some((at) => at.matches(left_out));
  });
  const faint = texts.map((node) => {
    const empty = node.placeholder && !node.value;
    return [contrast(node, getComputedStyle(node, empty ? "::placeholder" : null)), node];
  }).filter(([ratio]) => !(ratio >= 4.5));
  return { read: texts.length, faint: faint.map(([r, node]) => `${r.toFixed(2)} ${called(node)}`) };
}""".replace("%s", EVERY)


def test_nothing_leaves_for_another_host_and_nothing_breaks(visit):
    tab = visit(link={"heads": "2", "key": "1"})
    page = tab.page
    expect(page.locator(".js-plotly-plot")).to_have_count(5)
    page.get_by_text(t("bert.title")).click()
    expect(page.locator(".js-plotly-plot")).to_have_count(6)
    page.get_by_role("button", name=t("bar.share")).click()
    expect(page.get_by_text(t("bar.share_link"))).to_be_visible()
    page.keyboard.press("Escape")
    drawer = tab.drawer()
    drawer.get_by_role("tab", name=t("drawer.attention"), exact=True).click()
    drawer.get_by_text(t("drawer.matrices"), exact=True).click()
    expect(page.get_by_role("table", name=t("drawer.w_o"))).to_be_visible()
    page.get_by_role("button", name=t("drawer.close")).click()
    page.get_by_role("link", name=t("nav.steps")).click()
    expect(page.get_by_text(t("steps.keys"))).to_be_visible()
    tab.settle()
    assert len(tab.asked) > 20
    assert tab.outside == []
    assert tab.wrong == []


@pytest.mark.parametrize("link", [{}, MANY], ids=["hero", "many"])
@pytest.mark.parametrize("path", PAGES)
def test_nothing_scrolls_sideways_on_a_phone_or_a_laptop(visit, path, link):
    tab = visit(path, link=link, phone=True)
    page = tab.page
    page.locator(".js-plotly-plot").last.wait_for(state="attached")
    found = {"phone": settled_at_none(page, SIDEWAYS)}
    tab.drawer()
    found["phone, drawer open"] = settled_at_none(page, SIDEWAYS)
    page.set_viewport_size({"width": 1280, "height": 720})
    found["laptop, drawer open"] = settled_at_none(page, SIDEWAYS)
    page.get_by_role("button", name=t("drawer.close")).click()
    expect(page.locator(".st-key-control-sentence")).to_have_count(0)
    found["laptop"] = settled_at_none(page, SIDEWAYS)
    assert {where: what for where, what in found.items() if what} == {}


def settled_at_none(page: Page, script: str) -> list[str]:
    """Give what the script finds, once it finds nothing, or else after some seconds."""
    with suppress(Error):
        page.wait_for_function(f"({script})().length === 0", timeout=8_000)
    return page.evaluate(script)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
def test_every_text_stands_out_from_what_is_behind_it(visit, path, scheme):
    tab = visit(path, link={"heads": "2", "key": "1", "mask": "causal"}, scheme=scheme)
    page = tab.page
    page.locator(".js-plotly-plot").last.wait_for(state="attached")
    drawer = tab.drawer()
    cell = page.get_by_role("textbox", name=t("grid.cell", row="saw2", column=1), exact=True)
    cell.fill("abc")
    cell.press("Enter")
    expect(cell).to_have_attribute("aria-invalid", "true")
    tab.settle()
    first = page.evaluate(FAINT)
    drawer.get_by_role("tab", name=t("drawer.attention"), exact=True).click()
    expect(drawer.get_by_role("combobox", name=t("drawer.normalizer"))).to_be_visible()
    second = page.evaluate(FAINT)
    assert first["read"] > 40
    assert sorted({*first["faint"], *second["faint"]}) == []


MARKUP = "<b>x</b> <img src=x onerror=alert(1)> $x$ **y** ![a](http://e.com/a.png) :smile:"
PIECES = [
    "<b>x</b>",
    "<img src=x onerror=alert(1)>",
    "$x$",
    "**y**",
    "![a](http://e.com/a.png)",
    ":material/home:",
    ":red[z]",
    "`c`",
]


def test_markup_is_shown_as_it_was_typed_and_never_runs(visit):
    tab = visit()
    page = tab.page
    images = page.locator("img").count()
    drawer = tab.drawer()
    box = drawer.get_by_role("textbox", name=t("drawer.sentence"), exact=True)
    box.fill(MARKUP)
    box.press("Enter")
    weights = tab.grid(t("see.weights_title"))
    expect(weights.locator("th.row").first).to_have_text("<1")
    expect(box).to_have_value(MARKUP)
    split = drawer.get_by_role("textbox", name=t("drawer.pieces"))
    split.fill(" | ".join(PIECES))
    split.press("Enter")
    numbered = [f"{piece}{place}" for place, piece in enumerate(PIECES, 1)]
    expect(weights.locator("th.row")).to_have_text(numbered)
    expect(weights.locator("th.column")).to_have_text(numbered)
    expect(page.locator(".strip .chip")).to_have_text(numbered)
    drawn = page.locator(".st-key-figure-map-weights .xtick text")
    expect(drawn).to_have_count(len(PIECES))
    shown = drawn.all_text_contents()
    story = page.locator(".st-key-ancestry")
    for piece, tick in zip(PIECES, shown, strict=True):
        assert tick.startswith(piece[:6])
    for row in range(0, len(PIECES), 2):
        query, key = PIECES[row : row + 2]
        tab.cells(t("see.weights_title")).nth(row * len(PIECES) + row + 1).click()
        asks = t("ancestry.asks", query=query, key=key, row=row + 1, column=row + 2)
        expect(story.locator("p").filter(has_text="asks").first).to_have_text(asks)
    page.get_by_role("link", name=t("nav.steps")).click()
    expect(page.get_by_text(t("steps.keys"))).to_be_visible()
    for piece in PIECES[1:5]:
        page.locator(".chip").filter(has_text=piece).click()
        said = page.locator(".st-key-step-query .stMarkdown p").first
        expect(said).to_contain_text(f"“{piece}” asks.")
    tab.settle()
    assert page.locator("img").count() == images
    assert tab.outside == []
    assert tab.wrong == []


def test_a_phone_reaches_the_other_page_and_its_menu_gives_way(visit):
    tab = visit(phone=True)
    page = tab.page
    for script, heading in [("steps", "steps.query.title"), ("see", "see.where")]:
        page.get_by_test_id("stExpandSidebarButton").click()
        link = page.get_by_role("link", name=t(f"nav.{script}"), exact=True)
        expect(link).to_be_in_viewport()
        expect(page.get_by_test_id("stSidebarCollapseButton")).to_be_in_viewport(ratio=0.99)
        link.click()
        expect(page.get_by_role("heading", name=t(heading, place=2))).to_be_attached()
        expect(link).not_to_be_in_viewport()
        expect(page.get_by_role("button", name=t("bar.own"))).to_be_in_viewport()
