import dataclasses

import numpy as np
import pytest

from attnviz.attention import NORMALIZERS, SCORES, HeadChoices, Projections, attend, attend_heads

QKV = (np.ones((2, 3)), np.ones((5, 3)), np.ones((5, 7)))


def test_choices_start_as_the_plain_dot_product_and_softmax():
    choices = HeadChoices()
    assert (choices.score, choices.scale, choices.normalizer) == ("dot", "none", "softmax")
    assert (choices.temperature, dict(choices.parameters)) == (1, {})


@pytest.mark.parametrize(
    ("scale", "d_k", "multiplier"),
    [("none", 7, 1), ("sqrt_d_k", 16, 0.25), ("sqrt_d_k", 1, 1), (0.125, 7, 0.125), (-2, 7, -2)],
)
def test_multiplier_is_what_scores_are_multiplied_by(scale, d_k, multiplier):
    assert HeadChoices(scale=scale).multiplier(d_k) == multiplier


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"score": "dots"}, f"score must be one of {', '.join(SCORES)}, got 'dots'; choose"),
        (
            {"normalizer": "max"},
            f"normalizer must be one of {', '.join(NORMALIZERS)}, got 'max'; ch",
        ),
        (
            {"scale": "sqrt"},
            'scale must be "none", "sqrt_d_k" or a finite number, got \'sqrt\'; a n',
        ),
        ({"scale": float("nan")}, "scale must be .* got nan; a number multiplies"),
        ({"scale": float("inf")}, "scale must be .* got inf; a number multiplies"),
        ({"scale": True}, "scale must be .* got True; a number multiplies"),
        ({"temperature": -0.5}, r"temperature must be 0 \(the limit\) or more, got -0.5; 1 leaves"),
        ({"temperature": float("nan")}, "temperature must be .* got nan; 1 leaves"),
    ],
)
def test_choices_that_are_not_there_are_refused(change, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        HeadChoices(**change)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        (
            {"parameters": {"alpha": 1.5}},
            "parameters must be known to what is chosen, got 'alpha'; "
            "choose from score: none; normalizer: none; position: none",
        ),
        (
            {"normalizer": "entmax", "parameters": {"k": 2}},
            "parameters must be known .* got 'k'; "
            "choose from score: none; normalizer: alpha; position: none",
        ),
        ({"parameters": {"score.alpha": 1.5}}, "parameters must be known .* got 'score.alpha'; "),
        (
            {"parameters": {"temperature": 2}},
            "parameters must not hold 'temperature', a choice of its own; give it as temperature=",
        ),
        (
            {"score": "additive", "normalizer": "sigmoid", "parameters": {"bias": 1}},
            "parameters must say who takes 'bias', got it for 2; call it \"score.bias\" or "
            '"normalizer.bias"',
        ),
    ],
)
def test_parameters_that_nobody_takes_are_refused(choices, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        attend(*QKV, HeadChoices(**choices))


def test_parameters_of_a_position_code_are_refused_without_it():
    w = Projections.random(3, 1, 2, 2, seed=0)
    choices = HeadChoices(parameters={"base": 100})
    with pytest.raises(
        ValueError, match=r"^parameters must be known .* got 'base'; .* position: none"
    ):
        attend_heads(QKV[0], w, choices)
    known = "position: base, pairs, rotary_dim"
    with pytest.raises(ValueError, match=f"^parameters must be known .* got 'clip'; .* {known}"):
        attend_heads(QKV[0], w, HeadChoices(parameters={"clip": 1}), positions="rotary")
    attend_heads(QKV[0], w, choices, positions="rotary")


def test_a_shared_name_goes_to_the_part_that_is_named():
    hidden = {"w_query": np.ones((3, 2)), "w_key": np.ones((3, 2)), "v": [1.0, 1.0]}
    choices = HeadChoices(
        score="additive",
        normalizer="sigmoid",
        parameters={**hidden, "score.bias": [-6.0, -6.0], "normalizer.bias": 0.0},
    )
    trace = attend(*QKV, choices)  # tanh(3 + 3 - 6) = 0, and sigmoid(0 + 0) = 1/2
    np.testing.assert_array_equal(trace.scores, np.zeros((2, 5)))
    np.testing.assert_array_equal(trace.weights, np.full((2, 5), 0.5))


def test_choices_cannot_be_changed_afterwards():
    w = np.eye(3)
    parameters = {"w": w}
    choices = HeadChoices(score="bilinear", parameters=parameters)
    parameters["w"], w[:] = None, 0
    np.testing.assert_array_equal(choices.parameters["w"], np.eye(3))
    with pytest.raises(ValueError, match="read-only"):
        choices.parameters["w"][:] = 0
    with pytest.raises(TypeError, match="item assignment"):
        choices.parameters["w"] = None
    with pytest.raises(dataclasses.FrozenInstanceError):
        choices.score = "dot"


def test_choices_can_be_replaced_one_at_a_time():
    choices = HeadChoices(score="bilinear", parameters={"w": np.eye(3)})
    again = dataclasses.replace(choices, scale=2)
    np.testing.assert_array_equal(again.parameters["w"], np.eye(3))
