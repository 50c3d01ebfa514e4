import pytest

from attnviz.figures.steps import STEPS
from attnviz.lessons.predictions import TRUTHS, prediction
from attnviz.scene import scene_of
from attnviz.settings import Settings

HERO = scene_of(Settings()).trace


@pytest.mark.parametrize(
    ("step", "truth"),
    [
        ("query", -1),
        ("key", 3),
        ("scores", -2),
        ("weights", 0.5600528),
        ("value", 1),
        ("head_outputs", -0.3841804),
        ("together", 16),
    ],
)
def test_the_number_to_guess_is_the_heros(step, truth):
    assert prediction(HERO, step, 0, 1).truth == pytest.approx(truth, abs=1e-6)


def test_every_step_has_a_number_to_guess():
    assert set(TRUTHS) == set(STEPS)


def test_a_mask_is_guessed_as_a_count_of_keys():
    causal = prediction(scene_of(Settings(mask="causal")).trace, "masked_scores", 0, 1)
    assert (causal.truth, causal.count) == (2, True)


def test_weights_that_are_no_distribution_are_not_guessed_as_shares():
    assert prediction(HERO, "weights", 0, 1).share
    assert not prediction(scene_of(Settings(normalizer="relu")).trace, "weights", 0, 2).share


def test_how_far_a_guess_is_off():
    assert prediction(HERO, "scores", 0, 1).off(1.5) == 3.5


def test_an_unknown_step_is_refused():
    with pytest.raises(ValueError, match="step must be one of"):
        prediction(HERO, "softmax", 0, 1)
