"""Shuffled tokens: outputs move along where nothing counts places, and only there."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.attention import MASKS, HeadChoices, Projections
from attnviz.lessons.shuffles import another_order, order_of, shuffle
from attnviz.lessons.symmetry import lamp
from attnviz.scene import Scene, scene_of
from attnviz.settings import Settings

SMOOTH = ("softmax", "sparsemax", "entmax15", "relu", "relu_sum", "sigmoid", "softmax1")
sizes = st.integers(1, 9)


def layer(n_tokens: int, n_heads: int, seed: int) -> tuple[np.ndarray, Projections]:
    inputs = np.random.default_rng(seed).normal(size=(n_tokens, 5))
    return inputs, Projections.random(5, n_heads, 3, 2, seed)


@given(sizes, st.integers(1, 3), st.integers(0, 10**6), st.sampled_from(SMOOTH), st.randoms())
def test_without_positions_and_masks_outputs_move_along_and_their_mean_stays(
    n_tokens, n_heads, seed, normalizer, rnd
):
    order = rnd.sample(range(n_tokens), n_tokens)
    made = shuffle(*layer(n_tokens, n_heads, seed), HeadChoices(normalizer=normalizer), order)
    assert made.order == tuple(order)
    assert made.difference < 1e-10
    assert made.along.all()
    assert made.pooled_difference < 1e-10
    assert made.pooled_stays


@given(st.integers(2, 7), st.integers(0, 10**6), st.randoms())
def test_the_edges_of_a_graph_that_travel_with_their_tokens_break_nothing(n_tokens, seed, rnd):
    order = rnd.sample(range(n_tokens), n_tokens)
    edges = np.random.default_rng(seed).random((n_tokens, n_tokens)) < 0.4
    mask = MASKS["graph"](edges)
    made = shuffle(*layer(n_tokens, 2, seed), HeadChoices(), order, mask=mask, mask_travels=True)
    assert made.difference < 1e-10


def of_hero(**chosen) -> Scene:
    return scene_of(Settings(**chosen))


def shuffled(scene: Scene, order=(3, 1, 0, 2), **more):
    return shuffle(
        scene.inputs,
        scene.projections,
        scene.choices,
        order,
        mask=scene.mask,
        positions=scene.positions,
        **more,
    )


def test_the_hero_moves_along_to_the_last_digits():
    assert shuffled(of_hero()).difference < 1e-14


@pytest.mark.parametrize(
    "chosen",
    [
        {"positions": "sinusoidal"},
        {"positions": "rotary"},
        {"positions": "alibi"},
        {"mask": "causal"},
        {"mask": "window"},
        {"mask": "graph"},
    ],
    ids=str,
)
def test_what_counts_places_breaks_it(chosen):
    made = shuffled(of_hero(**chosen))
    assert made.difference > 1e-3
    assert not made.along.all()
    assert not made.pooled_stays


def test_as_they_stand_is_no_shuffle():
    made = shuffled(of_hero(positions="sinusoidal"), order=())
    assert made.order == (0, 1, 2, 3)
    assert made.difference == made.pooled_difference == 0


@pytest.mark.parametrize("wrong", [(0, 1, 2), (0, 1, 2, 2), (0, 1, 2, 4), (3, 2, 1, 0, 4)])
def test_what_is_no_order_of_the_tokens_counts_as_they_stand(wrong):
    assert order_of(wrong, 4) == (0, 1, 2, 3)


@given(st.integers(1, 9), st.integers(0, 100), st.randoms())
def test_the_next_order_is_another_one_and_the_same_each_time(n_tokens, seed, rnd):
    order = tuple(rnd.sample(range(n_tokens), n_tokens))
    drawn = another_order(order, seed)
    assert sorted(drawn) == list(range(n_tokens))
    assert drawn == another_order(order, seed)
    assert n_tokens == 1 or drawn != order
    assert n_tokens < 3 or drawn != tuple(range(n_tokens))


@pytest.mark.parametrize(
    ("chosen", "lit"),
    [
        ({}, False),
        ({"n_heads": 4}, False),
        ({"w_source": "random", "seed": 7}, False),
        ({"scale": "sqrt_d_k"}, False),
        ({"normalizer": "relu"}, False),
        ({"positions": "sinusoidal"}, True),
        ({"positions": "learned"}, True),
        ({"positions": "t5"}, True),
        ({"positions": "shaw"}, True),
        ({"mask": "causal"}, True),
        ({"mask": "window"}, True),
        ({"mask": "graph"}, True),
    ],
    ids=str,
)
def test_the_lamp_lights_for_what_counts_places_and_for_nothing_else(chosen, lit):
    scene = of_hero(**chosen)
    found = lamp(scene.inputs, scene.trace.output)
    assert found is not None
    assert (found.first, found.second) == (1, 3)
    assert found.lit == lit
    assert (found.distance == 0) != lit


def test_the_lamp_of_a_sentence_that_reads_the_same_from_behind_stays_off_with_a_symmetric_code():
    scene = of_hero(example="chinese", positions="alibi")
    found = lamp(scene.inputs, scene.trace.output)
    assert found is not None
    assert not found.lit


def test_without_two_equal_tokens_there_is_no_lamp():
    scene = of_hero(example="lecture_vectors")
    assert lamp(scene.inputs, scene.trace.output) is None
