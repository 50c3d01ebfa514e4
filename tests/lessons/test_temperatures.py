"""Two temperatures: the worked rows, the limits of each, and that one leaves the other alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.lessons.temperatures import (
    next_word,
    path,
    read_values,
    weights_at,
    word_vectors,
)
from attnviz.scene import Scene, scene_of
from attnviz.settings import Settings


def scene(**chosen) -> Scene:
    return scene_of(Settings(**chosen))


def test_the_rows_at_other_temperatures_are_those_worked_out():
    head = scene().trace.head(0)
    np.testing.assert_allclose(weights_at(head, 1, 0.25), [0, 0.0177, 0.9647, 0.0177], atol=5e-5)
    np.testing.assert_allclose(weights_at(head, 1, 4), [0.156, 0.257, 0.330, 0.257], atol=5e-4)
    np.testing.assert_array_equal(weights_at(head, 1, 1), head.weights[1])


def test_the_output_goes_from_the_best_value_to_the_mean_of_all():
    way = path(scene().trace.head(0), 1)
    np.testing.assert_allclose(way.best, [0, 1])
    np.testing.assert_allclose(way.mean, [-0.25, 1.75])
    assert way.ends[0] < 1e-12
    assert way.ends[1] < 1e-3


def test_the_way_stays_between_the_values_that_may_be_seen():
    shown = scene(mask="causal", w_source="random", seed=3, positions="shaw")
    head = shown.trace.head(0)
    way, values = path(head, 2), read_values(head, 2)[:3]
    assert (way.outputs <= values.max(axis=0) + 1e-9).all()
    assert (way.outputs >= values.min(axis=0) - 1e-9).all()
    np.testing.assert_allclose(way.mean, values.mean(axis=0))


def test_the_way_passes_through_the_output_at_its_own_temperature():
    for chosen in ({}, {"positions": "shaw"}, {"mask": "window", "normalizer": "entmax15"}):
        shown = scene(temperature=0.5, **chosen)
        head = shown.trace.head(0)
        here = weights_at(head, 1, 0.5) @ read_values(head, 1)
        np.testing.assert_allclose(here, head.output[1], atol=1e-12)


def test_who_sees_nothing_stays_at_zero():
    way = path(scene(mask="custom", cells=("1111", "0000", "1111", "1111")).trace.head(0), 1)
    assert not way.outputs.any()
    assert not way.best.any()
    assert not way.mean.any()


def lots(sampling: float, **chosen):
    shown = scene(**chosen)
    words = word_vectors(shown.inputs, shown.projections, 0)
    return next_word(shown.trace.head(0).output[1], shown.tokens, words, sampling)


def test_a_word_that_stands_twice_is_one_word():
    found = lots(1.0)
    assert found.places == (0, 1, 2)
    output, values = scene().trace.head(0).output[1], scene().trace.head(0).value
    np.testing.assert_allclose(found.logits, values[:3] @ output)


def test_positions_do_not_change_what_a_word_is():
    shown = scene(positions="sinusoidal")
    words = word_vectors(shown.inputs, shown.projections, 0)
    np.testing.assert_array_equal(words[1], words[3])


@settings(deadline=None)
@given(st.sampled_from((0.01, 0.3, 1.0, 7.0, 1000.0)))
def test_probabilities_add_up_to_1_and_keep_their_order(temperature):
    found, plain = lots(temperature), lots(1.0)
    np.testing.assert_allclose(found.probabilities.sum(), 1)
    assert (np.argsort(found.logits) == np.argsort(plain.probabilities)).all()


def test_the_limits_of_sampling_are_the_best_word_and_all_words_alike():
    np.testing.assert_array_equal(lots(0.0).probabilities, [0, 1, 0])
    np.testing.assert_allclose(lots(1000.0).probabilities, 1 / 3, atol=1e-3)


def test_the_attention_temperature_moves_the_next_word_too():
    assert np.abs(lots(1.0).logits - lots(1.0, temperature=4).logits).max() > 0.1


@pytest.mark.parametrize("n_kv_heads", [1, 2])
def test_each_head_reads_with_its_own_values(n_kv_heads):
    shown = scene(n_heads=4, n_kv_heads=n_kv_heads, w_source="random")
    for head in range(4):
        words = word_vectors(shown.inputs, shown.projections, head)
        np.testing.assert_allclose(words, shown.trace.head(head).value)
