"""The part of the weights that reaches the output."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention.effective import effective_attention
from tests.attention.weights import heads

SEEDS = st.integers(0, 2**32 - 1)


def values(seed: int, n: int, d_v: int, rank: int | None = None) -> np.ndarray:
    rng = np.random.default_rng(seed)
    wide = rng.normal(size=(2, n, rank or d_v))
    return wide if rank is None else wide @ rng.normal(size=(rank, d_v))


@settings(deadline=None, max_examples=40)
@given(SEEDS, st.integers(1, 7), st.integers(1, 5), st.integers(1, 3))
def test_the_output_stays_and_what_is_taken_away_turns_to_nothing(seed, n, d_v, rank):
    weights, vectors = heads(seed, 2, n), values(seed, n, d_v, rank)
    effective = effective_attention(weights, vectors)
    np.testing.assert_allclose(effective @ vectors, weights @ vectors, atol=1e-9)
    np.testing.assert_allclose((weights - effective) @ vectors, 0, atol=1e-9)
    assert (np.linalg.norm(effective, axis=2) <= np.linalg.norm(weights, axis=2) + 1e-12).all()
    np.testing.assert_allclose(effective_attention(effective, vectors), effective, atol=1e-9)
    smallest = weights @ vectors @ np.linalg.pinv(vectors, rcond=1e-10)
    np.testing.assert_allclose(effective, smallest, atol=1e-7)


def test_all_weights_count_where_there_are_no_more_keys_than_the_values_are_wide():
    weights = heads(1, 2, 4)
    np.testing.assert_allclose(effective_attention(weights, values(1, 4, 5)), weights)
    changed = effective_attention(weights, values(1, 4, 3))
    assert np.abs(changed - weights).max() > 0.01


def test_keys_with_equal_values_share_what_they_got():
    effective = effective_attention([[0.9, 0.1, 0]], [[2.0, 0], [2, 0], [0, 1]])
    np.testing.assert_allclose(effective, [[0.5, 0.5, 0]])


def test_it_may_be_negative_and_need_not_sum_to_1():
    np.testing.assert_allclose(
        effective_attention([[1, 0]], [[1.0], [-1]]), [[0.5, -0.5]], atol=1e-15
    )


def test_values_of_zeros_tell_nothing():
    np.testing.assert_array_equal(effective_attention([[0.5, 0.5]], np.zeros((2, 3))), [[0, 0]])


def test_rounding_in_single_precision_is_no_rank():
    vectors = values(2, 6, 5, rank=2).astype(np.float32)
    wide = vectors.astype(np.float64)
    weights = heads(2, 2, 6).astype(np.float32)
    found = effective_attention(weights, vectors)
    exact = np.stack([np.linalg.svd(one)[0][:, :2] for one in wide])
    np.testing.assert_allclose(found, weights @ exact @ exact.mT, atol=1e-5)


def test_values_and_values_after_an_output_matrix_of_full_rank_agree():
    weights, vectors = heads(3, 2, 6), values(3, 6, 3)
    w_o = np.random.default_rng(4).normal(size=(3, 8))
    np.testing.assert_allclose(
        effective_attention(weights, vectors @ w_o), effective_attention(weights, vectors)
    )


def test_tensors_are_read():
    weights, vectors = heads(5, 2, 4), values(5, 4, 2)
    np.testing.assert_allclose(
        effective_attention(torch.tensor(weights), torch.tensor(vectors)),
        effective_attention(weights, vectors),
    )


def test_one_value_for_each_key_is_needed():
    with pytest.raises(ValueError, match=r"got \(1, 2\) and \(3, 1\)"):
        effective_attention([[0.5, 0.5]], [[1.0], [2], [3]])
