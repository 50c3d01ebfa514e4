"""Measuring layers: each does what its name says; what is measured is kept with when and how."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention import HeadChoices, attend
from attnviz.attention.masks import window
from attnviz.comparisons import measured
from attnviz.comparisons.costs import LAYERS


@given(n=st.integers(1, 40), radius=st.integers(0, 50), seed=st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_near_by_is_attention_under_a_window(n, radius, seed):
    rng = np.random.default_rng(seed)
    q, k, v = (rng.normal(size=(n, width)) for width in (3, 3, 5))
    expected = attend(q, k, v, HeadChoices(scale="sqrt_d_k"), mask=window(n, n, radius)).output
    np.testing.assert_allclose(measured.near_by(q, k, v, radius), expected, atol=1e-12)
    whole = attend(q, k, v, HeadChoices(scale="sqrt_d_k")).output
    np.testing.assert_allclose(measured.all_pairs(q, k, v), whole, atol=1e-12)


def test_near_by_goes_block_by_block(monkeypatch):
    q, k, v = np.random.default_rng(0).normal(size=(3, 30, 4))
    whole = measured.near_by(q, k, v, 3)
    monkeypatch.setattr(measured, "_BLOCK", 5)
    np.testing.assert_allclose(measured.near_by(q, k, v, 3), whole)


def test_every_layer_keeps_length_and_width():
    layers = measured.layers(6, 3, 5)
    assert set(layers) == set(LAYERS)
    for layer in layers.values():
        assert layer(np.ones((9, 6))).shape == (9, 6)


def test_what_is_measured_says_of_what_and_when():
    told = []
    found = measured.measure(
        ("attention", "rnn"), 4, lengths=(8, 512), tell=lambda *it: told.append(it)
    )
    assert found.lengths == (8, 512)
    assert (found.width, found.kernel, found.neighbours) == (4, 3, 21)
    assert set(found.seconds) == set(found.bytes_taken) == {"attention", "rnn"}
    assert all(0 < each < np.inf for times in found.seconds.values() for each in times)
    assert found.bytes_taken["attention"][1] > 8 * 512**2  # the square of scores at least
    assert found.bytes_taken["rnn"][1] < 8 * 512**2
    assert found.at.tzinfo is not None
    assert found.cores >= 1
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert 0 <= shares[0] <= shares[-1] < 1
    assert not tracemalloc.is_tracing()


def test_another_process_measures_the_same_and_tells_how_far_it_is():
    told = []
    found = measured.measure_apart(
        ("rnn", "cnn"), 4, 5, 7, lengths=(8, 16), tell=lambda *it: told.append(it)
    )
    assert isinstance(found, measured.Measured)
    assert (found.lengths, found.width, found.kernel, found.neighbours) == ((8, 16), 4, 5, 7)
    here = measured.measure(("rnn", "cnn"), 4, 5, 7, lengths=(8, 16))
    assert {name: len(each) for name, each in found.seconds.items()} == {"rnn": 2, "cnn": 2}
    assert set(found.bytes_taken) == set(here.bytes_taken)
    assert found.at.tzinfo is not None
    assert [stage for stage, _ in told] == ["measure"] * 2 * measured.ROUNDS


def test_a_measurement_that_breaks_says_so():
    with pytest.raises(RuntimeError, match="measure again"):
        measured.measure_apart(("no such layer",), 4, lengths=(8,))


@pytest.mark.parametrize(("width", "neighbours"), [(9_999, 9_999)])
def test_what_is_too_large_is_measured_smaller(width, neighbours):
    found = measured.measure((), width, 3, neighbours, lengths=(8,))
    assert (found.width, found.neighbours) == (measured.WIDEST, measured.MOST_NEIGHBOURS)
