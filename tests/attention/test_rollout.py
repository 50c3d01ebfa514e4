"""Attention through all layers, by products."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention.rollout import mixing, rollout, rollout_by_layer
from tests.attention.weights import even, heads

SEEDS, LAYERS, LENGTHS = st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 6)
IDENTITY = np.eye(3)
LAST_TO_MIDDLE = [[1, 0, 0], [0, 1, 0], [0, 1, 0]]
MIDDLE_TO_FIRST = [[1, 0, 0], [1, 0, 0], [0, 0, 1]]


def test_two_layers_worked_out_by_hand_have_the_later_one_on_the_left():
    np.testing.assert_allclose(
        rollout([MIDDLE_TO_FIRST, LAST_TO_MIDDLE]),
        [[1, 0, 0], [0.5, 0.5, 0], [0.25, 0.25, 0.5]],
    )
    np.testing.assert_allclose(
        rollout([LAST_TO_MIDDLE, MIDDLE_TO_FIRST]),
        [[1, 0, 0], [0.5, 0.5, 0], [0, 0.5, 0.5]],
    )


def test_one_layer_is_half_what_it_had_and_half_the_mean_of_its_heads():
    weights = heads(1, 3, 4)
    np.testing.assert_allclose(rollout([weights]), np.eye(4) / 2 + weights.mean(axis=0) / 2)
    np.testing.assert_allclose(rollout([weights], residual=False), weights.mean(axis=0))


@settings(deadline=None, max_examples=40)
@given(SEEDS, LAYERS, LENGTHS, st.booleans(), st.sampled_from(["mean", "max"]))
def test_rows_are_shares_that_keep_something_of_their_own_token(seed, n_layers, n, causal, fusion):
    layers = [heads(seed + layer, 2, n, causal=causal) for layer in range(n_layers)]
    found = rollout(layers, fusion=fusion)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert ((found >= 0) & (found <= 1 + 1e-12)).all()
    assert (np.diag(found) >= 2.0**-n_layers - 1e-12).all()
    if causal:
        assert (np.triu(found, k=1) == 0).all()


@settings(deadline=None, max_examples=40)
@given(SEEDS, LENGTHS)
def test_layers_after_one_another_multiply(seed, n):
    layers = np.stack([heads(seed + layer, 2, n) for layer in range(3)])
    steps = list(rollout_by_layer(layers))
    np.testing.assert_allclose(steps[0], mixing(layers[0]))
    np.testing.assert_allclose(steps[1], rollout(layers[:2]))
    np.testing.assert_allclose(steps[2], mixing(layers[2]) @ mixing(layers[1]) @ mixing(layers[0]))


@settings(deadline=None, max_examples=40)
@given(SEEDS, LENGTHS)
def test_heads_that_are_alike_are_fused_to_themselves_either_way(seed, n):
    weights = np.repeat(heads(seed, 1, n), 3, axis=0)
    np.testing.assert_allclose(mixing(weights, fusion="max"), mixing(weights))
    np.testing.assert_allclose(mixing(weights), mixing(weights[0]))


def test_the_largest_of_two_heads_is_made_shares_again():
    weights = np.stack([IDENTITY[:2, :2], IDENTITY[:2, 1::-1]])
    np.testing.assert_allclose(mixing(weights, fusion="max", residual=False), np.full((2, 2), 0.5))
    half = [[[0.9, 0.1], [0.5, 0.5]], [[0.3, 0.7], [0.5, 0.5]]]
    found = mixing(half, fusion="max", residual=False)
    np.testing.assert_allclose(found[0], [0.9 / 1.6, 0.7 / 1.6])


def test_a_query_that_sees_nothing_keeps_what_it_has():
    weights = np.stack([even(3, causal=True)] * 2)
    weights[:, 1] = 0
    for residual in (True, False):
        np.testing.assert_array_equal(mixing(weights, residual=residual)[1], [0, 1, 0])
    np.testing.assert_allclose(rollout([weights, weights]).sum(axis=1), 1)


def test_a_head_that_sees_nothing_has_no_say():
    weights = np.stack([even(3), np.zeros((3, 3))])
    np.testing.assert_allclose(mixing(weights), mixing(even(3)))


@settings(deadline=None, max_examples=40)
@given(SEEDS, LENGTHS, st.floats(0.01, 100))
def test_weights_that_do_not_sum_to_1_are_made_shares_first(seed, n, factor):
    weights = heads(seed, 2, n)
    scaled = weights * np.array([factor, 1])[:, None, None]
    np.testing.assert_allclose(rollout([scaled]), rollout([weights]), rtol=1e-9)


def test_layers_that_look_at_nothing_but_themselves_leave_all_as_it_was():
    np.testing.assert_array_equal(rollout([IDENTITY] * 5), IDENTITY)


def test_single_precision_stays_single_and_tensors_are_read():
    layers = [heads(seed, 2, 5).astype(np.float32) for seed in range(3)]
    found = rollout(layers)
    assert found.dtype == np.float32
    np.testing.assert_allclose(rollout([torch.tensor(layer) for layer in layers]), found)
    np.testing.assert_allclose(rollout(iter(layers)), found)


@pytest.mark.parametrize(
    ("layers", "words"),
    [
        ([], "at least one layer"),
        ([np.ones((2, 3))], "token, token"),
        ([np.ones(3)], "token, token"),
        ([even(2), even(3)], "same tokens, got 2 and 3"),
        ([[[1.5, -0.5], [0, 1]]], "not be negative, got -0.5"),
    ],
)
def test_what_is_no_stack_of_self_attention_is_refused(layers, words):
    with pytest.raises(ValueError, match=words):
        rollout(layers)


def test_an_unknown_fusion_is_refused_with_those_there_are():
    with pytest.raises(ValueError, match=r"\['mean', 'max'\], got 'median'"):
        rollout([even(2)], fusion="median")
