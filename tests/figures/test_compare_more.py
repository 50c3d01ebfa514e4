"""The pictures and the code of RNN, graph, linear attention and costs, on the page Compare."""

from datetime import UTC, datetime

import numpy as np
import pytest

from attnviz.attention import attend
from attnviz.attention.masks import causal
from attnviz.comparisons import costs as counted
from attnviz.comparisons import graph as graphs
from attnviz.comparisons.linear import Orders
from attnviz.comparisons.measured import Measured
from attnviz.comparisons.recurrence import Survival, ready
from attnviz.figures import code_comparisons, costs, curves, graph, measured, recurrence
from attnviz.text import LANGUAGES, words
from tests.figures.test_compare import run

THEMES = ("light", "dark")


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("reader", ["rnn", "both", "attention"])
@pytest.mark.parametrize(("n", "tick"), [(1, 0), (8, 5), (64, 64)])
def test_finished_outputs_are_filled(t, theme, reader, n, tick):
    figure = recurrence.lane(n, tick, reader, t, theme)
    inputs, outputs = figure.data[2], figure.data[-1]
    assert len(inputs.x) == len(outputs.x) == n
    hollow = curves.THEMES[theme].page
    filled = [colour != hollow for colour in outputs.marker.color]
    assert filled == ready(n, tick, reader).tolist()
    alt = recurrence.lane_alt(n, tick, reader, t)
    assert f"{sum(filled)} of {n}" in alt


def test_self_attention_joins_everyone_and_an_rnn_its_neighbours(t):
    n = 5
    joined = recurrence.lane(n, n, "attention", t).data[1]
    assert np.isnan(joined.x.astype(float)).sum() == n * n
    joined = recurrence.lane(n, n, "rnn", t).data[1]
    assert np.isnan(joined.x.astype(float)).sum() == n + n - 1


@pytest.mark.parametrize("theme", THEMES)
def test_what_is_left_is_drawn_place_by_place(t, theme):
    found = Survival.of(30, 0.9, 1)
    attention, rnn, rule = recurrence.survival_curves(found, t, theme).data
    np.testing.assert_allclose(attention.y, found.attention)
    np.testing.assert_allclose(rnn.y, found.rnn)
    np.testing.assert_allclose(rule.y, 0.9 ** np.arange(30))
    assert len({attention.line.dash, rnn.line.dash, rule.line.dash}) == 3
    assert "30" in recurrence.survival_alt(found, t)


def test_names_at_the_ends_of_curves_keep_apart():
    x = np.array([1, 2])
    lines = [curves.Curve("rnn", str(k), x, np.array([1.0, 2.0])) for k in range(4)]
    notes = curves.curves(lines, ("x", "y")).layout.annotations
    heights = sorted(note.yshift for note in notes)
    assert np.diff(heights).min() >= 16


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("edges", ["lecture", "none", "one_way"])
def test_edges_of_who_asks_are_as_wide_as_their_weights(t, theme, edges):
    allowed = {
        "lecture": graphs.lecture_graph(),
        "none": np.zeros((8, 8), dtype=bool),
        "one_way": np.triu(np.ones((8, 8), dtype=bool)),
    }[edges]
    found = graphs.Compared.of(graphs.Drawn.of(8, 0), allowed)
    names = [str(node + 1) for node in range(8)]
    figure = graph.node_link(found, 0, 2, names, t, theme, both_ways=edges != "one_way")
    keys = [key for key in np.flatnonzero(allowed[0]) if key != 0]
    widths = [trace.line.width for trace in figure.data[1 : 1 + len(keys)]]
    np.testing.assert_allclose(widths, 1.5 + 9 * found.masked[0, keys])
    outlines = [width == 3 for width in figure.data[-1].marker.line.width]
    assert outlines == found.reached(0, 2).tolist()
    said = [note.text for note in figure.layout.annotations]
    assert len(said) == allowed[0].sum()
    alt = graph.node_link_alt(found, 0, 2, names, t)
    assert str(graph.edges_between(found)) in alt


def test_edges_that_the_lecture_names_are_solid_and_the_others_dashed(t):
    found = graphs.Compared.of(graphs.Drawn.of(8, 0), graphs.lecture_graph())
    names = [str(node + 1) for node in range(8)]
    solid = {(one - 1, other - 1) for one, other in graphs.LECTURE_EDGES}
    figure = graph.node_link(found, 1, 1, names, t, solid=solid)
    drawn = {trace.line.dash: len(trace.x) // 3 for trace in figure.data[:2]}
    # node 2 asks: its own edge stands apart; an edge drawn twice would fill its gaps
    assert drawn == {"solid": len(graphs.LECTURE_EDGES) - 1, "dash": len(graphs.OWN_EDGES)}
    assert figure.data[2].line.dash == "solid"
    asked = graph.node_link(found, 6, 1, names, t, solid=solid)
    assert asked.data[2].line.dash == "dash"


def test_one_node_stands_in_the_middle(t):
    found = graphs.Compared.of(graphs.Drawn.of(1, 0), graphs.chain(1))
    figure = graph.node_link(found, 0, 1, ["saw"], t)
    assert (figure.data[-1].x[0], figure.data[-1].y[0]) == (0, 0)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("n", "d"), [(100, 512), (512, 512), (1_000_000, 1)])
