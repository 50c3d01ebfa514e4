"""Weights times the length of what they carry."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention import Projections, attend_heads
from attnviz.attention.norms import (
    LayerNorm,
    carried,
    carried_mixing,
    carried_norms,
    mixing_ratio,
    norm_weighted,
    norm_weighted_by_head,
)

SEEDS = st.integers(0, 2**32 - 1)
D_MODEL, N_HEADS, D_V = 7, 4, 3


def layer(seed: int, n: int, *, biases: bool = True, n_kv_heads: int = 2):
    """Make inputs, projections with every bias, a normalization, and the weights of all of them."""
    rng = np.random.default_rng(seed)
    drawn = Projections.random(D_MODEL, N_HEADS, 5, D_V, seed, n_kv_heads=n_kv_heads)
    parts = {name: getattr(drawn, name) for name in ("w_q", "w_k", "w_v", "w_o")}
    if biases:
        parts["b_v"] = rng.normal(size=(n_kv_heads, D_V))
        parts["b_o"] = rng.normal(size=D_MODEL)
    projections = Projections(**parts)
    inputs = rng.normal(size=(n, D_MODEL))
    norm = LayerNorm(rng.normal(size=D_MODEL), rng.normal(size=D_MODEL), epsilon=1e-5)
    return inputs, projections, norm, attend_heads(inputs, projections)


def all_vectors(weights, inputs, projections, residual: bool) -> np.ndarray:
    """Write out every vector, (query, key, d_out), one by one."""
    n = len(inputs)
    found = np.zeros((n, n, D_MODEL))
    for i, j, head in np.ndindex(n, n, N_HEADS):
        kv = projections.kv_head(head)
        value = inputs[j] @ projections.w_v[kv]
        if projections.b_v is not None:
            value = value + projections.b_v[kv]
        w_o = projections.w_o[head * D_V : (head + 1) * D_V]
        found[i, j] += weights[head, i, j] * (value @ w_o)
    if residual:
        found[np.arange(n), np.arange(n)] += inputs
    return found


@settings(deadline=None, max_examples=25)
@given(SEEDS, st.integers(1, 5), st.booleans())
def test_the_length_is_that_of_the_sum_of_all_heads(seed, n, residual):
    inputs, projections, _, trace = layer(seed, n)
    vectors = all_vectors(trace.weights, inputs, projections, residual)
    found = norm_weighted(trace.weights, inputs, projections, residual=residual)
    np.testing.assert_allclose(found, np.linalg.norm(vectors, axis=2), atol=1e-12)


@settings(deadline=None, max_examples=25)
@given(SEEDS, st.integers(1, 5))
def test_what_is_carried_adds_up_to_the_output(seed, n):
    inputs, projections, _, trace = layer(seed, n)
    vectors = all_vectors(trace.weights, inputs, projections, residual=False)
    np.testing.assert_allclose(vectors.sum(axis=1) + projections.b_o, trace.output)
    read = np.einsum("hij,hjd->id", trace.weights, carried(inputs, projections))
    np.testing.assert_allclose(read + projections.b_o, trace.output)


@settings(deadline=None, max_examples=25)
@given(SEEDS, st.integers(1, 5))
def test_heads_together_are_no_longer_than_heads_apart(seed, n):
    inputs, projections, _, trace = layer(seed, n)
    together = norm_weighted(trace.weights, inputs, projections)
    apart = norm_weighted_by_head(trace.weights, inputs, projections)
    assert (together <= apart.sum(axis=0) + 1e-12).all()
    alone = np.zeros_like(trace.weights)
    alone[2] = trace.weights[2]
    np.testing.assert_allclose(norm_weighted(alone, inputs, projections), apart[2], atol=1e-12)


@settings(deadline=None, max_examples=25)
@given(SEEDS, st.integers(1, 5))
def test_normalized_parts_add_up_to_the_normalized_whole(seed, n):
    inputs, projections, norm, trace = layer(seed, n)
    vectors = all_vectors(trace.weights, inputs, projections, residual=True)
    whole = trace.output + inputs
    parts = norm.part(vectors, whole[:, None, :])
    bias = norm.part(np.tile(projections.b_o, (n, 1)), whole)
    np.testing.assert_allclose(parts.sum(axis=1) + bias + norm.shift, norm(whole))
    found = norm_weighted(trace.weights, inputs, projections, residual=True, layer_norm=norm)
    np.testing.assert_allclose(found, np.linalg.norm(parts, axis=2), atol=1e-12)


@settings(deadline=None, max_examples=25)
@given(SEEDS, st.integers(1, 5), st.booleans(), st.booleans())
def test_known_vectors_give_what_their_inputs_do(seed, n, residual, normalize):
    inputs, projections, norm, trace = layer(seed, n)
    vectors, past = carried(inputs, projections), inputs if residual else None
    layer_norm = norm if normalize else None
    more = {"residual": past, "layer_norm": layer_norm}
    np.testing.assert_allclose(
        carried_norms(trace.weights, vectors, bias=projections.b_o, **more),
        norm_weighted(trace.weights, inputs, projections, residual=residual, layer_norm=layer_norm),
        atol=1e-12,
    )
    np.testing.assert_allclose(
        carried_mixing(trace.weights, vectors, **more),
        mixing_ratio(trace.weights, inputs, projections, residual=residual, layer_norm=layer_norm),
    )


def test_vectors_of_another_layer_are_refused():
    inputs, projections, _, trace = layer(11, 3)
    vectors = carried(inputs, projections)
    for weights, read in ((trace.weights[:2], vectors), (trace.weights, vectors[:, :2])):
        with pytest.raises(ValueError, match="weights must be"):
            carried_norms(weights, read)
    with pytest.raises(ValueError, match="residual must be"):
        carried_norms(trace.weights, vectors, residual=inputs[:2])


def test_the_normalization_is_that_of_torch():
    _, _, norm, _ = layer(1, 2)
    vectors = np.random.default_rng(2).normal(size=(5, D_MODEL))
    scale, shift = torch.tensor(norm.scale), torch.tensor(norm.shift)
    expected = torch.nn.functional.layer_norm(
        torch.tensor(vectors), (D_MODEL,), scale, shift, norm.epsilon
    )
    np.testing.assert_allclose(norm(vectors), expected)


@settings(deadline=None, max_examples=25)
@given(SEEDS, st.integers(2, 5), st.booleans(), st.booleans())
def test_the_mixing_ratio_weighs_the_others_against_the_token_itself(seed, n, residual, normalize):
    inputs, projections, norm, trace = layer(seed, n)
    vectors = all_vectors(trace.weights, inputs, projections, residual)
    if normalize:
        whole = trace.output + (inputs if residual else 0)
        vectors = norm.part(vectors, whole[:, None, :])
    own = vectors[np.arange(n), np.arange(n)]
    others = np.linalg.norm(vectors.sum(axis=1) - own, axis=1)
    found = mixing_ratio(
        trace.weights,
        inputs,
        projections,
        residual=residual,
        layer_norm=norm if normalize else None,
    )
    np.testing.assert_allclose(found, others / (others + np.linalg.norm(own, axis=1)))
    assert ((found >= 0) & (found <= 1)).all()


def test_a_token_alone_mixes_with_none_and_nothing_is_said_of_no_vectors():
    inputs, projections, _, trace = layer(3, 1)
    assert mixing_ratio(trace.weights, inputs, projections) == [0]
    assert np.isnan(mixing_ratio(np.zeros((N_HEADS, 1, 1)), inputs, projections)).all()


def test_a_large_weight_on_a_short_vector_is_little():
    eye = np.eye(2)[None]
    projections = Projections(eye, eye, eye)
    found = norm_weighted([[0.9, 0.1], [0.5, 0.5]], [[0.1, 0], [3.0, 4.0]], projections)
    np.testing.assert_allclose(found, [[0.09, 0.5], [0.05, 2.5]])


def test_without_an_output_matrix_the_heads_stand_side_by_side():
    drawn = Projections.random(D_MODEL, 2, 5, D_V, 4)
    inputs = np.random.default_rng(4).normal(size=(3, D_MODEL))
    bare = Projections(drawn.w_q, drawn.w_k, drawn.w_v)
    weights = attend_heads(inputs, bare).weights
    apart = norm_weighted_by_head(weights, inputs, bare)
    np.testing.assert_allclose(norm_weighted(weights, inputs, bare), np.linalg.norm(apart, axis=0))


def test_what_goes_past_a_layer_may_be_another_vector_than_what_it_reads():
    inputs, projections, _, trace = layer(5, 3)
    past = np.random.default_rng(6).normal(size=(3, D_MODEL))
    own = all_vectors(trace.weights, inputs, projections, residual=False)
    own[np.arange(3), np.arange(3)] += past
    np.testing.assert_allclose(
        norm_weighted(trace.weights, inputs, projections, residual=past),
        np.linalg.norm(own, axis=2),
    )


def test_memory_is_carried_too_but_has_no_residual_and_no_mixing():
    rng = np.random.default_rng(7)
    memory, projections = rng.normal(size=(5, D_MODEL)), Projections.random(D_MODEL, 2, 3, 3, 7)
    weights = attend_heads(rng.normal(size=(2, D_MODEL)), projections, memory=memory).weights
    assert norm_weighted(weights, memory, projections).shape == (2, 5)
    with pytest.raises(ValueError, match="residual must be"):
        norm_weighted(weights, memory, projections, residual=True)
    with pytest.raises(ValueError, match="must be square"):
        mixing_ratio(weights, memory, projections)


def test_an_empty_row_carries_nothing():
    inputs, projections, _, trace = layer(8, 3)
    weights = trace.weights.copy()
    weights[:, 1] = 0
    assert (norm_weighted(weights, inputs, projections)[1] == 0).all()


def test_tensors_and_single_precision_are_read():
    inputs, projections, _, trace = layer(9, 3)
    single = torch.tensor(trace.weights, dtype=torch.float32)
    np.testing.assert_allclose(
        norm_weighted(single, torch.tensor(inputs), projections),
        norm_weighted(trace.weights, inputs, projections),
        rtol=1e-5,
    )


def test_weights_of_another_layer_are_refused():
    inputs, projections, _, trace = layer(10, 3)
    for weights, x in ((trace.weights[:2], inputs), (trace.weights, inputs[:2])):
        with pytest.raises(ValueError, match="weights must be"):
            norm_weighted(weights, x, projections)
    with pytest.raises(ValueError, match="weights must be"):
        norm_weighted(trace.weights, inputs[:, :2], projections)
