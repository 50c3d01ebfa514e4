"""A big weight is not importance: the hero's numbers, and the rule behind them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from attnviz.attention import NORMALIZERS, HeadChoices, attend
from attnviz.lessons.importance import importance
from attnviz.scene import scene_of
from attnviz.settings import Settings

SAW = 1
BEST = 2
PROPORTIONAL = ("softmax", "relu_sum")
"""Those where the others share what a hidden key leaves, each in proportion to its weight."""

numbers = st.integers(-300, 300).map(lambda whole: whole / 100)


def hero(**chosen):
    scene = scene_of(Settings(**chosen))
    return importance(scene.trace.head(0), SAW)


def vectors(n_tokens: int, width: int):
    rows = st.lists(numbers, min_size=width, max_size=width)
    return st.lists(rows, min_size=n_tokens, max_size=n_tokens)


def test_the_contributions_and_effects_of_the_hero():
    found = hero()
    assert_allclose(found.lengths, [0.06, 0.46, 0.56, 0.46], atol=0.005)
    assert_allclose(found.effects, [0.04, 0.22, 0.74, 0.22], atol=0.005)
    assert found.rule_holds.all()


def test_a_value_where_the_others_put_b_matters_nothing_however_large_its_weight():
    scene = scene_of(Settings())
    spot = importance(scene.trace.head(0), SAW).spot(BEST)
    assert_allclose(spot, [-0.873, 2], atol=5e-4)
    moved = scene.dragged((("v", BEST, *spot.tolist()),), 0)
    found = importance(moved, SAW)
    assert_allclose(found.weights[BEST], 0.56, atol=0.005)
    assert_allclose(found.effects[BEST], 0, atol=1e-12)
    assert_allclose(found.output, spot)


def test_the_limits_of_the_temperature():
    scene = scene_of(Settings(temperature=0))
    assert_allclose(scene.trace.head(0).output[SAW], scene.trace.head(0).value[BEST])
    warm = scene_of(Settings(temperature=1000.0)).trace.head(0)
    assert_allclose(warm.output[SAW], warm.value.mean(axis=0), atol=2e-3)
    assert_allclose(warm.value.mean(axis=0), [-0.25, 1.75])


@given(vectors(4, 2), vectors(4, 2), vectors(4, 3), st.sampled_from(PROPORTIONAL))
def test_the_rule_gives_the_effect_where_the_others_share_what_is_left(query, key, value, name):
    trace = attend(query, key, value, HeadChoices(normalizer=name))
    found = importance(trace, 0)
    some_left = (found.weights > 0) & (found.weights < 1 - 1e-9)
    assert_allclose(found.effects[some_left], found.rule[some_left], atol=1e-7)


@given(
    vectors(3, 2),
    vectors(3, 2),
    vectors(3, 2),
    st.sampled_from(sorted(NORMALIZERS)),
    st.integers(0, 2),
)
def test_hiding_a_key_is_what_a_mask_does(query, key, value, name, hidden):
    choices = HeadChoices(normalizer=name)
    mask = np.ones((3, 3), dtype=bool)
    mask[:, hidden] = False
    expected = attend(query, key, value, choices, mask=mask).output[0]
    found = importance(attend(query, key, value, choices), 0)
    assert_allclose(found.without[hidden], expected, atol=1e-9)


@given(vectors(3, 2), vectors(3, 2), vectors(3, 2), st.sampled_from(sorted(NORMALIZERS)))
def test_at_its_spot_a_value_makes_no_difference(query, key, value, name):
    choices = HeadChoices(normalizer=name)
    found = importance(attend(query, key, value, choices), 0)
    for place, weight in enumerate(found.weights.tolist()):
        spot = found.spot(place)
        assert (spot is None) == (weight == 0)
        if spot is not None and weight > 1e-3:
            moved = np.array(value, dtype=float)
            moved[place] = spot
            again = importance(attend(query, key, moved, choices), 0)
            assert_allclose(again.effects[place], 0, atol=1e-7)


def test_a_key_alone_leaves_nothing():
    found = importance(attend([[1, 2]], [[1, 1]], [[3, 4]]), 0)
    assert_allclose(found.effects, [5])
    assert_allclose(found.rule, [np.nan])
    assert not found.rule_holds.any()


@pytest.mark.parametrize("name", ["relu", "sigmoid", "hardmax", "sparsemax"])
def test_the_rule_is_refused_where_it_does_not_hold(name):
    assert not hero(normalizer=name).rule_holds.all()


def test_values_are_measured_as_the_query_reads_them():
    scene = scene_of(Settings(positions="shaw"))
    head = scene.trace.head(0)
    found = importance(head, SAW)
    assert_allclose(found.weights @ found.values, head.output[SAW])
