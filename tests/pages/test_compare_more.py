"""RNN, graph, linear attention and costs on the page Compare, by Streamlit's own test runner."""

import time
from functools import partial
from itertools import product

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz.comparisons import graph as graphs
from attnviz.comparisons.recurrence import Survival
from attnviz.text import LANGUAGES, words
from attnviz.text.numbers import magnitude
from attnviz.ui.rooms.compare import PANELS, racing
from attnviz.ui.rooms.compare.costs import RANGES
from attnviz.ui.rooms.compare.head import FROM_SENTENCE
from tests.pages.reading import asked, linked, parts, said, tables

OWN = ("recurrence", "graph", "linear", "costs")
EMPTY = ".".join(["0" * 8] * 8)
t = words("en")
shown = partial(asked, "compare.py")


def by_name(app: AppTest, key: str) -> dict:
    """Find the matrix of this title."""
    return next(table for table in tables(app) if table["title"] == key)


def markdown(app: AppTest) -> list[str]:
    return [part.value for part in app.markdown]


def test_every_question_of_ours_is_there():
    assert set(OWN) <= set(PANELS)


@pytest.mark.parametrize(("panel", "language"), list(product(OWN, LANGUAGES)))
def test_every_question_opens_in_every_language_and_notation(panel, language):
    for notation in ("row", "column"):
        app = shown(panel, lang=language, notation=notation)
        assert words(language)(f"{panel}.question") in said(app)
        assert app.get("plotly_chart")


@pytest.mark.parametrize("panel", OWN)
@pytest.mark.parametrize(
    "link",
    [
        {"present": "1"},
        {"key": "49", "amount": "7", "rung": "k7", "target": "dilated"},
        {"rung": "n64_t64_d0_k4_r2_s1_o1", "amount": "-1", "q": "40", "target": "both"},
        {"rung": "n999999999_", "amount": "1.5", "draw": "9999"},
        {"edges": EMPTY, "q": "7"},
        {"edges": "1", "rung": "s1", "text": "saw"},
        {"rung": "s1", "text": " ".join(["saw", "the", "xyzzy"] * 10)},
        {"rung": "s1", "mask": "causal", "norm": "relu", "w": "random", "heads": "3", "d": "5"},
        {"rung": "s1", "mask": "graph", "cells": "0000.0000.0000.0000", "loops": "0"},
        {"rung": "s1", "pos": "alibi", "norm": "sigmoid"},
        {"rung": "s1", "pos": "shaw", "dk": "3", "w": "random"},
        {"rung": "s1", "pos": "rotary", "dk": "4", "w": "random", "dv": "7"},
    ],
    ids=str,
)
def test_every_question_makes_sense_of_any_link(panel, link):
    app = shown(panel, **link)
    assert "nan" not in said(app).replace("finance", "")


# --- RNN ---


def test_a_step_finishes_one_output_or_all():
    text = said(shown("recurrence"))
    assert "Step 1: RNN 1 of 8 outputs, self-attention 8 of 8." in text
    left = Survival.of(50, 0.9, 0)
    assert f"**{magnitude(left.rnn[-1])}**" in text
    assert f"**{magnitude(left.attention[-1])}**" in text


def test_the_step_goes_on_and_the_number_of_inputs_changes():
    app = shown("recurrence")
    app.select_slider(key="recurrence.tick").set_value(6).run()
    assert linked(app, "rung") == "t6"
    assert "RNN 6 of 8 outputs" in said(app)
    app.segmented_control(key="recurrence.length").set_value(4).run()
    assert linked(app, "rung") == "t4_n4"
    assert "RNN 4 of 4 outputs" in said(app)


def test_the_race_plays_to_its_end_and_stands_in_the_link(monkeypatch):
    monkeypatch.setattr(racing, "BEAT", 0.0)
    app = shown("recurrence", rung="n4_t1")
    app.button(key="recurrence.play").click().run()
    assert linked(app, "rung") == "n4_t4"
    assert "RNN 4 of 4 outputs" in said(app)
    assert app.button(key="recurrence.play").label == t("steps.play")


def test_the_race_rests_when_asked_and_begins_again_at_its_end(monkeypatch):
    monkeypatch.setattr(racing, "BEAT", 1e9)
    app = shown("recurrence", rung="n8_t8")
    app.button(key="recurrence.play").click().run()
    assert linked(app, "rung") == "n8_t0"
    assert app.button(key="recurrence.play").label == t("steps.pause")
    app.button(key="recurrence.play").click().run()
    assert app.button(key="recurrence.play").label == t("steps.play")
    assert linked(app, "rung") == "n8_t0"


