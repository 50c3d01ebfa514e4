"""Keys left out of a view: what is left takes over, and nothing is made up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.errors import InputError
from attnviz.models.results import Capture
from attnviz.models.views import hidden_mass, view, without

few = settings(max_examples=40, deadline=None)
N = 6


def random_view(seed: int = 0, *, causal: bool = False):
    weights = np.random.default_rng(seed).dirichlet(np.ones(N), (1, N))
    if causal:
        weights = np.tril(weights)
        weights /= weights.sum(axis=-1, keepdims=True)
    return view(Capture.from_attentions([weights.astype(np.float32)], list("abcdef")), 0, 0)


hidings = st.sets(st.integers(0, N - 1), max_size=N - 1).map(tuple)


@few
@given(st.integers(0, 999), hidings)
def test_rows_keep_their_sum_and_their_proportions(seed, hidden):
    whole = random_view(seed)
    left = without(whole, hidden)
    kept = [place for place in range(N) if place not in hidden]
    np.testing.assert_allclose(left.sums, whole.sums, atol=1e-6)
    expected = whole.weights[:, kept] / whole.weights[:, kept].sum(axis=1, keepdims=True)
    np.testing.assert_allclose(left.weights, expected, rtol=1e-4, atol=1e-6)
    assert left.keys == tuple("abcdef"[place] for place in kept)
    assert left.queries == whole.queries


@few
@given(st.integers(0, 999), hidings, st.booleans())
def test_what_was_hidden_and_what_is_left_are_the_whole(seed, hidden, causal):
    whole = random_view(seed, causal=causal)
    kept = tuple(place for place in range(N) if place not in hidden)
    together = hidden_mass(whole, hidden) + hidden_mass(whole, kept)
    np.testing.assert_allclose(together, whole.sums, atol=1e-9)


@few
@given(st.integers(0, 999), hidings)
def test_ranges_still_say_who_may_be_seen(seed, hidden):
    whole = random_view(seed, causal=True)
    left = without(whole, hidden)
    for row, (first, last) in enumerate(left.ranges):
        seen = [place for place in left.key_places if place <= row]
        shown = [left.key_places[column] for column in range(first, last + 1)]
        assert shown == seen


def test_a_row_with_nothing_left_is_0():
    left = without(random_view(causal=True), (0,))
    assert not left.weights[0].any()
    assert left.ranges[0].tolist() == [0, -1]
    np.testing.assert_allclose(left.sums[1:], 1, atol=1e-6)


def test_hiding_step_by_step_is_hiding_at_once():
    whole = random_view(3)
    once, twice = without(whole, (1, 4)), without(without(whole, (4,)), (1,))
    np.testing.assert_allclose(once.weights, twice.weights, atol=1e-6)


def test_everything_cannot_be_hidden():
    with pytest.raises(InputError, check=lambda error: "all_hidden" in error.code):
        without(random_view(), range(N))


@few
@given(hidings)
def test_tokens_keep_their_numbers_whatever_is_left_out(hidden):
    left = without(random_view(), hidden)
    assert left.key_numbers == tuple(at + 1 for at in range(N) if at not in hidden)
    assert left.query_numbers == (1, 2, 3, 4, 5, 6)
    named = dict(zip(left.key_numbers, left.keys, strict=True))
    assert all("abcdef"[number - 1] == name for number, name in named.items())
