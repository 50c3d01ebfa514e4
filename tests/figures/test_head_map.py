"""Heads as points, and what was hidden as bars: what is drawn is what was found."""

import numpy as np
import pytest

from attnviz.figures.head_map import head_label, head_scatter, head_scatter_alt, readable
from attnviz.figures.hidden import MOST_NUMBERED, hidden_bars, hidden_bars_alt
from attnviz.models.listed import similar
from attnviz.models.results import Capture
from attnviz.text import LANGUAGES, words

T = words("en")


def found(n_layers: int = 3, n_heads: int = 4, n: int = 8):
    rng = np.random.default_rng(0)
    weights = [rng.dirichlet(np.ones(n), (n_heads, n)).astype(np.float32) for _ in range(n_layers)]
    return similar(Capture.from_attentions(weights, list("abcdefgh")), 0)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_head_stands_at_its_place_in_the_trace_of_its_layer(theme):
    heads = found()
    *layers, rings = head_scatter(heads, T, theme, chosen=[(1, 2)]).data
    assert [trace.name for trace in layers] == ["0", "1", "2"]
    at = heads.heads.index((1, 2))
    assert (layers[1].x[2], layers[1].y[2]) == tuple(heads.places[at])
    assert (rings.x[0], rings.y[0]) == tuple(heads.places[at])
    assert head_label((1, 2)) in rings.text[0]
    assert layers[2].hovertext[3] == "2.3"


def test_layers_differ_in_colour_and_in_shape():
    *layers, _ = head_scatter(found(), T).data
    assert len({trace.marker.color for trace in layers}) == len(layers)
    assert len({trace.marker.symbol for trace in layers}) == len(layers)


def test_both_axes_have_one_scale():
    figure = head_scatter(found(), T)
    assert figure.layout.yaxis.scaleanchor == "x"


def test_names_that_stand_on_each_other_are_left_out():
    crowd = np.array([[0.0, 0.0], [0.001, 0.0], [1.0, 0.0], [0.0, 1.0]])
    named = readable(crowd)
    assert {2, 3} <= named
    assert len({0, 1} & named) == 1
    assert not {0, 1} & readable(crowd, [0])


def test_equal_heads_can_be_drawn():
    same = Capture.from_attentions([np.full((3, 2, 2), 0.5, dtype=np.float32)], ["a", "b"])
    figure = head_scatter(similar(same, 0), T, chosen=[(0, 0)])
    assert np.isfinite(figure.layout.xaxis.range).all()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_of_the_map_name_the_nearest_head(language):
    heads = found()
    near, distance = heads.nearest((0, 1)) or ((-1, -1), 0.0)
    said = head_scatter_alt(heads, words(language), pair=(0, 1), digits=4)
    assert head_label(near) in said
    assert f"{distance:.4f}" in said


def test_the_bars_are_the_weight_that_was_hidden():
    masses = np.array([0.25, 1.0, 0.0])
    figure = hidden_bars(masses, ["<b>", "b", "c"], T)
    np.testing.assert_array_equal(figure.data[0].y, masses)
    assert list(figure.data[0].text) == ["0.25", "1.00", "0.00"]
    assert figure.layout.shapes[0].y0 == pytest.approx(masses.mean())
    assert "<b>" not in figure.layout.xaxis.ticktext[0]
    assert "0.42" in hidden_bars_alt(masses, ["a", "b", "c"], T)


def test_many_bars_have_no_digits():
    masses = np.full(MOST_NUMBERED + 1, 0.5)
    assert hidden_bars(masses, ["x"] * len(masses), T).data[0].text is None
