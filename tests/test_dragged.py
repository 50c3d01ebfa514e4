"""Arrows that were dragged: what follows from them, and what may not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnviz.attention import HeadTrace, attend_again
from attnviz.attention.normalizers import NORMALIZERS
from attnviz.figures.plane import hull
from attnviz.scene import Scene, scene_of
from attnviz.settings import Settings

HEROES = {
    "plain": scene_of(Settings()),
    "scaled": scene_of(Settings(scale="sqrt_d_k", mask="causal")),
    "biased": scene_of(Settings(positions="alibi", temperature=0.5)),
    "relative": scene_of(Settings(positions="shaw")),
    "turned": scene_of(Settings(positions="rotary")),
    "masked": scene_of(Settings(mask="custom", cells=("1010", "1111", "0110", "0000"))),
}
numbers = st.integers(-400, 400).map(lambda whole: whole / 100)
tokens = st.integers(0, 3)
heroes = st.sampled_from(sorted(HEROES)).map(HEROES.__getitem__)


def same(one: HeadTrace, other: HeadTrace, names: tuple[str, ...]) -> None:
    for name in names:
        assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


@given(heroes)
def test_no_move_changes_no_number(scene):
    own = scene.trace.head(0)
    everything = ("query", "key", "value", "scores", "masked_scores", "weights", "output")
    same(scene.dragged((), 0), own, everything)
    same(attend_again(own), own, everything)
    home = [("v", 2, *own.value[2].tolist()), ("k", 0, *own.key[0].tolist())]
    same(scene.dragged(home, 0), own, everything)


@given(heroes, tokens, numbers, numbers)
def test_dragging_a_value_changes_no_weight(scene, token, x, y):
    own, moved = scene.trace.head(0), scene.dragged([("v", token, x, y)], 0)
    same(moved, own, ("query", "key", "scores", "masked_scores", "weights"))
    assert_array_equal(moved.value[token], [x, y])
    others = [place for place in range(4) if place != token]
    assert_array_equal(moved.value[others], own.value[others])
    shift = own.weights[:, token, None] * ([x, y] - own.value[token])
    assert_allclose(moved.output - own.output, shift, atol=1e-12)


@given(heroes, tokens, numbers, numbers)
def test_dragging_a_key_changes_only_its_column_of_scores(scene, token, x, y):
    own, moved = scene.trace.head(0), scene.dragged([("k", token, x, y)], 0)
    others = [place for place in range(4) if place != token]
    for name in ("scores", "scaled_scores", "masked_scores"):
        assert_array_equal(getattr(moved, name)[:, others], getattr(own, name)[:, others])
    same(moved, own, ("query", "value"))


@given(tokens, tokens, numbers, numbers)
def test_a_query_twice_as_long_doubles_its_scores_and_no_other(token, key, x, y):
    scene = HEROES["plain"]
    once = scene.dragged([("q", token, x, y), ("k", key, y, x)], 0)
    twice = scene.dragged([("q", token, 2 * x, 2 * y), ("k", key, y, x)], 0)
    assert_allclose(twice.scores[token], 2 * once.scores[token], atol=1e-12)
    others = [place for place in range(4) if place != token]
    assert_array_equal(twice.scores[others], once.scores[others])


def test_a_score_is_no_similarity_from_minus_1_to_1():
    moved = HEROES["plain"].dragged([("q", 1, -2.0, 2.0)], 0)
    assert_array_equal(moved.scores[1], [-4, 0, 2, 0])


@given(st.lists(st.tuples(st.sampled_from("qkv"), tokens, numbers, numbers), max_size=6))
def test_b_stays_inside_the_hull_of_the_values_under_softmax(moves):
    trace = HEROES["plain"].dragged(moves, 0)
    corners = trace.value[hull(trace.value)]
    for b in trace.output:
        if len(corners) < 3:
            assert (b >= corners.min(axis=0) - 1e-9).all()
            assert (b <= corners.max(axis=0) + 1e-9).all()
            continue
        for one, next_one in zip(corners, np.roll(corners, -1, axis=0), strict=True):
            side, to = next_one - one, b - one
            assert side[0] * to[1] - side[1] * to[0] >= -1e-9


@given(heroes, tokens, numbers, numbers)
def test_relative_vectors_stay_where_they_are(scene, token, x, y):
    moved = scene.dragged([("k", token, x, y)], 0)
    if moved.relative_key is not None:
        read = moved.key[token] + moved.relative_key[:, token]
        assert_allclose(moved.scores[:, token], (moved.query * read).sum(axis=1), atol=1e-12)


@pytest.mark.parametrize(
    ("chosen", "moves"),
    [
        ({}, [("v", 4, 1.0, 1.0), ("q", 63, 1.0, 1.0)]),
        ({"d_k": 3}, [("q", 1, 1.0, 1.0), ("k", 0, 2.0, 2.0)]),
        ({"d_v": 1}, [("v", 1, 1.0, 1.0)]),
    ],
)
def test_a_move_that_does_not_fit_is_left_out(chosen, moves):
    scene = scene_of(Settings(**chosen))
    same(scene.dragged(moves, 0), scene.trace.head(0), ("query", "key", "value", "output"))


def test_the_arrows_of_one_head_are_its_own():
    scene = scene_of(Settings(n_heads=2, w_source="random", d_k=2, d_v=2))
    moved = scene.dragged([("k", 0, 3.0, 3.0)], 1)
    same(moved, scene.trace.head(1), ("query", "value"))
    assert_array_equal(moved.key[0], [3, 3])
    assert not np.array_equal(scene.trace.head(0).key[0], [3, 3])


@pytest.mark.parametrize("name", NORMALIZERS)
def test_every_normalizer_follows(name):
    scene: Scene = scene_of(Settings(normalizer=name))
    moved = scene.dragged([("q", 1, 2.0, 2.0)], 0)
    assert_array_equal(moved.scores[1], [8, 4, 6, 4])
    assert moved.choices is scene.trace.choices
