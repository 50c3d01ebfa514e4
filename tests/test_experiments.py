"""Each experiment's numbers, worked out by hand on the default example, and its law on any."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention import NORMALIZERS
from attnviz.errors import InputError
from attnviz.experiments import EXPERIMENTS
from attnviz.experiments.changes import gauge_matrix
from attnviz.experiments.contrast import Contrast
from attnviz.experiments.findings import findings
from attnviz.experiments.sides import (
    FIELDS,
    differences,
    other_side,
    read,
    table_of,
    without,
    written,
)
from attnviz.lessons.examples import EXAMPLES
from attnviz.scene import scene_of
from attnviz.settings import Settings, from_query


def contrast(key: str, **chosen) -> Contrast:
    """Do one experiment, the plain side first."""
    plain = Settings(**chosen)
    scene = scene_of(plain)
    experiment = EXPERIMENTS[key]
    other = scene_of(other_side(plain, scene, experiment.fields(plain, scene)))
    return Contrast(other, scene) if experiment.is_back(plain, scene) else Contrast(scene, other)


def close(found, expected, digits: int = 4) -> None:
    np.testing.assert_allclose(found, expected, atol=0.51 * 10**-digits)


def test_scaling_evens_the_row_out():
    _, scaled = contrast("scale").heads
    close(scaled.weights[1], [0.0569, 0.2341, 0.4748, 0.2341])
    close(scaled.output[1], [-0.4113, 1.5252])


def test_a_low_temperature_chooses_and_a_high_one_averages():
    close(contrast("temperature_low").heads[1].weights[1], [0, 0.0177, 0.9647, 0.0177])
    close(contrast("temperature_high").heads[1].weights[1], [0.156, 0.257, 0.330, 0.257], 3)


def test_relu_loses_a_row_and_inflates_another():
    both = contrast("relu")
    np.testing.assert_array_equal(both.heads[1].output, [[0, 0], [0, 1], [0, 19], [0, 1]])
    assert findings(both)["lost_after"] == 1
    np.testing.assert_array_equal(findings(both)["sums_after"], [0, 1, 11, 1])
    assert np.isnan(both.entropies[1]).all()
    by_length = contrast("relu_length").heads[1].output
    np.testing.assert_array_equal(by_length, [[0, 0], [0, 0.25], [0, 4.75], [0, 0.25]])


def test_score_over_sum_gives_negative_weights():
    np.testing.assert_array_equal(
        findings(contrast("divide_by_sum"))["naive_before"], [2, 0, -1, 0]
    )


def test_tied_matrices_make_scores_symmetric_but_not_weights():
    both = contrast("tied")
    before, after = both.heads
    assert (before.scores[0, 1], before.scores[1, 0]) == (-1, -2)
    np.testing.assert_array_equal(after.scores, after.scores.T)
    assert np.abs(after.weights - after.weights.T).max() > 0.1
    assert both.is_symmetric()


def test_without_any_matrix_most_words_attend_most_to_another():
    weights = scene_of(Settings(example="raschka_journey")).trace.weights[0]
    assert (weights.argmax(axis=1) != np.arange(6)).sum() == 4


def test_no_token_of_the_default_attends_most_to_itself():
    both = contrast("no_self")
    assert findings(both)["own_top_before"] == 0
    assert (both.heads[1].weights.diagonal() == 0).all()


def test_queries_of_zero_average_the_values():
    both = contrast("zero_query")
    np.testing.assert_array_equal(both.heads[1].weights, np.full((4, 4), 0.25))
    np.testing.assert_array_equal(both.heads[1].output, [[-0.25, 1.75]] * 4)
    np.testing.assert_array_equal(findings(both)["value_mean_after"], [-0.25, 1.75])
    assert both.is_even()


def test_doubling_the_input_makes_scores_four_times_as_large():
    both = contrast("doubled")
    before, after = both.heads
    np.testing.assert_array_equal(after.scores, 4 * before.scores)
    close(after.weights[1], [0, 0.0177, 0.9647, 0.0177])


def test_the_gauge_changes_queries_and_keys_but_no_score():
    both = contrast("gauge")
    before, after = both.heads
    assert findings(both)["queries_moved"] > 0
    assert np.abs(after.key - before.key).max() > 0
    assert findings(both)["scores_moved"] <= 1e-12


def test_masking_after_softmax_leaves_rows_that_sum_to_less():
    sums, renormalised = contrast("mask_after").masked_afterwards()
    close(sums, [0.04, 0.23, 0.92, 1], 2)
    close(
        contrast("causal").heads[1].weights[:3, :3],
        [[1, 0, 0], [0.1192, 0.8808, 0], [0.6652, 0.09, 0.2447]],
    )
    np.testing.assert_allclose(renormalised, contrast("causal").heads[1].weights, atol=1e-15)


def test_an_identity_value_changes_what_is_read_not_who_is_read():
    both = contrast("identity_value")
    np.testing.assert_array_equal(both.weights_change, 0)
    assert np.abs(both.output_change).max() > 0


def test_positions_tell_the_two_equal_words_apart():
    found = findings(contrast("positions"))
    assert found["twins_before"] == 0
    close(contrast("positions").heads[1].output[[1, 3]], [[0.3226, 1.7420], [0.1915, 1.4680]])
    close(found["twins_after"], np.hypot(0.3226 - 0.1915, 1.7420 - 1.4680), 3)


def test_swapped_matrices_transpose_the_scores():
    before, after = contrast("swapped").heads
    np.testing.assert_array_equal(after.scores, before.scores.T)


@pytest.mark.parametrize("key", EXPERIMENTS)
@pytest.mark.parametrize("example", EXAMPLES)
def test_every_experiment_works_on_every_example_and_back(key, example):
    own = EXAMPLES[example].settings
    for more in ({}, {"n_heads": 4, "n_kv_heads": 2, "w_source": "random", "head": 3, "d_k": 3}):
        both = contrast(key, example=example, **own, **more)
        assert findings(both)["n_tokens"] == len(both.one.tokens)
        plain = Settings(example=example, **own, **more)
        there = EXPERIMENTS[key].fields(plain, scene_of(plain))
        back = contrast(key, **{"example": example, **own, **more, **there})
        assert both.one.tokens == back.one.tokens == back.other.tokens


@pytest.mark.parametrize("key", EXPERIMENTS)
def test_every_law_holds_for_plain_heads(key):
    example = {"example": "raschka_journey", "n_heads": 4, "n_kv_heads": 2, "w_source": "random"}
    for more in ({}, {"head": 2, "seed": 3, "d_k": 1}, {"head": 3, "seed": 5, "d_k": 7}):
        assert EXPERIMENTS[key].holds(contrast(key, **example, **more))


def test_a_law_is_not_claimed_where_it_is_broken():
    assert not EXPERIMENTS["gauge"].holds(contrast("gauge", positions="rotary"))
    assert not EXPERIMENTS["doubled"].holds(contrast("doubled", score="cosine"))
    assert not EXPERIMENTS["tied"].holds(contrast("tied", score="additive"))
    assert not EXPERIMENTS["mask_after"].holds(contrast("mask_after", normalizer="sparsemax"))
    assert not EXPERIMENTS["zero_query"].holds(contrast("zero_query", positions="alibi"))


@settings(deadline=None)
@given(st.integers(1, 16), st.integers(0, 2**31 - 1))
def test_a_gauge_matrix_and_its_inverse_are_whole_and_no_identity(d_k, seed):
    m = gauge_matrix(d_k, seed)
    assert (m == np.round(m)).all()
    inverse = np.linalg.inv(m)
    np.testing.assert_allclose(
        inverse * (1 + (d_k == 1)), np.round(inverse * (1 + (d_k == 1))), atol=1e-9
    )
    assert not np.array_equal(m, np.eye(d_k))


def test_an_experiment_already_made_compares_with_the_plain_side():
    plain = Settings(scale="sqrt_d_k")
    scene = scene_of(plain)
    assert EXPERIMENTS["scale"].is_back(plain, scene)
    assert EXPERIMENTS["scale"].fields(plain, scene) == {"scale": "none"}
    assert contrast("scale", scale="sqrt_d_k").heads[0].scale == 1


def test_with_one_token_every_experiment_can_be_made():
    for key in EXPERIMENTS:
        assert findings(contrast(key, sentence="saw", query=0))["partner"] == 1


# --- The other side and its link ---


VALUES = st.fixed_dictionaries(
    {},
    optional={
        "scale": st.sampled_from(("none", "sqrt_d_k", 0.5)),
        "normalizer": st.sampled_from(tuple(NORMALIZERS)),
        "temperature": st.sampled_from((0, 0.25, 1.0, 4.0)),
        "n_heads": st.sampled_from((0, 2)),
        "w_source": st.sampled_from(("example", "typed", "random")),
        "w_k": st.sampled_from(((), ((1.5, 2.0), (-1.0, 0.0)))),
        "mask": st.sampled_from(("everyone", "causal")),
        "cells": st.sampled_from(((), ("10", "11"))),
        "bias": st.sampled_from((None, -0.5)),
        "self_loops": st.booleans(),
        "vectors": st.sampled_from(((), ((1.0, 2.0),))),
    },
)


@settings(max_examples=60, deadline=None)
@given(VALUES)
def test_what_the_other_side_has_different_survives_the_link(different):
    text = written(different)
    assert read(text) == different
    whole = Settings(other=text)
    assert from_query(whole.to_query()) == (whole, ())
    assert not whole.out_of_range()


def test_a_default_of_the_other_side_is_written_too():
    assert read(written({"scale": "none"})) == {"scale": "none"}
    assert written({"scale": "none"})


def test_a_nested_link_cannot_change_the_tokens():
    plain = Settings()
    scene = scene_of(plain)
    sneaky = Settings(sentence="no such", pieces=("a", "language"), scale="sqrt_d_k")
    different = read("&".join(f"{key}={text}" for key, text in sneaky.to_query().items()))
    assert different == {"scale": "sqrt_d_k"}
    assert scene_of(other_side(plain, scene, different)).tokens == scene.tokens
    assert not {"sentence", "pieces", "example", "split", "query", "language"} & set(FIELDS)


def test_vectors_of_another_length_are_refused():
    plain = Settings()
    with pytest.raises(InputError) as refused:
        other_side(plain, scene_of(plain), {"vectors": ((1, 2, 3),)})
    assert refused.value.code == "vectors.count"


def sides(different, **chosen):
    one = Settings(**chosen)
    scene = scene_of(one)
    other = other_side(one, scene, different)
    return one, other, scene, scene_of(other)


def test_only_what_differs_in_numbers_is_named():
    one = Settings()
    scene = scene_of(one)
    tied = EXPERIMENTS["tied"].fields(one, scene)
    assert differences(*sides(tied)) == ("w_k",)
    assert differences(*sides({"scale": "none"})) == ()
    assert differences(*sides({"w_source": "random", "seed": 3})) == ("w_source", "seed")


def test_a_difference_is_taken_away_alone():
    scene = scene_of(Settings())
    different = {"scale": "sqrt_d_k", **EXPERIMENTS["tied"].fields(Settings(), scene)}
    assert differences(*sides(without(different, "scale", scene))) == ("w_k",)
    assert without(different, "w_k", scene) == {"scale": "sqrt_d_k"}
    two = different | {"w_v": ((1.0, 0.0),) * 3}
    left = without(two, "w_k", scene)
    assert differences(*sides(left)) == ("w_v", "scale")
    assert left["w_k"] == table_of(scene, "w_k")
    assert without({"w_source": "random"}, "w_source", scene) == {}
