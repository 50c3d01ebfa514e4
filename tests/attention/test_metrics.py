"""How evenly attention is shared, and how far two maps are apart."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import entropy as scipy_entropy

from attnviz.attention import attend_heads
from attnviz.attention.metrics import (
    cosine,
    distributions,
    effective_tokens,
    entropy,
    jensen_shannon,
    kl,
    top1_agreement,
    total_variation,
)
from attnviz.attention.normalizers import softmax
from attnviz.lessons.examples import EXAMPLES

HERO = attend_heads(EXAMPLES["hero"].inputs, EXAMPLES["hero"].projections).weights[0]


@st.composite
def maps(draw, n_maps: int = 1) -> list[np.ndarray]:
    """Rows that sum to 1, some of their entries exactly 0."""
    n_query, n_key = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    made = []
    for _ in range(n_maps):
        drawn = st.lists(st.sampled_from([0.0, 0.01, 0.3, 1, 7]), min_size=n_key, max_size=n_key)
        rows = np.array([draw(drawn.filter(any)) for _ in range(n_query)])
        made.append(rows / rows.sum(axis=1, keepdims=True))
    return made


def test_the_heros_rows_have_the_entropy_worked_out_by_hand():
    np.testing.assert_allclose(entropy(HERO), [1.229, 1.075, 1.049, 1.075], atol=5e-4)
    np.testing.assert_allclose(effective_tokens(HERO), [3.42, 2.93, 2.85, 2.93], atol=5e-3)


@settings(deadline=None)
@given(maps())
def test_entropy_is_that_of_scipy_and_lies_between_one_key_and_all(drawn):
    (weights,) = drawn
    found, n_key = entropy(weights), weights.shape[1]
    np.testing.assert_allclose(found, scipy_entropy(weights, axis=1), atol=1e-12)
    np.testing.assert_allclose(entropy(weights, unit="bits"), found / np.log(2), atol=1e-12)
    assert (found >= 0).all()
    assert (found <= np.log(n_key) + 1e-12).all()
    assert (effective_tokens(weights) <= n_key + 1e-9).all()


def test_equal_weights_have_the_entropy_of_all_keys_and_one_key_has_none():
    np.testing.assert_allclose(entropy(np.full((1, 7), 1 / 7)), [np.log(7)])
    np.testing.assert_allclose(effective_tokens(np.full((1, 7), 1 / 7)), [7])
    assert entropy([[0.0, 1.0, 0.0]]) == [0]
    assert effective_tokens([[0.0, 1.0, 0.0]]) == [1]


def test_normalized_entropy_counts_only_the_keys_that_may_be_seen():
    weights = [[0.5, 0.5, 0, 0], [1, 0, 0, 0], [0.25] * 4]
    allowed = np.array([[1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 1, 1]], dtype=bool)
    np.testing.assert_allclose(entropy(weights, normalized=True, allowed=allowed), [1, 0, 1])
    np.testing.assert_allclose(entropy(weights, normalized=True), [0.5, 0, 1])


def test_an_empty_row_has_entropy_0_and_reads_no_key():
    assert entropy(np.zeros((1, 3))) == [0]
    assert effective_tokens(np.zeros((1, 3))) == [0]
    assert entropy(np.zeros((1, 3)), normalized=True) == [0]


@pytest.mark.parametrize("row", [[0, 0, 0.9], [0.6, 0.6, 0], [2.0, 0, -1.0]])
def test_a_row_that_does_not_sum_to_1_has_no_entropy(row):
    other = [1.0, 0, 0]
    for found in (
        entropy([row]),
        effective_tokens([row]),
        total_variation([row], [other]),
        kl([other], [row]),
        jensen_shannon([row], [other]),
    ):
        assert np.isnan(found).all()


def test_an_empty_row_and_a_full_one_are_not_compared():
    one, other = np.zeros((1, 2)), np.array([[0.5, 0.5]])
    assert np.isnan(total_variation(one, other)).all()
    assert total_variation(one, one) == [0]
    assert kl(one, one) == [0]


def test_half_precision_is_read_before_anything_is_computed():
    half = HERO.astype(np.float16)
    assert distributions(half).all()
    np.testing.assert_allclose(entropy(half), entropy(HERO), atol=2e-3)
    assert entropy(half).dtype == np.float32


@settings(deadline=None)
@given(maps(n_maps=2))
def test_two_maps_are_compared_as_scipy_does(drawn):
    p, q = drawn
    divergence = jensen_shannon(p, q)
    middle = (p + q) / 2
    halves = (scipy_entropy(p, middle, axis=1) + scipy_entropy(q, middle, axis=1)) / 2
    np.testing.assert_allclose(divergence, halves, atol=1e-12)
    np.testing.assert_allclose(divergence, jensen_shannon(q, p), atol=1e-15)
    assert (divergence <= np.log(2) + 1e-12).all()
    np.testing.assert_allclose(kl(p, q), scipy_entropy(p, q, axis=1), atol=1e-12)
    variation = total_variation(p, q)
    assert ((variation >= 0) & (variation <= 1 + 1e-12)).all()
    assert (2 * variation**2 <= kl(p, q) + 1e-12).all()  # Pinsker's inequality
    assert (np.abs(cosine(p, q)) <= 1).all()


@settings(deadline=None)
@given(maps())
def test_a_map_is_no_way_from_itself(drawn):
    (p,) = drawn
    assert (total_variation(p, p) == 0).all()
    assert (kl(p, p) == 0).all()
    assert (jensen_shannon(p, p) == 0).all()
    np.testing.assert_allclose(cosine(p, p), 1)
    assert top1_agreement(p, p).all()


def test_kl_is_infinite_where_something_happens_that_was_thought_impossible():
    p, q = [[0.5, 0.5]], [[1.0, 0.0]]
    assert kl(p, q) == [np.inf]
    np.testing.assert_allclose(kl(q, p), [np.log(2)])
    np.testing.assert_allclose(total_variation([[1.0, 0]], [[0.0, 1]]), [1])


def test_cosine_compares_any_rows_and_a_row_of_zeros_has_no_direction():
    np.testing.assert_allclose(cosine([[2.0, 0]], [[3.0, 3]]), [np.sqrt(0.5)])
    assert cosine([[0.0, 0]], [[3.0, 3]]) == [0]


def test_top_1_agrees_where_a_best_key_is_shared():
    one = [[0.4, 0.4, 0.2], [0.1, 0.8, 0.1], [0, 0, 0], [0, 0, 0]]
    other = [[0.1, 0.6, 0.3], [0.2, 0.2, 0.6], [0, 0, 0], [0, 1, 0]]
    assert top1_agreement(one, other).tolist() == [True, False, True, False]


def test_an_unknown_unit_is_refused():
    with pytest.raises(ValueError, match="unit must be"):
        entropy(HERO, unit="bytes")


# --- Which rows add up to 1: the rounding of float32 is allowed, that of half precision where the
# weights are such numbers, whatever array or text they come in


def shares(n: int, seed: int = 0, spread: float = 0.3) -> np.ndarray:
    """Give n rows of n weights as a model computes them, in float32."""
    scores = np.random.default_rng(seed).normal(size=(n, n)) / spread
    return softmax(scores.astype(np.float32))


def bfloat16(weights: np.ndarray) -> np.ndarray:
    """Round float32 to the nearest bfloat16, ties to even, as torch does."""
    bits = weights.view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)


WAYS = {
    "float32": lambda weights: weights,
    "float64": lambda weights: weights.astype(float),
    "lists": lambda weights: weights.tolist(),
    "JSON": lambda weights: json.loads(json.dumps(weights.tolist())),
    "six decimals": lambda weights: weights.astype(float).round(6),
    "float16": lambda weights: weights.astype(np.float16),
    "float16 as float32": lambda weights: weights.astype(np.float16).astype(np.float32),
    "float16 as lists": lambda weights: weights.astype(np.float16).tolist(),
    "bfloat16 as float32": bfloat16,
    "bfloat16 as float64": lambda weights: bfloat16(weights).astype(float),
}


@pytest.mark.parametrize("n", [2, 12, 192, 1000])
@pytest.mark.parametrize("way", WAYS)
def test_every_row_of_a_softmax_is_a_distribution_whatever_it_came_in(way, n):
    weights = shares(n)
    kept = WAYS[way](weights)
    assert distributions(kept).all()
    np.testing.assert_allclose(entropy(kept), entropy(weights.astype(float)), atol=0.02)
    assert np.isfinite(jensen_shannon(kept, weights.astype(float))).all()


def test_float64_of_float32_is_off_by_more_than_float64_loses():
    off = np.abs(shares(192).astype(float).sum(axis=1) - 1)
    assert off.max() > 2e-8  # what made this rule


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("total", [0.5, 0.99, 0.9985, 1.0015, 1.01, 2])
def test_a_row_that_does_not_add_up_to_1_is_no_distribution(dtype, total):
    rows = (shares(12).astype(float) * total).astype(dtype)
    assert not distributions(rows).any()
    assert np.isnan(entropy(rows)).all()
    assert not distributions(rows.tolist()).any()


@pytest.mark.parametrize("total", [0.97, 1.03])
def test_half_precision_allows_a_step_and_no_more(total):
    weights = shares(12).astype(float) * total
    assert not distributions(bfloat16(weights.astype(np.float32))).any()
    assert not distributions(weights.astype(np.float16)).any()


def test_a_step_of_half_precision_counts_only_where_the_weights_are_such_numbers():
    rounded = np.array([0.2, 0.2, 0.2, 0.4]).astype(np.float16) * [1, 1, 1, 1 - 2.0**-10]
    assert 2**-11.5 < abs(rounded.sum() - 1) < 2**-10
    assert not distributions([rounded]).any()
    assert distributions([rounded.astype(np.float16)]).all()


def test_a_negative_weight_is_none_even_where_all_add_up_to_1():
    assert distributions([[1.5, -0.5], [0.5, 0.5]]).tolist() == [False, True]
