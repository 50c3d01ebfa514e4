"""How far heads are apart, and their map."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist, squareform
from scipy.stats import entropy

from attnviz.attention.heads import (
    comparable_heads,
    head_distances,
    head_divergences,
    head_map,
    map_share,
    nearest_heads,
)
from attnviz.attention.rows import jensen_shannon
from tests.attention.weights import even, heads

SEEDS = st.integers(0, 2**32 - 1)


@settings(deadline=None, max_examples=40)
@given(SEEDS, st.integers(1, 4), st.integers(1, 6), st.booleans())
def test_heads_are_as_far_apart_as_their_rows_on_average(seed, n_heads, n, causal):
    weights = heads(seed, n_heads, n, causal=causal)
    found = head_divergences(weights)
    for one, other in np.ndindex(n_heads, n_heads):
        rows = jensen_shannon(weights[one], weights[other])
        np.testing.assert_allclose(found[one, other], rows.mean(), atol=1e-12)
        middle = (weights[one] + weights[other]) / 2
        scipys = [entropy(weights[head], middle, axis=1) for head in (one, other)]
        np.testing.assert_allclose(found[one, other], np.mean(scipys), atol=1e-12)
    np.testing.assert_allclose(head_divergences(weights, over="sum"), found * n)
    assert ((found >= 0) & (found <= np.log(2) + 1e-12)).all()


@settings(deadline=None, max_examples=40)
@given(SEEDS, st.integers(1, 6))
def test_the_distance_is_a_metric(seed, n):
    apart = head_distances(heads(seed, 4, n))
    np.testing.assert_array_equal(apart, apart.T)
    np.testing.assert_array_equal(np.diag(apart), 0)
    assert (apart[:, None, :] <= apart[:, :, None] + apart[None, :, :] + 1e-7).all()


def test_heads_that_share_no_key_are_as_far_apart_as_can_be():
    weights = [np.eye(3), np.eye(3)[[1, 2, 0]], np.eye(3)]
    np.testing.assert_allclose(
        head_divergences(weights), np.log(2) * np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    )


def test_queries_that_see_nothing_in_both_heads_are_left_out():
    weights = heads(1, 2, 3)
    weights[:, 1] = 0
    expected = jensen_shannon(weights[0], weights[1])[[0, 2]].mean()
    np.testing.assert_allclose(head_divergences(weights)[0, 1], expected)
    assert head_divergences(np.zeros((2, 3, 3)))[0, 1] == 0


def test_rows_that_are_no_distribution_are_not_compared():
    weights = heads(2, 3, 3)
    weights[1, 0] *= 2
    found = head_divergences(weights)
    assert np.isnan(found[1]).all()  # nor are they at 0 from themselves
    assert np.isnan(found[:, 1]).all()
    assert (found[0, 0], found[2, 2]) == (0, 0)
    assert np.isfinite(found[0, 2])
    emptied = heads(2, 2, 3)
    emptied[1, 0] = 0
    assert np.isnan(head_divergences(emptied)[0, 1])


@settings(deadline=None, max_examples=60)
@given(SEEDS, st.integers(1, 6), st.integers(1, 4), st.data())
def test_heads_that_can_be_compared_have_every_distance_and_a_place(seed, n_heads, n, data):
    weights = heads(seed, n_heads, n)
    for head in range(n_heads):
        for row in range(n):
            weights[head, row] *= data.draw(st.sampled_from([1, 1, 1, 0, 1 + 1e-7, 0.9995, np.nan]))
    kept = comparable_heads(weights)
    distances = head_distances(weights[kept])
    assert np.isfinite(distances).all()
    if kept.any():
        assert head_map(distances).shape == (kept.sum(), 2)


def test_heads_kept_as_float64_are_as_far_apart_as_in_float32():
    rows = np.random.default_rng(0).dirichlet(np.full(192, 0.1), (4, 192)).astype(np.float32)
    assert (np.abs(rows.sum(axis=-1, dtype=float) - 1) > 2e-8).any()
    found = head_distances(rows.astype(float))
    np.testing.assert_allclose(found, head_distances(rows), atol=1e-6)
    assert comparable_heads(rows.tolist()).all()


def test_half_precision_and_tensors_are_read():
    weights = heads(3, 3, 4)
    expected = head_divergences(weights)
    np.testing.assert_allclose(head_divergences(torch.tensor(weights)), expected)
    np.testing.assert_allclose(head_divergences(weights.astype(np.float16)), expected, atol=1e-3)


@settings(deadline=None, max_examples=40)
@given(SEEDS, st.integers(3, 8))
def test_a_map_of_points_in_a_plane_keeps_every_distance(seed, n_points):
    points = np.random.default_rng(seed).normal(size=(n_points, 2))
    apart = squareform(pdist(points))
    found = head_map(apart)
    np.testing.assert_allclose(squareform(pdist(found)), apart, atol=1e-6)
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=1e-9)
    assert found[:, 0].var() >= found[:, 1].var() - 1e-9
    assert (found.max(axis=0) >= -found.min(axis=0) - 1e-6).all()
    assert map_share(apart) == pytest.approx(1)


@settings(deadline=None, max_examples=40)
@given(SEEDS)
def test_turning_and_moving_the_points_gives_the_same_map(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(5, 2)) * [3, 1]
    turn, _ = np.linalg.qr(rng.normal(size=(2, 2)))
    moved = points @ turn + rng.normal(size=2)
    np.testing.assert_allclose(
        head_map(squareform(pdist(moved))), head_map(squareform(pdist(points))), atol=1e-5
    )


def test_two_heads_stand_on_a_line_with_the_first_to_the_right():
    np.testing.assert_allclose(head_map([[0, 3], [3, 0]]), [[1.5, 0], [-1.5, 0]], atol=1e-12)


@pytest.mark.parametrize("n_points", range(2, 12))
def test_of_two_heads_equally_far_out_the_first_is_on_the_positive_side(n_points):
    places = np.linspace(-1, 1, n_points) / 3
    found = head_map(np.abs(places[:, None] - places))
    np.testing.assert_allclose(found[:, 0], -places, atol=1e-7)


def test_three_heads_in_a_row_are_placed_by_hand():
    apart = [[0, 1, 4], [1, 0, 3], [4, 3, 0]]  # at 0, 1 and 4, with their mean at 5/3
    expected = np.array([-5 / 3, -2 / 3, 7 / 3])
    np.testing.assert_allclose(head_map(apart), np.stack([expected, expected * 0], 1), atol=1e-7)


def test_one_head_stands_in_the_middle_and_heads_alike_on_one_spot():
    np.testing.assert_array_equal(head_map([[0.0]]), [[0, 0]])
    np.testing.assert_array_equal(head_map(np.zeros((3, 3))), np.zeros((3, 2)))
    assert map_share(np.zeros((3, 3))) is None


def test_a_plane_cannot_keep_all_heads_equally_far_apart():
    assert map_share(1 - np.eye(4)) == pytest.approx(2 / 3)


def test_the_most_alike_come_first_and_the_unknown_last():
    apart = [[0, 0.3, 0.1, np.nan, 0.3]] * 5
    assert nearest_heads(apart, 0) == [2, 1, 4, 3]


@pytest.mark.parametrize(
    "distances", [np.ones((2, 3)), [[0, np.nan], [np.nan, 0]], [[0.0, 1], [2, 0]], [0.0, 1.0]]
)
def test_what_is_no_table_of_distances_is_refused(distances):
    with pytest.raises(ValueError, match="distances must be"):
        head_map(distances)


def test_one_map_alone_is_refused_and_so_is_an_unknown_way_to_add_up():
    with pytest.raises(ValueError, match="must be \\(head, query, key\\)"):
        head_divergences(even(3))
    with pytest.raises(ValueError, match="over must be"):
        head_divergences(heads(1, 2, 2), over="max")
