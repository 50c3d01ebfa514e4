"""A picture as vectors: made smaller without a loss of light, and read as a set."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.comparisons.pictures import LIKENESSES, MOST_SIDE, as_vectors, look, reduced, sides


@given(
    height=st.integers(1, 30),
    width=st.integers(1, 30),
    rows=st.integers(1, 16),
    columns=st.integers(1, 16),
)
@settings(max_examples=40, deadline=None)
def test_a_smaller_picture_is_as_bright(height, width, rows, columns):
    points = np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8)
    small = reduced(points, rows, columns)
    assert small.shape == (rows, columns, 3)
    np.testing.assert_allclose(small.mean(axis=(0, 1)), points.mean(axis=(0, 1)) / 255)
    assert small.min() >= 0
    assert small.max() <= 1 + 1e-12


def test_a_smaller_pixel_is_the_mean_of_those_it_covers():
    points = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3)
    small = reduced(points, 2, 3)
    np.testing.assert_allclose(small[1, 2], points[2:, 4:].mean(axis=(0, 1)) / 255)


@pytest.mark.parametrize(
    ("size", "expected"),
    [((224, 224), (16, 16)), ((4_000, 2_000), (16, 8)), ((5, 10), (5, 10)), ((1, 900), (1, 16))],
)
def test_a_picture_keeps_its_proportions(size, expected):
    assert sides(*size) == expected
    assert max(sides(*size)) <= MOST_SIDE


def test_a_picture_without_pixels_is_refused():
    with pytest.raises(ValueError, match="a row and a column"):
        sides(0, 5)


@pytest.mark.parametrize("likeness", LIKENESSES)
def test_the_lectures_picture_is_fifty_vectors(likeness):
    picture = np.random.default_rng(1).random((5, 10, 3))
    trace = look(picture, 20, likeness)
    assert as_vectors(picture).shape == (50, 3)
    assert trace.weights.shape == (50, 50)
    np.testing.assert_allclose(trace.output, trace.weights @ picture.reshape(50, 3))


def test_scores_are_what_they_are_said_to_be():
    picture = np.random.default_rng(2).random((3, 4, 3))
    colours = picture.reshape(12, 3)
    centred = colours - colours.mean(axis=0)
    row, column = np.divmod(np.arange(12), 4)
    squared = (row[:, None] - row) ** 2 + (column[:, None] - column) ** 2
    by_colour, by_place = 7 * centred @ centred.T, -0.1 * squared
    for likeness, scores in (
        ("colour", by_colour),
        ("place", by_place),
        ("both", by_colour + by_place),
    ):
        np.testing.assert_allclose(look(picture, 7, likeness).scores, scores, atol=1e-12)


def test_by_colour_alone_a_picture_is_a_set():
    picture = np.random.default_rng(3).random((4, 5, 3))
    order = np.random.default_rng(4).permutation(20)
    shuffled = picture.reshape(20, 3)[order].reshape(4, 5, 3)
    moved = look(picture, 20).weights[np.ix_(order, order)]
    np.testing.assert_allclose(look(shuffled, 20).weights, moved, atol=1e-12)
    by_place = look(picture, 20, "both").weights[np.ix_(order, order)]
    assert np.abs(look(shuffled, 20, "both").weights - by_place).max() > 0.01


def test_strength_0_reads_the_mean_colour():
    picture = np.random.default_rng(5).random((2, 3, 3))
    mean = np.broadcast_to(picture.mean(axis=(0, 1)), (6, 3))
    np.testing.assert_allclose(look(picture, 0).output, mean)


def test_an_unknown_likeness_is_refused():
    with pytest.raises(ValueError, match="must be one of"):
        look(np.zeros((1, 1, 3)), 1, "smell")
