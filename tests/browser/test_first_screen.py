"""See: what a person meets first, points at, clicks and asks."""

import re

from playwright.sync_api import expect

from attnviz.text import words

t = words("en")

ROWS = {
    "I": ["0.04", "0.32", "0.32", "0.32"],
    "saw": ["0.03", "0.21", "0.56", "0.21"],
    "a": ["0.61", "0.08", "0.22", "0.08"],
}
WEIGHTS = [number for token in ("I", "saw", "a", "saw") for number in ROWS[token]]


def test_the_weights_stand_on_the_first_screen_before_any_chart_is_there(visit):
    held = []  # the charts' code never arrives
    tab = visit(
        before=lambda page: page.route(re.compile("PlotlyChart"), lambda it: held.append(it))
    )
    expect(tab.cells(t("see.weights_title"))).to_have_text(WEIGHTS)
    assert held
    assert tab.page.locator(".js-plotly-plot").count() == 0
    for part in (
        *tab.cells(t("see.inputs_title")).all(),
        *tab.cells(t("see.weights_title")).all(),
        *tab.cells(t("see.outputs_title")).all(),
        tab.grid(t("see.weights_title")).get_by_text(t("see.sum"), exact=True),
        tab.page.get_by_role("button", name="saw2"),
        tab.readout(),
        tab.page.get_by_role("button", name=t("bar.steps")),
        tab.page.get_by_role("button", name=t("bar.own")),
        tab.page.get_by_role("button", name=t("bar.share")),
        tab.page.get_by_role("radio", name="繁體中文"),
        tab.page.get_by_role("button", name=t("puzzle.same", i="b₂", j="b₄")),
    ):
        box = part.bounding_box()
        assert box is not None, part
        assert box["x"] >= 0, part
        assert box["y"] >= 0, part
        assert box["x"] + box["width"] <= 1280, part
        assert box["y"] + box["height"] <= 720, part


def test_another_token_asks_when_its_chip_or_its_row_is_clicked(visit):
    tab = visit()
    expect(tab.readout()).to_have_text("b₂ = 0.03 v₁ + 0.21 v₂ + 0.56 v₃ + 0.21 v₄ = (−0.38, 1.44)")
    tab.page.get_by_role("button", name="a3").click()
    expect(tab.page.get_by_role("button", name="a3")).to_have_attribute("aria-pressed", "true")
    expect(tab.page).to_have_url(re.compile(r"\bq=2\b"))
    tab.page.keyboard.press("Escape")
    expect(tab.readout()).to_have_text("b₃ = 0.61 v₁ + 0.08 v₂ + 0.22 v₃ + 0.08 v₄ = (0.45, 1.78)")
    tab.grid(t("see.weights_title")).get_by_role("rowheader", name="I1").click()
    expect(tab.page).to_have_url(re.compile(r"\bq=0\b"))
    expect(tab.readout()).to_have_text("b₁ = 0.04 v₁ + 0.32 v₂ + 0.32 v₃ + 0.32 v₄ = (−0.59, 1.68)")


def test_a_clicked_cell_tells_where_its_number_comes_from(visit):
    tab = visit()
    story = tab.page.locator(".st-key-ancestry")
    products = "α₂,₁ = q₂·k₁ = (−1)(3) + (1)(1) = −2"
    tab.cells(t("see.weights_title")).nth(4).click()
    expect(story).to_contain_text(t("ancestry.title", row=2, column=1))
    expect(story).to_contain_text(products)
    expect(story).to_contain_text("α′₂,₁ = exp(−2) / Σ₂ = 0.14 / 4.85 = 0.03")
    tab.cells(t("see.scores_title")).nth(2).click()
    expect(story).to_contain_text(t("ancestry.title", row=1, column=3))
    tab.cells(t("see.scores_title")).nth(4).click()
    expect(story).to_contain_text(products)


def test_pointing_at_a_cell_reads_it_without_asking_the_server(visit):
    tab = visit()
    expect(tab.page.locator(".st-key-figure-nudge .main-svg").first).to_be_attached()
    before = len(tab.frames)
    tab.cells(t("see.weights_title")).nth(4).hover()
    expect(tab.readout()).to_have_text("α′₂,₁ = exp(−2) / 4.85 = 0.03")
    tab.cells(t("see.outputs_title")).first.hover()
    expect(tab.readout()).not_to_contain_text("α′₂,₁")
    scores = tab.cells(t("see.scores_title"))
    scores.nth(4).hover()
    expect(tab.page.locator(".readout").nth(1)).to_have_text("α₂,₁ = (−1)(3) + (1)(1) = −2")
    assert len(tab.frames) == before


DRAWN = """
const host = ".st-key-first_screen [data-testid=stBidiComponentIsolated]";
const look = () => {
  if (document.querySelector(host)?.shadowRoot?.querySelector(".tables"))
    window.drawnAt = performance.now();
  else requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""
ASKED = """
() => performance.getEntriesByType("resource").filter((each) => each.name.includes("PlotlyChart"))
  .map((each) => each.startTime - window.drawnAt)
"""


def test_the_matrices_are_drawn_before_the_script_of_the_charts_is_asked_for(visit):
    tab = visit(before=lambda page: page.add_init_script(DRAWN), ready=".st-key-figure-nudge")
    charts = tab.page.locator(".js-plotly-plot:has(.main-svg)")
    expect(charts).to_have_count(3)
    (after,) = tab.page.evaluate(ASKED)
    assert after > 0
    tab.page.reload()
    expect(charts).to_have_count(3)


def test_the_arrow_keys_walk_the_matrix_and_enter_opens_the_number(visit):
    tab = visit()
    page = tab.page
    page.get_by_role("button", name="saw2").focus()
    page.keyboard.press("Tab")  # the inputs
    page.keyboard.press("Tab")  # the weights: the row in hand
    expect(tab.readout()).to_have_text("α′₂,₁ = exp(−2) / 4.85 = 0.03")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(tab.readout()).to_contain_text("α′₃,₂ = ")
    page.keyboard.press("Enter")
    story = page.locator(".st-key-ancestry")
    expect(story).to_contain_text(t("ancestry.title", row=3, column=2))
    expect(story).to_contain_text("α₃,₂ = q₃·k₂ = (1)(1) + (1)(1) = 2")


def test_several_heads_stand_side_by_side_and_each_has_its_own_weights(visit):
    tab = visit(link={"heads": "2"})
    maps = tab.page.locator(".st-key-figure-head_maps-weights .js-plotly-plot")
    expect(maps).to_be_visible()
    expect(maps.locator(".heatmaplayer")).to_have_count(2)
    for number in (1, 2):
        expect(maps.get_by_text(t("figure.head", head=number))).to_be_visible()
    first = tab.cells(t("see.weights_title")).all_inner_texts()
    assert first == WEIGHTS
    tab.page.get_by_role("radio", name=t("head.number", number=2)).click()
    expect(tab.page).to_have_url(re.compile("head=1"))
    expect(tab.cells(t("see.weights_title"))).not_to_have_text(WEIGHTS)
