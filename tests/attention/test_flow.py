"""Attention through all layers, by the largest flow."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from attnviz.attention.flow import MOST_TOKENS, flow
from attnviz.attention.rollout import mixing, rollout
from tests.attention.weights import even, heads

SEEDS = st.integers(0, 2**32 - 1)
CLOSE = 1e-6


def layers(seed: int, n_layers: int, n: int, *, causal: bool = False) -> list[np.ndarray]:
    return [heads(seed + layer, 2, n, causal=causal) for layer in range(n_layers)]


def largest_flow(mixed: list[np.ndarray], source: int, sink: int) -> float:
    """Solve the same by linear programming: what enters a node leaves it, as much as possible."""
    n, n_layers = len(mixed[0]), len(mixed)
    edges = list(itertools.product(range(n_layers), range(n), range(n)))
    kept = np.zeros(((n_layers - 1) * n, len(edges)))
    limits = []
    for place, (layer, upper, lower) in enumerate(edges):
        if layer:
            kept[(layer - 1) * n + lower, place] += 1
        if layer < n_layers - 1:
            kept[layer * n + upper, place] -= 1
        shut = (layer == n_layers - 1 and upper != source) or (layer == 0 and lower != sink)
        limits.append((0, 0 if shut else mixed[layer][upper, lower]))
    arrives = [-float(layer == 0) for layer, _, _ in edges]
    return -linprog(arrives, A_eq=kept, b_eq=np.zeros(len(kept)), bounds=limits).fun


def test_one_layer_carries_what_it_mixes():
    (weights,) = layers(1, 1, 5)
    np.testing.assert_allclose(flow([weights]), mixing(weights), atol=CLOSE)


@settings(deadline=None, max_examples=25)
@given(SEEDS, st.integers(1, 6))
def test_two_layers_carry_through_each_token_the_less_of_two_edges(seed, n):
    maps = layers(seed, 2, n)
    below, above = map(mixing, maps)
    expected = np.minimum(above[:, :, None], below[None, :, :]).sum(axis=1)
    np.testing.assert_allclose(flow(maps), np.minimum(expected, 1), atol=CLOSE)


@settings(deadline=None, max_examples=15)
@given(SEEDS, st.integers(1, 4), st.integers(1, 4), st.booleans())
def test_the_flow_is_what_linear_programming_finds(seed, n_layers, n, causal):
    maps = layers(seed, n_layers, n, causal=causal)
    mixed = [mixing(weights) for weights in maps]
    expected = [[largest_flow(mixed, i, j) for j in range(n)] for i in range(n)]
    np.testing.assert_allclose(flow(maps), expected, atol=2 * CLOSE)


@settings(deadline=None, max_examples=25)
@given(SEEDS, st.integers(1, 5), st.integers(1, 6), st.booleans())
def test_the_flow_is_at_least_the_rollout_and_at_most_what_an_input_lets_out(
    seed, n_layers, n, causal
):
    maps = layers(seed, n_layers, n, causal=causal)
    found = flow(maps)
    assert (found >= rollout(maps) - CLOSE).all()
    assert ((found >= 0) & (found <= 1)).all()
    assert (found <= mixing(maps[0]).sum(axis=0) + CLOSE).all()
    if causal:
        assert (np.triu(found, k=1) == 0).all()


def test_deep_models_fill_the_flow():
    found = flow([even(6)] * 8)
    np.testing.assert_allclose(found, 1, atol=CLOSE)


def test_capacities_rounded_up_carry_no_more_than_all_there_is():
    np.testing.assert_array_equal(flow([even(3)] * 8), np.ones((3, 3)))


def test_normalized_rows_are_divided_by_their_sum():
    maps = layers(3, 3, 5)
    found = flow(maps)
    shares = flow(maps, normalized=True)
    np.testing.assert_allclose(shares, found / found.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_array_equal(
        flow(maps, rows=[2], columns=[4], normalized=True), shares[2:3, 4:]
    )


def test_rows_and_columns_of_the_flow_are_computed_alone():
    maps = layers(4, 4, 5, causal=True)
    found = flow(maps)
    np.testing.assert_array_equal(flow(maps, rows=[3]), found[3:4])
    np.testing.assert_array_equal(flow(maps, columns=[1, 0]), found[:, [1, 0]])
    np.testing.assert_array_equal(flow(maps, rows=[4], columns=[2]), found[4:, 2:3])


def test_progress_is_told_and_may_stop_the_work():
    told = []
    flow(layers(5, 2, 3), rows=[0, 2], progress=lambda *counts: told.append(counts))
    assert told == [(done, 6) for done in range(1, 7)]

    def stop(done: int, total: int) -> None:
        told.append(done)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        flow(layers(5, 2, 3), progress=stop)
    assert len(told) == 7


def test_one_token_and_empty_rows_flow_to_themselves():
    np.testing.assert_array_equal(flow([[[1.0]], [[1.0]]]), [[1]])
    shut = even(3)
    shut[1] = 0
    np.testing.assert_allclose(flow([np.eye(3), shut, np.eye(3)])[1], [0, 1, 0], atol=CLOSE)


def test_as_many_tokens_as_fit_are_carried():
    found = flow([even(MOST_TOKENS)] * 3, rows=[0], columns=[0, 1])
    assert (found <= 1).all()
    assert (found > 0.5).all()


@pytest.mark.parametrize(
    ("maps", "words"),
    [
        ([], r"got \[\]"),
        ([even(2), even(3)], r"got \[2, 3\]"),
        ([even(MOST_TOKENS + 1)], f"1 ... {MOST_TOKENS} tokens, got "),
        ([np.ones((2, 3))], "token, token"),
    ],
)
def test_what_cannot_flow_is_refused(maps, words):
    with pytest.raises(ValueError, match=words):
        flow(maps)
