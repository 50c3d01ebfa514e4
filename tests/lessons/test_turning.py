"""Rotary positions on one query and one key: lengths stay, and only the distance counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.lessons.turning import score_by_distance, turn
from attnviz.scene import scene_of
from attnviz.settings import Settings

PAIRS = ("interleaved", "half")
whole = st.integers(0, 64)


def vectors(width: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    query, key = np.random.default_rng(seed).normal(size=(2, width))
    return query, key


@given(st.integers(1, 7), st.integers(0, 10**6), whole, whole, whole, st.sampled_from(PAIRS))
def test_moving_both_leaves_the_score_and_turning_leaves_the_lengths(
    width, seed, p, r, shift, pairs
):
    query, key = vectors(width, seed)
    here = turn(query, key, (float(p), float(r)), pairs=pairs)
    there = turn(query, key, (float(p + shift), float(r + shift)), pairs=pairs)
    assert here.score == pytest.approx(there.score, abs=1e-9)
    assert np.linalg.norm(here.turned_query) == pytest.approx(np.linalg.norm(query))
    assert np.linalg.norm(here.turned_key) == pytest.approx(np.linalg.norm(key))
    curve = score_by_distance(query, key, np.array([float(p - r)]), pairs=pairs, shift=shift)
    assert curve[0] == pytest.approx(here.score, abs=1e-9)


def test_an_odd_feature_at_the_end_is_left_as_it_is():
    query, key = vectors(5, 3)
    made = turn(query, key, (7.0, 2.0))
    assert made.untouched == 1
    assert made.turned_query[4] == query[4]
    assert (made.turned_query[:4] != query[:4]).all()


def test_a_single_feature_gets_a_partner_of_0():
    made = turn(np.array([2.0]), np.array([3.0]), (0.0, 1.0))
    assert made.untouched == 0
    np.testing.assert_array_equal(made.query, [2, 0])
    np.testing.assert_allclose(made.turned_key, [3 * np.cos(1), 3 * np.sin(1)])


def test_a_pair_is_named_as_it_turns():
    query, key = vectors(6, 1)
    assert (turn(query, key, (1.0, 0.0)).first, turn(query, key, (1.0, 0.0)).second) == (0, 1)
    half = turn(query, key, (1.0, 0.0), pairs="half")
    assert half.second == 3
    cos, sin = np.cos(1), np.sin(1)
    turned = [query[0] * cos - query[3] * sin, query[3] * cos + query[0] * sin]
    np.testing.assert_allclose(half.pair(half.turned_query), turned)


@pytest.mark.parametrize("chosen", [{}, {"d_k": 4, "pairs": "half", "base": 50.0}], ids=str)
def test_it_is_what_the_layer_does(chosen):
    plain = scene_of(Settings(**chosen)).trace.head(0)
    rotary = scene_of(Settings(positions="rotary", **chosen)).trace.head(0)
    how = {name: chosen[name] for name in ("base", "pairs") if name in chosen}
    made = turn(plain.query[2], plain.key[1], (2.0, 1.0), **how)
    np.testing.assert_allclose(made.turned_query, rotary.query[2], atol=1e-12)
    assert made.score == pytest.approx(rotary.scores[2, 1])
