"""Heads as points, and what was hidden as bars: what is drawn is what was found."""

import itertools

import numpy as np
import pytest

from attnviz.figures import head_map
from attnviz.figures.head_map import head_label, head_names, head_scatter, head_scatter_alt
from attnviz.figures.hidden import MOST_NUMBERED, hidden_bars, hidden_bars_alt
from attnviz.figures.names_apart import Lettering, box
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
    *layers, rings, _few, _more = head_scatter(heads, T, theme, chosen=[(1, 2)]).data
    assert [trace.name for trace in layers] == ["0", "1", "2"]
    at = heads.heads.index((1, 2))
    assert (layers[1].x[2], layers[1].y[2]) == tuple(heads.places[at])
    assert (rings.x[0], rings.y[0]) == tuple(heads.places[at])
    assert head_label((1, 2)) in rings.text[0]
    assert layers[2].hovertext[3] == "2.3"


def test_layers_differ_in_colour_and_in_shape():
    *layers, _rings, _few, _more = head_scatter(found(), T).data
    assert len({trace.marker.color for trace in layers}) == len(layers)
    assert len({trace.marker.symbol for trace in layers}) == len(layers)


def test_both_axes_have_one_scale():
    figure = head_scatter(found(), T)
    assert figure.layout.yaxis.scaleanchor == "x"


@pytest.mark.parametrize(("n_layers", "n_heads"), [(1, 4), (6, 12), (12, 12)])
def test_no_name_stands_over_another_or_over_anothers_point(n_layers, n_heads):
    heads = found(n_layers, n_heads)
    held = [1]
    few, more, sides = head_names(heads, held)
    assert set(sides) == set(held)
    assert not set(few) & set(more)
    assert not (set(few) | set(more)) & set(held)
    for across, shown in ((290, few), (1100, few | more), (800, few | more), (600, few | more)):
        scale = head_map._pixels(heads.places, across)
        pixels = heads.places * (scale, -scale)
        boxes = [
            box(pixels[row], head_label(heads.heads[row]), side, Lettering())
            for row, side in shown.items()
        ]
        boxes += [box(pixels[1], head_label(heads.heads[1]), sides[1], Lettering(14, 20))]
        for one, other in itertools.combinations(boxes, 2):
            apart = (one[:2] >= other[2:]) | (other[:2] >= one[2:])
            assert apart.any()
        for row, own in zip(shown, boxes, strict=False):
            others = np.delete(pixels, row, axis=0)
            inside = ((others > own[:2]) & (others < own[2:])).all(axis=1)
            assert not inside.any()


def test_the_nearest_and_the_outermost_heads_are_named_first():
    heads = found(6, 12)
    held = [heads.heads.index((3, 1))]
    few, _more, _sides = head_names(heads, held)
    near = heads.nearest((3, 1))
    assert near is not None
    away = np.linalg.norm(heads.places - heads.places.mean(axis=0), axis=1)
    first = next(row for row in np.argsort(-away) if row not in held)
    free, named = [heads.heads.index(near[0]), int(first)], set(few)
    assert named & set(free)
    assert len(few) >= 10


def test_few_heads_are_all_named():
    heads = found(1, 4)
    few, more, sides = head_names(heads, [0])
    assert set(few) | set(more) | set(sides) == {0, 1, 2, 3}


def test_equal_heads_are_named_around_their_point():
    same = similar(Capture.from_attentions([np.full((5, 2, 2), 0.5, np.float32)], ["a", "b"]), 0)
    few, more, _ = head_names(same, [])
    assert 1 <= len(few | more) < 5


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
