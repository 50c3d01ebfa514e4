"""Design a head: every target can be reached, in many ways, and a wrong map is not accepted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention import attend
from attnviz.lessons.challenges import (
    FEATURES,
    SOLVED,
    TARGETS,
    circle,
    features,
    gauge,
    judge,
    obstacle,
    solution,
    target_of,
)
from attnviz.lessons.examples import EXAMPLES
from attnviz.settings import LARGEST_NUMBER, MAX_TOKENS

SAWS = ("I", "saw", "a", "saw")
WORDS = ("saw", "Saw", "we", "a", "cat", "dog")


def weights(tokens, w_q, w_k) -> np.ndarray:
    a = features(tokens)
    return attend(a @ w_q, a @ w_k, a).weights


def distance(tokens, name, w_q, w_k) -> float | None:
    return judge(weights(tokens, w_q, w_k), target_of(name, tokens)).distance


@given(
    tokens=st.lists(st.sampled_from(WORDS), min_size=2, max_size=20),
    name=st.sampled_from(TARGETS),
    longer=st.sampled_from((1, 2, 10)),
)
@settings(max_examples=60, deadline=None)
def test_every_target_can_be_reached_and_longer_queries_too(tokens, name, longer):
    w_q, w_k = solution(name, tokens)
    assert distance(tokens, name, w_q * longer, w_k) < SOLVED / 5


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_can_be_reached_in_the_longest_sentence(name):
    tokens = [str(place % 40) for place in range(MAX_TOKENS)]
    w_q, w_k = solution(name, tokens)
    assert distance(tokens, name, w_q, w_k) < SOLVED
    assert np.abs(w_q).max() < LARGEST_NUMBER


@pytest.mark.parametrize("name", TARGETS)
def test_other_matrices_with_the_same_product_are_accepted_too(name):
    w_q, w_k = solution(name, SAWS)
    turned = gauge(w_q, w_k)
    np.testing.assert_allclose(turned[0] @ turned[1].T, w_q @ w_k.T, atol=1e-12)
    np.testing.assert_allclose(weights(SAWS, *turned), weights(SAWS, w_q, w_k), atol=1e-12)
    rng = np.random.default_rng(8)
    for _ in range(5):
        m = rng.normal(size=(2, 2)) + 2 * np.eye(2)
        other = (w_q @ m, w_k @ np.linalg.inv(m).T)
        assert distance(SAWS, name, *other) < SOLVED


@pytest.mark.parametrize("name", [name for name in TARGETS if name != "uniform"])
def test_the_gauge_changes_both_matrices(name):
    w_q, w_k = solution(name, SAWS)
    turned = gauge(w_q, w_k)
    assert not np.array_equal(turned[0], w_q) or not np.array_equal(turned[1], w_k)
    narrow = gauge(w_q[:, :1], w_k[:, :1])
    np.testing.assert_allclose(narrow[0] @ narrow[1].T, w_q[:, :1] @ w_k[:, :1].T)


@pytest.mark.parametrize("name", TARGETS)
def test_a_solution_of_one_target_does_not_solve_another(name):
    for other in TARGETS:
        solved = distance(SAWS, other, *solution(name, SAWS)) < SOLVED
        assert solved == (other == name), (name, other)


def test_zeros_solve_only_the_uniform_target():
    nothing = np.zeros((len(FEATURES), 2))
    solved = [name for name in TARGETS if distance(SAWS, name, nothing, nothing) < SOLVED]
    assert solved == ["uniform"]


@pytest.mark.parametrize("name", TARGETS)
def test_judged_rows_of_a_target_add_up_to_1(name):
    target = target_of(name, SAWS)
    np.testing.assert_allclose(target.weights.sum(axis=1)[target.counted], 1)


def test_targets_of_the_two_saws():
    np.testing.assert_array_equal(target_of("previous", SAWS).counted, [False, True, True, True])
    np.testing.assert_array_equal(target_of("next", SAWS).counted, [True, True, True, False])
    np.testing.assert_array_equal(target_of("previous", SAWS).weights[1], [1, 0, 0, 0])
    np.testing.assert_array_equal(target_of("next", SAWS).weights[1], [0, 0, 1, 0])
    np.testing.assert_array_equal(target_of("first", SAWS).weights[3], [1, 0, 0, 0])
    np.testing.assert_array_equal(target_of("same", SAWS).weights[1], [0, 0.5, 0, 0.5])
    np.testing.assert_array_equal(target_of("uniform", SAWS).weights[2], [0.25] * 4)


def test_an_unknown_target_is_refused_by_name():
    with pytest.raises(ValueError, match="target must be one of previous, next"):
        target_of("last", SAWS)


def test_distance_is_the_weight_that_lies_elsewhere():
    target = target_of("first", ("x", "y"))
    verdict = judge(np.array([[1.0, 0], [0.75, 0.25]]), target)
    np.testing.assert_allclose(verdict.rows, [0, 0.25])
    assert verdict.distance == 0.125
    assert not verdict.solved


def test_one_token_leaves_nothing_to_judge_for_a_neighbour():
    for name in ("previous", "next"):
        verdict = judge(np.ones((1, 1)), target_of(name, ("x",)))
        assert verdict.distance is None
        assert not verdict.solved


def test_a_row_that_is_not_judged_does_not_count():
    target = target_of("previous", SAWS)
    wrong = target.weights.copy()
    wrong[0] = [0.25] * 4
    assert judge(wrong, target).distance == 0
    assert np.isnan(judge(wrong, target).rows[0])


def test_places_of_four_tokens_are_those_of_the_two_head_example():
    np.testing.assert_array_equal(circle(4), EXAMPLES["two_heads"].cycle[:, 3:])
    np.testing.assert_array_equal(features(SAWS) % 1, 0)  # whole numbers, to follow by hand


def test_the_same_word_has_the_same_word_features_however_it_is_written():
    made = features(("Saw", "a", "saw"))
    np.testing.assert_array_equal(made[0, 3:], made[2, 3:])
    assert not np.array_equal(made[0, 1:3], made[2, 1:3])


def test_equal_vectors_stand_in_the_way_of_what_depends_on_the_place():
    inputs = EXAMPLES["hero"].inputs
    ways = {name: obstacle(inputs, target_of(name, SAWS)) for name in TARGETS}
    assert ways["previous"] == ways["next"] == (1, 3)
    assert ways["same"] is ways["first"] is ways["uniform"] is None
    assert not any(obstacle(features(SAWS), target_of(name, SAWS)) for name in TARGETS)


def test_what_stands_in_the_way_cannot_be_passed_by_any_matrices():
    inputs, target = EXAMPLES["hero"].inputs, target_of("previous", SAWS)
    rng = np.random.default_rng(5)
    for _ in range(200):
        q, k = (inputs @ rng.normal(scale=4, size=(3, 2)) for _ in range(2))
        assert judge(attend(q, k, inputs).weights, target).distance > 0.3
