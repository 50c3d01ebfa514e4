"""The map of a real head as a figure: cells while they are few, one image when they are many."""

import base64
import struct
import zlib

import numpy as np
import pytest

from attnviz.figures.notation import COLUMN, ROW
from attnviz.figures.theme import THEMES, rgb
from attnviz.figures.weight_maps import weight_map, weight_map_alt
from attnviz.models.layers import Layer
from attnviz.models.results import Capture, Token
from attnviz.models.views import View, view
from attnviz.models.visible import Visible
from attnviz.text import LANGUAGES, words


def shown(n: int, ahead: int | None = None) -> View:
    query, key = np.random.default_rng(0).normal(size=(2, 1, n, 3)).astype(np.float32)
    visible = Visible(n_query=n, n_key=n, ahead=ahead)
    layer = Layer(name="a", visible=visible, query=query, key=key)
    return view(Capture(tokens=tuple(Token(text=f"t{i}") for i in range(n)), layers=(layer,)), 0, 0)


def image_of(figure) -> tuple[np.ndarray, np.ndarray]:
    """Read the image of a figure: the number of each point's colour, and the colours."""
    data = base64.b64decode(figure.layout.images[0].source.partition(",")[2])
    parts, at = {}, 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        parts[data[at + 4 : at + 8]] = data[at + 8 : at + 8 + length]
        at += 12 + length
    wide, high = struct.unpack(">II", parts[b"IHDR"][:8])
    lines = np.frombuffer(zlib.decompress(parts[b"IDAT"]), np.uint8).reshape(high, wide + 1)
    return lines[:, 1:], np.frombuffer(parts[b"PLTE"], np.uint8).reshape(-1, 3)


@pytest.mark.parametrize("notation", [ROW, COLUMN])
def test_an_image_has_the_root_of_each_weight_and_another_colour_where_none_may_be(notation):
    found = shown(80, ahead=0)
    figure = weight_map(found, words("en"), notation=notation)
    levels, colours = image_of(figure)
    times = len(levels) // 80
    cells = notation.laid(levels[::times, ::times])
    below = np.tril(np.ones((80, 80), dtype=bool))
    np.testing.assert_allclose(cells[below] / 254, np.sqrt(found.weights[below]), atol=0.002)
    assert (cells[~below] == 255).all()
    assert tuple(colours[255]) == rgb(THEMES["light"].grid)
    assert (levels == np.repeat(np.repeat(levels[::times, ::times], times, 0), times, 1)).all()


def test_a_legend_says_which_shade_is_which_weight():
    figure = weight_map(shown(80), words("en"))
    legend = figure.layout.coloraxis.colorbar
    marks = np.array([float(text) for text in legend.ticktext])
    np.testing.assert_allclose(np.square(legend.tickvals), marks, atol=1e-12)


def test_few_tokens_are_cells_with_their_weights():
    found = shown(12)
    figure = weight_map(found, words("en"), title="A <b>")
    np.testing.assert_allclose(figure.data[0].z, found.weights)
    assert "&lt;b&gt;" in figure.layout.title.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_say_where_the_largest_weight_is(language):
    t = words(language)
    found = shown(1030)
    said = weight_map_alt(found, t, title="A", digits=3)
    row, column = np.unravel_index(found.weights.argmax(), found.weights.shape)
    assert f"{found.weights.max():.3f}" in said
    assert found.queries[found.row_edges[row]] in said
    assert found.keys[found.column_edges[column]] in said
    assert t("figure.block_title", title="A") in weight_map(found, t, title="A").layout.title.text


def test_words_of_a_short_map_name_the_largest_of_each_row():
    found = shown(3)
    said = weight_map_alt(found, words("en"), title="A", digits=4)
    assert all(f"{row.max():.4f}" in said for row in found.weights)