def test_work_is_drawn_as_it_is_counted(t, theme, n, d):
    figure = costs.work_curves(n, d, 3, 21, t, theme)
    for name, trace in zip(counted.LAYERS, figure.data, strict=True):
        expected = [counted.all_layers(int(at), d, 3, 21)[name].work for at in trace.x]
        np.testing.assert_allclose(trace.y, expected)
    assert {shape.x0 for shape in figure.layout.shapes} == {n, d}
    assert len({trace.line.dash for trace in figure.data}) == 4
    assert t("costs.rnn") in costs.work_curves_alt(n, d, 3, 21, t)


def test_both_orders_meet_at_the_width(t):
    square, state = costs.order_curves(64, t).data
    assert square.y[6] == state.y[6] == 2 * 64**3  # n = 2⁶
    assert costs.order_curves(64, t).layout.shapes[0].x0 == 64
    assert "64" in costs.order_curves_alt(64, t)


@pytest.mark.parametrize("what", measured.WHAT)
def test_what_was_measured_is_drawn_with_its_units(t, what):
    found = Measured(
        (16, 32, 64),
        8,
        3,
        21,
        {"attention": (1e-3, 2e-3, 5e-3), "rnn": (1e-4, 2e-4, 4e-4)},
        {"attention": (2_000, 8_000, 3_200_000), "rnn": (100, 200, 400)},
        datetime(2024, 2, 3, tzinfo=UTC),
        4,
    )
    figure = measured.measured_curves(found, what, t)
    first = [1, 2, 5] if what == "seconds" else [2, 8, 3_200]
    np.testing.assert_allclose(figure.data[0].y, first)
    last = {"seconds": "5 ms", "memory": "3.2 MB"}[what]
    assert last == measured.written(found, what, "attention", -1)
    assert last in measured.measured_alt(found, what, t)


# --- Code ---


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("n", "radius", "seed"), [(50, 0.9, 0), (3, 1, 7), (20, 1.5, 9_999)])
def test_code_of_the_rnn(language, n, radius, seed):
    found = Survival.of(n, radius, seed)
    for write in (code_comparisons.recurrence_numpy, code_comparisons.recurrence_package):
        names = run(write(n, radius, seed, words(language)))
        np.testing.assert_allclose(names["rnn"], found.rnn, rtol=1e-9)
        np.testing.assert_allclose(names["attention"], found.attention, rtol=1e-9)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("edges", ["lecture", "none", "one_way"])
def test_code_of_the_graph(language, edges):
    allowed = {
        "lecture": graphs.lecture_graph(),
        "none": np.zeros((8, 8), dtype=bool),
        "one_way": np.triu(np.ones((8, 8), dtype=bool), 1),
    }[edges]
    drawn = graphs.Drawn.of(8, 5)
    found = graphs.Compared.of(drawn, allowed)
    labels = ["a", "'", '"""', "\n", "5", "6", "7", "8"]
    for write in (code_comparisons.graph_numpy, code_comparisons.graph_package):
        names = run(write(drawn, allowed, labels, words(language)))
        for name in ("masked", "zero", "gat", "gat2", "leaked", "hops"):
            np.testing.assert_allclose(names[name], getattr(found, name), atol=1e-12)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("mask", [None, causal(4, 4), np.zeros((4, 4), dtype=bool)])
def test_code_of_linear_attention(language, mask):
    rng = np.random.default_rng(0)
    q, k, v = (rng.normal(size=(4, width)) for width in (2, 2, 3))
    found = Orders.of(attend(q, k, v, mask=mask), mask)
    for write in (code_comparisons.linear_numpy, code_comparisons.linear_package):
        names = run(write(q, k, v, mask, words(language)))
        np.testing.assert_allclose(names["weights"], found.linear.weights, atol=1e-12)
        np.testing.assert_allclose(names["output"], found.linear.output, atol=1e-12)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("sizes", [(100, 512, 3, 21), (1, 1, 1, 1), (5, 7, 9, 9_999)])
def test_code_of_the_costs(language, sizes):
    found = counted.all_layers(*sizes)
    for write in (code_comparisons.costs_numpy, code_comparisons.costs_package):
        names = run(write(*sizes, words(language)))
        for what in ("work", "flops"):
            assert names[what] == {name: getattr(cost, what) for name, cost in found.items()}
        linked = {
            name: cost.path for name, cost in found.items() if names["path"][name] is not None
        }
        assert {name: names["path"][name] for name in linked} == linked
