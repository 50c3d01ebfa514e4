"""RNN, graph, linear attention and costs as a person meets them on the page Compare."""

import re

from playwright.sync_api import expect

from attnviz.text import words
from tests.browser.test_shell_present import SIDEWAYS

t, zh = words("en"), words("zh-Hant")
READY = ".readout"


def test_the_step_goes_on_by_arrow_keys(visit):
    tab = visit("/compare", link={"lang": "en", "panel": "recurrence"}, ready=".js-plotly-plot")
    page = tab.page
    expect(page.get_by_text("Step 1: RNN 1 of 8 outputs")).to_be_visible()
    slider = page.locator(".st-key-recurrence-tick input[type=range]")
    slider.focus()
    slider.press("ArrowRight")
    expect(page).to_have_url(re.compile("rung=t2"))
    expect(page.get_by_text("Step 2: RNN 2 of 8 outputs")).to_be_visible()
    tab.settle()
    page.get_by_text(t("recurrence.two_ways"), exact=True).click()
    expect(page.get_by_text("RNN in both directions 0 of 8 outputs")).to_be_visible()
    assert tab.wrong == []


def test_the_race_plays_by_a_key_until_the_rnn_is_there(visit):
    link = {"lang": "zh-Hant", "panel": "recurrence", "rung": "n4_t1"}
    tab = visit("/compare", link=link, ready=".js-plotly-plot")
    page = tab.page
    page.keyboard.press("p")
    expect(page.get_by_text("RNN 完成 4 個", exact=False).first).to_be_visible(timeout=20_000)
    expect(page).to_have_url(re.compile("rung=n4_t4"))
    expect(page.get_by_role("button", name=zh("steps.play"))).to_be_visible()
    assert tab.wrong == []


def test_layers_are_measured_here_when_asked(visit):
    tab = visit("/compare", link={"lang": "en", "panel": "costs"}, ready=".js-plotly-plot")
    page = tab.page
    expect(page.get_by_text("Measured on this machine")).to_have_count(0)
    page.get_by_role("button", name=t("measured.begin")).click()
    expect(page.get_by_text("Measured on this machine")).to_be_visible(timeout=90_000)
    expect(page.get_by_role("button", name=t("measured.again"))).to_be_visible()
    assert tab.wrong == []


def test_an_edge_is_clicked_on_and_a_node_asks(visit):
    tab = visit("/compare", link={"lang": "en", "panel": "graph"}, ready=READY)
    page = tab.page
    edges = page.get_by_role("grid", name=t("graph.edges_label"))
    edges.locator(".cell").nth(8 * 1 + 6).click()  # node 2 and node 7
    joined = "01100010"
    expect(page).to_have_url(re.compile(rf"edges=[01]{{8}}\.{joined}"))
    expect(page.get_by_text("the nodes that get all of its weight are 3 of 8")).to_be_visible()
    back = edges.locator(".cell").nth(8 * 6 + 1)
    expect(back).to_have_attribute("aria-selected", "true")
    tab.grid(t("graph.row", name="2")).get_by_role("columnheader").nth(7).click()
    expect(page).to_have_url(re.compile("q=6"))
    expect(page.get_by_text("Node 7 looks along its edges only")).to_be_visible()
    assert tab.wrong == []


def test_a_graph_without_edges_is_said_in_chinese_on_a_dark_phone(visit):
    link = {"lang": "zh-Hant", "panel": "graph", "edges": ".".join(["0" * 8] * 8)}
    tab = visit("/compare", link=link, scheme="dark", phone=True, ready=READY)
    page = tab.page
    expect(page.get_by_text("一條邊也沒有")).to_be_visible()
    assert page.evaluate(SIDEWAYS) == [0, 0]
    for panel in ("recurrence", "linear", "costs"):
        tab = visit(
            "/compare",
            link={"lang": "zh-Hant", "panel": panel},
            scheme="dark",
            phone=True,
            ready=".js-plotly-plot",
        )
        expect(tab.page.get_by_text(zh(f"{panel}.question"))).to_be_visible()
        assert tab.page.evaluate(SIDEWAYS) == [0, 0]
        assert tab.wrong == []


def test_a_size_far_too_large_is_refused_and_what_was_typed_stays(visit):
    link = {"lang": "zh-Hant", "panel": "costs", "rung": "n64_d512"}
    tab = visit("/compare", link=link, locale="zh-TW", ready=".js-plotly-plot")
    page = tab.page
    length = page.locator(".st-key-costs-n input")
    length.fill("1000000000")
    length.press("Enter")
    expect(page.get_by_test_id("stAlert")).to_contain_text("1000000000")
    expect(length).to_have_value("1000000000")
    length.fill("600")
    length.press("Enter")
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    expect(page).to_have_url(re.compile("n600"))
    expect(page.get_by_text("因為 n > d")).to_be_visible()
    assert tab.wrong == []


def test_both_orders_are_read_in_columns(visit):
    link = {"lang": "en", "panel": "linear", "notation": "column"}
    tab = visit("/compare", link=link, ready=READY)
    weights = tab.cells("softmax, ")
    expect(weights.nth(1)).to_have_text("0.03")  # saw ← I: the second column, first row
    tab.grid("softmax, ").get_by_role("columnheader").nth(3).click()
    expect(tab.page).to_have_url(re.compile("q=2"))
    assert tab.wrong == []
