"""How much a model needs each head."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import spearmanr

from attnviz.attention import Projections, attend_heads
from attnviz.attention.head_importance import (
    ablation_importance,
    gradient_importance,
    head_gradients,
    per_layer,
    rank_agreement,
)

SEEDS = st.integers(0, 2**32 - 1)


def test_a_head_is_worth_what_the_loss_grows_without_it():
    np.testing.assert_allclose(
        ablation_importance([[2.5, 2.0], [1.75, 2.0]], 2.0), [[0.5, 0], [-0.25, 0]]
    )


@settings(deadline=None, max_examples=20)
@given(SEEDS)
def test_the_slope_at_a_heads_mask_is_that_of_torch(seed):
    rng = np.random.default_rng(seed)
    projections = Projections.random(6, 3, 2, 2, seed)
    trace = attend_heads(rng.normal(size=(4, 6)), projections)
    wanted = torch.tensor(rng.normal(size=(4, 6)))
    masks = torch.ones(3, dtype=torch.float64, requires_grad=True)
    added = torch.tensor(trace.contributions)
    output = torch.einsum("h,hqd->qd", masks, added)
    output.retain_grad()
    ((output - wanted) ** 2).mean().backward()
    np.testing.assert_allclose(
        head_gradients(output.grad.numpy(), trace.contributions), masks.grad, atol=1e-12
    )


def test_a_head_that_adds_nothing_scores_0_both_ways():
    contributions = np.zeros((2, 3, 4))
    contributions[0] = 1
    slopes = head_gradients(np.ones((3, 4)), contributions)
    np.testing.assert_array_equal(slopes, [12, 0])
    np.testing.assert_array_equal(gradient_importance([slopes]), [12, 0])


def test_the_absolute_value_is_taken_of_each_sample_before_the_mean():
    np.testing.assert_array_equal(gradient_importance([[1.0, -3], [-1, -1]]), [1, 2])


@settings(deadline=None, max_examples=40)
@given(SEEDS, st.integers(1, 4), st.integers(1, 5))
def test_each_layer_has_length_1_and_keeps_its_order(seed, n_layers, n_heads):
    importance = np.random.default_rng(seed).normal(size=(n_layers, n_heads))
    found = per_layer(importance)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1)
    np.testing.assert_array_equal(np.argsort(found), np.argsort(importance))
    np.testing.assert_allclose(per_layer(importance * 5), found)


def test_a_layer_of_zeros_stays_so():
    np.testing.assert_allclose(per_layer([[3.0, 4], [0, 0]]), [[0.6, 0.8], [0, 0]])


def test_samples_are_needed_and_outputs_of_one_layer():
    with pytest.raises(ValueError, match="one sample"):
        gradient_importance(np.zeros((0, 3)))
    with pytest.raises(ValueError, match="one sample"):
        gradient_importance([1.0, 2.0])
    with pytest.raises(ValueError, match="same outputs"):
        head_gradients(np.ones((3, 4)), np.ones((2, 4, 4)))


TWO_ORDERS = st.integers(2, 12).flatmap(
    lambda n: st.tuples(*[arrays(np.float64, n, elements=st.integers(-5, 5).map(float))] * 2)
)


@given(TWO_ORDERS)
def test_the_agreement_of_two_orders_is_spearmans(pair):
    one, other = pair
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        assert rank_agreement(one, other) is None
        return
    published: Any = spearmanr(one, other)
    assert rank_agreement(one, other) == pytest.approx(published.statistic, abs=1e-12)
    assert rank_agreement(np.exp(one), -other) == pytest.approx(-published.statistic, abs=1e-12)


def test_the_agreement_of_different_heads_is_refused():
    assert rank_agreement([], []) is None
    with pytest.raises(ValueError, match="same heads"):
        rank_agreement([1.0, 2.0], [1.0, 2.0, 3.0])