@pytest.mark.parametrize("n", [4, 8, 16, 32, 64])
def test_a_race_takes_at_most_so_many_beats(n):
    assert -(-n // racing.stride(n)) <= racing.MOST_BEATS


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_head_says_whether_the_sentence_is_in_play(language):
    said_ = words(language)("compare.own")
    for panel in PANELS:
        app = shown(panel, lang=language)
        assert (said_ in said(app)) == (panel not in FROM_SENTENCE)
    assert said_ not in said(shown("graph", lang=language, rung="s1"))


def test_the_graph_says_which_edges_the_lecture_names():
    assert "1–5, 1–6, 1–8, 2–3" in said(shown("graph"))
    assert "1–5" not in said(shown("graph", rung="s1"))


def test_two_directions_wait_for_both_ends():
    app = shown("recurrence", rung="n8_t5")
    app.toggle(key="recurrence.both").set_value(True).run()
    assert linked(app, "target") == "both"
    text = said(app)
    assert "RNN in both directions 2 of 8 outputs" in text
    assert "from x₁ to output 8 the way is still 7 steps" in text


def test_another_radius_and_another_draw():
    app = shown("recurrence")
    app.select_slider(key="recurrence.radius").set_value(1.5).run()
    app.button(key="recurrence.again").click().run()
    assert (linked(app, "amount"), linked(app, "draw")) == ("1.5", "1")
    assert f"**{magnitude(Survival.of(50, 1.5, 1).rnn[-1])}**" in said(app)


def test_layers_are_measured_when_asked():
    app = shown("recurrence")
    assert t("measured.again") not in [button.label for button in app.button]
    app.button(key="measure.recurrence").click().run()
    for _ in range(200):
        if "Measured on this machine" in said(app):
            break
        time.sleep(0.2)
        app.run()
    text = said(app)
    assert "Measured on this machine" in text
    assert "| 16 |" in text
    assert "kB" in text
    assert not app.exception


def test_a_projector_has_room_for_the_whole_table_of_costs():
    whole = next(text for text in markdown(shown("costs")) if text.startswith("| "))
    large = next(text for text in markdown(shown("costs", present="1")) if text.startswith("| "))
    assert t("costs.flops") in whole
    assert t("costs.flops") not in large
    assert t("costs.dilated") in large
    assert large.count("\n") == whole.count("\n")


def test_other_sizes_are_not_measured_unasked():
    app = shown("costs", rung="n8_d2")
    app.button(key="measure.costs").click().run()
    assert not [button for button in app.button if button.key == "measure.costs"]
    app.number_input(key="costs.n").set_value(9).run()  # its length changes nothing that is run
    assert not [button for button in app.button if button.key == "measure.costs"]
    app.number_input(key="costs.d").set_value(3).run()
    assert [button for button in app.button if button.key == "measure.costs"]


# --- Graph ---


def test_the_row_of_who_asks_in_three_ways():
    app = shown("graph", q="1")
    found = graphs.Compared.of(graphs.Drawn.of(8, 0), graphs.lecture_graph())
    row = by_name(app, t("graph.row", name="2"))
    assert row["cells"][0][1] == f"{found.masked[1, 1]:.2f}"
    assert row["masked"][0] == (~found.allowed[1]).astype(int).tolist()
    assert row["masked"][1] == [0] * 8
    leak = f"{100 * found.leaked[1]:.1f} %"
    assert f"**{leak}**" in said(app)
    assert leak in str(row["tails"][2])


def test_edges_are_painted_both_ways_or_one():
    app = shown("graph")
    app.button(key="graph.none").click().run()
    assert linked(app, "edges") == ".".join(graphs.as_cells(np.eye(8, dtype=bool)))
    app.toggle(key="graph.loops").set_value(False).run()
    assert linked(app, "edges") == EMPTY
    assert "There is no edge at all" in said(app)
    app.button(key="graph.all").click().run()
    assert "joined with everyone" in said(app)
    app.toggle(key="graph.one_way").set_value(True).run()
    assert linked(app, "rung") == "o1"
    app.button(key="graph.start").click().run()
    assert linked(app, "edges", "gone") in ("", "gone")


def test_one_directions_edges_become_edges_without_one():
    one = np.triu(np.ones((8, 8), dtype=bool))
    app = shown("graph", rung="o1", edges=".".join(graphs.as_cells(one)))
    app.toggle(key="graph.one_way").set_value(False).run()
    assert linked(app, "edges") == ".".join(["1" * 8] * 8)


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_edges_a_node_keeps_itself_by_its_residual_connection(language):
    app, t = shown("graph", lang=language, edges=EMPTY, q="1"), words(language)
    reach = {"layers": 1, "name": "2", "reached": 1, "n": 8}
    assert t("graph.reach", **reach) in said(app)
    alt = t("graph.alt", nodes=8, edges=0, name="2", layers=1, reached=1)
    assert [chart.proto.alt for chart in app.get("plotly_chart")] == [alt]
    hops = by_name(app, t("graph.hops"))
    assert [row[place] for place, row in enumerate(hops["cells"])] == ["0"] * 8
    assert t("graph.hops_note", layers=1) in str(parts(app))
    assert t("graph.added") not in said(app)
    assert t("graph.lecture", edges="") not in said(app)


def test_only_edges_that_are_drawn_are_named():
    one = np.eye(8, dtype=bool)
    one[0, 4] = one[4, 0] = True
    app = shown("graph", edges=".".join(graphs.as_cells(one)))
    assert t("graph.lecture", edges="1–5") in said(app)
    assert t("graph.added") not in said(app)


def test_a_node_alone_is_a_row_of_zeros_and_said():
    cells = graphs.lecture_graph()
    cells[7], cells[:, 7] = False, False
    app = shown("graph", q="7", edges=".".join(graphs.as_cells(cells)))
    assert "Node 8 has no edge, not even to itself" in said(app)
    assert by_name(app, t("graph.row", name="8"))["cells"][0] == ["0"] * 8


def test_the_sentence_in_hand_is_a_chain():
    app = shown("graph", rung="s1", q="1")
    assert "Node saw₂" in said(app)
    painted = next(part["cells"] for part in parts(app) if "turned" in part or "words" in part)
    assert painted == list(graphs.as_cells(graphs.chain(4)))
    app.segmented_control(key="graph.source").set_value("nodes").run()
    assert "Node 2 looks" in said(app)


def test_layers_reach_further():
    app = shown("graph", q="1")
    assert "depends on 2 of 8, itself included" in said(app)
    app.select_slider(key="graph.layers").set_value(6).run()
    assert linked(app, "amount") == "6"
    assert "depends on 8 of 8, itself included" in said(app)


# --- Linear ---


def test_both_weights_of_the_hero_and_the_count():
    app = shown("linear")
    assert "Here it takes **32** multiplications instead of **64**." in said(app)
    softmax, other, difference = tables(app)[:3]
    assert softmax["cells"][1] == ["0.03", "0.21", "0.56", "0.21"]
    assert other["shape"] == softmax["shape"] == difference["shape"] == "(4 × 4)"
    assert [table["shape"] for table in tables(app)[3:5]] == ["(4 × 2)"] * 2


@pytest.mark.parametrize("notation", ["row", "column"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_weights_that_are_no_softmax_are_not_said_to_come_of_exp(language, notation):
    own = words(language)
    for normalizer in ("relu", "sigmoid", "sparsemax"):
        app = shown("linear", lang=language, notation=notation, norm=normalizer)
        text = said(app)
        assert "exp(" not in text
        assert own("linear.otherwise", normalizer=own(f"normalizer.{normalizer}")) in text
    assert own("linear.blunter") in said(shown("linear", lang=language, notation=notation))


def test_every_set_of_weights_has_its_sums():
    app = shown("linear", norm="relu")
    assert [table["tails"][0][0][1] for table in tables(app)[:3]] == ["Σ"] * 3
    turned = shown("linear", norm="relu", notation="column")
    assert [table["feet"][0][1][1] for table in tables(turned)[:3]] == ["Σ"] * 3


def test_a_mask_and_positions_that_linear_attention_cannot_keep_are_said():
    masked = said(shown("linear", mask="window"))
    assert t("linear.masked") in masked
    assert "multiplications instead" not in masked
    causal = said(shown("linear", mask="causal"))
    assert t("linear.causal") in causal
    assert "**32** multiplications instead" in causal
    assert t("linear.biased") in said(shown("linear", pos="alibi"))


def test_the_width_is_slid():
    app = shown("linear")
    app.select_slider(key="linear.width").set_value(512).run()
    assert linked(app, "amount") == "512"


# --- Costs ---


def test_the_table_counts_what_is_in_hand():
    text = said(shown("costs", rung="n1000_d64_k5_r21")).replace("\u202f", "")
    assert "n²·d = 64000000" in text
    assert "n·d² = 4096000" in text
    assert "works more than an RNN" in text
    assert "**r·n·d = 1344000 ↓**" in text
    assert "**4nd² = 16384000 ↓**" in text
    assert "least work: restricted, 1344000" in text
    assert "In all FLOPs, least: RNN, 16384000" in text
    assert "**0 B ↓**" in text
    assert text.count("**1 ↓**") == 4
    assert "⌈(n−1)/⌊k/2⌋⌉ = 500" in text


@pytest.mark.parametrize(
    ("letter", "value"), [("n", 0), ("n", 10**9), ("d", -5), ("d", 10**6), ("k", 101), ("r", 0)]
)
def test_a_size_out_of_range_is_refused_and_kept(letter, value):
    app = shown("costs", rung="n64_d128")
    app.number_input(key=f"costs.{letter}").set_value(value).run()
    least, most = RANGES[letter]
    refused = t("error.costs.range", letter=letter, got=value, least=least, most=most)
    assert refused in app.error[0].value.replace("\\", "")
    assert app.number_input(key=f"costs.{letter}").value == value
    assert linked(app, "rung") == "n64_d128"
    app.number_input(key=f"costs.{letter}").set_value(9).run()
    assert not app.error
    assert f"{letter}9" in linked(app, "rung").split("_")


def test_even_kernels_are_refused():
    app = shown("costs")
    app.number_input(key="costs.k").set_value(4).run()
    assert t("error.costs.odd", letter="k", got=4, below=3) in app.error[0].value.replace("\\", "")
    app.number_input(key="costs.k").set_value(None).run()
    assert not app.error
