"""The two-head example told by hand: one head tells the two equal words apart."""

import numpy as np
import pytest

from attnviz.lessons.equal_words import apart, kind_of, same_for_all
from attnviz.lessons.twins import twins
from attnviz.scene import scene_of
from attnviz.settings import Settings

WITH = Settings(example="two_heads", positions="example")
WITHOUT = Settings(example="two_heads")


def test_head_2_reads_the_word_before_and_wraps_round():
    # TEACHING.md, A4
    trace = scene_of(WITH).trace
    np.testing.assert_array_equal(
        trace.scores[1], [[0, -3, 0, 3], [3, 0, -3, 0], [0, 3, 0, -3], [-3, 0, 3, 0]]
    )
    np.testing.assert_allclose(trace.weights[1, 1], [0.9074, 0.0452, 0.0022, 0.0452], atol=6e-5)
    np.testing.assert_allclose(trace.weights[1, 3], [0.0022, 0.0452, 0.9074, 0.0452], atol=6e-5)
    assert trace.weights[1, 0].argmax() == 3
    np.testing.assert_allclose(trace.head_outputs[1, 1], [0.8170, 1.9978], atol=6e-5)
    np.testing.assert_allclose(trace.head_outputs[1, 3], [-0.0881, 1.0926], atol=6e-5)


def test_only_head_2_tells_the_two_words_apart():
    trace = scene_of(WITH).trace
    pair = twins(trace.inputs, trace.output)
    assert pair is not None
    gaps = apart(trace, pair)
    assert gaps[0] == 0
    np.testing.assert_allclose(gaps[1], np.hypot(0.8170 + 0.0881, 1.9978 - 1.0926), atol=6e-5)


def test_without_positions_head_2_gives_everyone_the_mean_value():
    trace = scene_of(WITHOUT).trace
    pair = twins(trace.inputs, trace.output)
    assert pair is not None
    assert (apart(trace, pair) == 0).all()
    assert same_for_all(trace.head_outputs[1])
    assert not same_for_all(trace.head_outputs[0])
    np.testing.assert_allclose(trace.head_outputs[1], [[-0.25, 1.75]] * 4)


@pytest.mark.parametrize(
    ("word", "kind"),
    [("I", "pronoun"), ("a", "determiner"), ("他", "pronoun"), ("開", "verb"), ("zebra", None)],
)
def test_the_lexicon_names_kinds_of_words(word, kind):
    assert kind_of(word) == kind
