"""Linear attention beside a head: the same sum in two orders, other weights."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention import attend
from attnviz.attention.masks import causal
from attnviz.comparisons.linear import Orders


def head(n, d_k, d_v, seed, mask=None):
    rng = np.random.default_rng(seed)
    q, k, v = (rng.normal(size=(n, width)) for width in (d_k, d_k, d_v))
    return attend(q, k, v, mask=mask)


@given(n=st.integers(1, 12), d_k=st.integers(1, 5), d_v=st.integers(1, 7), seed=st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_both_orders_give_the_same_and_share_out_1(n, d_k, d_v, seed):
    found = Orders.of(head(n, d_k, d_v, seed), None)
    assert found.rounding < 1e-12
    assert found.state.shape == (d_k, d_v)
    assert found.through_weights.shape == found.head.output.shape
    np.testing.assert_allclose(found.linear.weights.sum(axis=1), 1)
    np.testing.assert_allclose(found.linear.output, found.through_weights, atol=1e-12)
    assert found.works() == (n * n * (d_k + d_v), 2 * n * d_k * d_v)


def test_one_token_has_nothing_to_differ_in():
    found = Orders.of(head(1, 3, 2, 0), None)
    assert found.output_difference == pytest.approx(0, abs=1e-12)
    assert np.abs(found.difference).max() == pytest.approx(0, abs=1e-12)


def test_a_mask_is_kept():
    mask = causal(5, 5)
    found = Orders.of(head(5, 3, 2, 0, mask), mask)
    assert (found.linear.weights[~mask] == 0).all()
    assert found.rounding < 1e-12


@given(n=st.integers(1, 9), seed=st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_running_sums_are_the_causal_mask(n, seed):
    mask = causal(n, n)
    trace = head(n, 3, 2, seed, mask)
    running, masked = Orders.of(trace, mask, causal=True), Orders.of(trace, mask)
    np.testing.assert_allclose(running.linear.output, masked.linear.output, atol=1e-12)
    np.testing.assert_allclose(running.linear.weights, masked.linear.weights, atol=1e-12)
    assert running.rounding < 1e-12
