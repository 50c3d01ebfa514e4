"""`attnviz.show`: a trace in a notebook, without a network."""

import numpy as np
import pytest

import attnviz
from attnviz.scene import scene_of
from attnviz.settings import Settings

INPUTS = np.array([[1, 0, 2], [0, 1, 1], [1, 1, 0], [0, 1, 1]])
TOKENS = ["I", "saw", "<a>", "saw"]
LAYER = attnviz.attend_heads(INPUTS, attnviz.Projections.random(3, 2, 2, 2, seed=1))


@pytest.mark.parametrize(
    ("trace", "n_tables"),
    [
        (attnviz.attend(INPUTS, INPUTS, INPUTS), 6),
        (LAYER, 2 * 3 + 2 + 2 * 6 + 2),
        (scene_of(Settings()), 10),
    ],
    ids=["head", "layer", "scene"],
)
def test_a_notebook_gets_every_matrix_as_a_table_and_asks_no_network(trace, n_tables):
    html = attnviz.show(trace)._repr_html_()
    assert html.count("<table>") == n_tables
    assert "http" not in html
    assert "<script" not in html


def test_tokens_name_the_rows_and_are_escaped():
    html = attnviz.show(attnviz.attend(INPUTS, INPUTS, INPUTS), TOKENS)._repr_html_()
    assert "<bdi>&lt;a&gt;</bdi>₃" in html
    assert "<a>" not in html


def test_a_scene_brings_its_own_tokens():
    html = attnviz.show(scene_of(Settings(), "zh-Hant"), language="zh-Hant")._repr_html_()
    assert "<bdi>會</bdi>₂" in html
    assert "列(row)" in html


def test_each_query_needs_a_token():
    with pytest.raises(ValueError, match="4 queries, got 1"):
        attnviz.show(LAYER, ["a"])


def test_a_long_trace_is_shown_in_part_and_says_so():
    long = np.random.default_rng(0).normal(size=(200, 4))
    many = attnviz.attend_heads(long, attnviz.Projections.random(4, 12, 2, 2, seed=0))
    html = attnviz.show(many)._repr_html_()
    assert html.count("<table>") == 60
    assert "more matrices" in html
    assert len(html) < 1_000_000


@pytest.mark.parametrize(
    "trace",
    [attnviz.attend(INPUTS, INPUTS, INPUTS), LAYER, scene_of(Settings())],
    ids=["head", "layer", "scene"],
)
def test_a_saved_page_has_figures_and_tables(trace, tmp_path):
    attnviz.show(trace, TOKENS).save(tmp_path / "page.html")
    html = (tmp_path / "page.html").read_text("utf-8")
    assert "<figure>" in html
    assert "<table>" in html
    assert "plotly.js v" in html


def test_one_query_over_other_keys_is_shown_too(tmp_path):
    trace = attnviz.attend(INPUTS[:1], INPUTS, INPUTS)
    shown = attnviz.show(trace, ["I"])
    shown.save(tmp_path / "page.html")
    assert "1\u00a0×\u00a04" in shown._repr_html_()
