"""Adding is concatenating with tied matrices; what is mixed can be taken apart again in scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.attention import HeadChoices, Projections
from attnviz.lessons.combining import combine, score_parts
from attnviz.scene import scene_of
from attnviz.settings import Settings


@given(st.integers(1, 6), st.integers(1, 3), st.integers(0, 10**6))
def test_adding_is_concatenating_with_the_same_rows_for_both(n_tokens, n_heads, seed):
    rng = np.random.default_rng(seed)
    inputs, code = rng.normal(size=(2, n_tokens, 5))
    made = combine(inputs, code, Projections.random(5, n_heads, 3, 2, seed), HeadChoices())
    np.testing.assert_allclose(made.tied.query, made.added.query, atol=1e-12)
    assert made.tied_difference < 1e-10
    assert made.beside.shape == (n_tokens, 10)


@given(st.integers(1, 6), st.integers(0, 10**6))
def test_the_four_parts_of_a_score_add_up_to_it(n_tokens, seed):
    rng = np.random.default_rng(seed)
    inputs, code = rng.normal(size=(2, n_tokens, 5))
    w_q, w_k = rng.normal(size=(2, 5, 3))
    parts = score_parts(inputs, code, w_q, w_k)
    whole = (inputs + code) @ w_q @ ((inputs + code) @ w_k).T
    np.testing.assert_allclose(parts.sum(axis=0), whole, atol=1e-10)
    np.testing.assert_allclose(parts[0], inputs @ w_q @ (inputs @ w_k).T, atol=1e-10)
    np.testing.assert_allclose(parts[3], code @ w_q @ (code @ w_k).T, atol=1e-10)


def combined(**chosen):
    scene = scene_of(Settings(**chosen))
    code = np.asarray(scene.trace.position.added)
    return scene, combine(scene.inputs, code, scene.projections, scene.choices, mask=scene.mask)


def test_where_content_and_position_have_dimensions_of_their_own_they_do_not_mix():
    scene, made = combined(example="two_heads", positions="example")
    assert made.shared == ()
    assert made.tied_difference == 0
    w = scene.projections
    for head in range(2):
        parts = score_parts(scene.inputs, made.code, w.w_q[head], w.w_k[head])
        assert not parts[1:3].any()


def test_where_they_share_dimensions_content_meets_position():
    scene, made = combined(positions="sinusoidal")
    assert made.shared == (0, 1, 2)
    parts = score_parts(scene.inputs, made.code, scene.projections.w_q[0], scene.projections.w_k[0])
    assert np.abs(parts[1:3]).max() > 1


@pytest.mark.parametrize("chosen", [{"base": 100.0}, {"mask": "causal"}, {"n_heads": 2}], ids=str)
def test_it_is_the_layer_on_the_page_that_is_compared(chosen):
    scene, made = combined(positions="sinusoidal", **chosen)
    np.testing.assert_array_equal(made.added.output, scene.trace.output)
    assert made.tied_difference < 1e-12
    assert made.own_difference > 0.1


def test_a_scene_of_typed_positions_is_combined_too():
    table = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 1.0, 1.0))
    _, made = combined(positions="learned", position_vectors=table)
    assert made.tied_difference < 1e-12
