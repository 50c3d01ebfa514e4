"""Frames of speech: the counts of the lecture, and an overview that no square array is made for."""

import itertools
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention.masks import window
from attnviz.comparisons import speech


def test_a_second_is_a_hundred_frames_and_a_minute_six_thousand():
    assert (speech.frames(1), speech.frames(60)) == (100, 6_000)


def test_the_counts_of_the_table():
    lengths = (100, 500, 1_000, 6_000)
    assert [speech.full_scores(n) for n in lengths] == [10_000, 250_000, 1_000_000, 36_000_000]
    kept = [speech.truncated_scores(n, 10) for n in lengths]
    assert kept == [1_990, 10_390, 20_890, 125_890]


@given(n=st.integers(1, 80), radius=st.integers(0, 90))
def test_truncated_scores_are_the_cells_of_the_mask(n, radius):
    assert speech.truncated_scores(n, radius) == window(n, n, radius).sum()


@given(n=st.integers(1, 90), radius=st.integers(0, 90), most=st.integers(1, 100))
@settings(max_examples=60, deadline=None)
def test_the_overview_is_the_mask_in_blocks(n, radius, most):
    shares, edges = speech.overview(n, radius, most), speech.band_edges(n, most)
    mask = window(n, n, radius)
    assert len(edges) == len(shares) + 1 == min(n, most) + 1
    expected = [
        [mask[a:b, c:d].mean() for c, d in itertools.pairwise(edges)]
        for a, b in itertools.pairwise(edges)
    ]
    np.testing.assert_allclose(shares, expected)


def test_an_overview_of_a_minute_takes_no_square():
    tracemalloc.start()
    shares = speech.overview(6_000, 10)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    sizes = np.diff(speech.band_edges(6_000))
    assert (shares * sizes[:, None] * sizes).sum() == pytest.approx(125_890)
    assert peak < 6_000 * 6_000  # bytes: a byte a score would be more


def test_one_output_hears_a_window():
    assert speech.span(10) == 225
    assert speech.span(0) == 25


@pytest.mark.parametrize(("n", "radius", "layers"), [(6_000, 10, 600), (100, 10, 10), (1, 5, 0)])
def test_layers_link_the_first_frame_with_the_last(n, radius, layers):
    assert speech.layers_to_link(n, radius) == layers
