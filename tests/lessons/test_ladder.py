"""The ladder from a plain average to attention."""

import numpy as np
import pytest

from attnviz.attention import NORMALIZERS, POSITIONS, SCORES
from attnviz.attention.normalizers import softmax
from attnviz.lessons.ladder import RUNGS, rung
from attnviz.scene import scene_of
from attnviz.settings import Settings


def climbed(name, **chosen):
    scene = scene_of(Settings(**chosen))
    return rung(scene.trace, scene.head, name)


def test_the_first_rungs_of_the_hero_are_plain_averages():
    inputs = scene_of(Settings()).inputs
    mean = climbed("mean")
    np.testing.assert_array_equal(mean.weights, np.full((4, 4), 0.25))
    np.testing.assert_allclose(mean.output, np.tile(inputs.mean(axis=0), (4, 1)))
    running = climbed("running")
    np.testing.assert_allclose(running.output[2], inputs[:3].mean(axis=0))
    assert not np.triu(running.weights, 1).any()
    fixed = climbed("fixed")
    np.testing.assert_allclose(fixed.weights[0], np.array([8, 4, 2, 1]) / 15)


def test_the_last_rung_is_the_head_itself():
    trace = scene_of(Settings()).trace
    np.testing.assert_array_equal(climbed("projected").output, trace.head_outputs[0])


def test_without_matrices_raschkas_six_tokens_come_out():
    step = climbed("scores", example="raschka_journey")
    expected = [0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581]
    np.testing.assert_allclose(step.weights[1], expected, atol=0.5001e-4)
    np.testing.assert_allclose(step.output[1], [0.4419, 0.6515, 0.5683], atol=0.5001e-4)


@pytest.mark.parametrize("name", RUNGS)
@pytest.mark.parametrize("positions", POSITIONS)
def test_every_way_to_compute_a_rung_ends_at_the_same_output(name, positions):
    step = climbed(name, positions=positions, mask="causal", n_heads=2, w_source="random", d_k=4)
    assert "loop" in step.ways
    assert max(step.differences().values()) < 1e-14


@pytest.mark.parametrize("name", ["mean", "running", "fixed"])
def test_a_rung_that_does_not_look_at_the_tokens_weighs_other_words_alike(name):
    mine, yours = climbed(name), climbed(name, sentence="we like the cat")
    np.testing.assert_array_equal(mine.weights, yours.weights)
    np.testing.assert_allclose(softmax(mine.scores), mine.weights, rtol=1e-14)
    np.testing.assert_allclose(mine.weights.sum(axis=1), 1)


@pytest.mark.parametrize("name", ["scores", "projected"])
def test_a_rung_that_looks_at_the_tokens_does_not(name):
    mine, yours = climbed(name), climbed(name, sentence="we like the cat")
    assert np.abs(mine.weights - yours.weights).max() > 0.1


@pytest.mark.parametrize("normalizer", NORMALIZERS)
@pytest.mark.parametrize("score", SCORES)
def test_scores_between_inputs_keep_the_chosen_normalizer(normalizer, score):
    step = climbed("scores", normalizer=normalizer, score=score, positions="t5")
    inputs = scene_of(Settings()).inputs
    np.testing.assert_array_equal(step.scores, inputs @ inputs.T)
    np.testing.assert_array_equal(step.weights, NORMALIZERS[normalizer](inputs @ inputs.T))


@pytest.mark.parametrize("name", RUNGS)
def test_one_token_can_only_average_itself(name):
    step = climbed(name, sentence="saw")
    np.testing.assert_allclose(step.weights, [[1]])
    np.testing.assert_allclose(step.output, step.values)


def test_an_unknown_rung_is_refused():
    with pytest.raises(ValueError, match="rung must be one of mean, running"):
        climbed("top")
