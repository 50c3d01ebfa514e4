import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from jaxtyping import TypeCheckError

from attnviz.attention import arrays as arrays_module
from attnviz.attention import scores as scores_module
from attnviz.attention.scores import SCORES, additive, bilinear, cosine, dot, precise, score_terms

N_QUERY, N_KEY, D_QUERY, D_KEY, D_HIDDEN = 2, 5, 3, 7, 11
EVERY = pytest.mark.parametrize("name", SCORES)
laws = settings(max_examples=30, deadline=None)
features = st.integers(-64, 64).map(lambda whole: whole / 8)
queries = arrays(np.float64, (N_QUERY, D_QUERY), elements=features)
keys = arrays(np.float64, (N_KEY, D_QUERY), elements=features)


def normal(*shape, seed=13):
    return np.random.default_rng((seed, *shape)).normal(size=shape)


def parameters(name, d_query=D_QUERY, d_key=D_QUERY):
    """Make random matrices for the score functions that need some."""
    if name == "bilinear":
        return {"w": normal(d_query, d_key)}
    if name == "additive":
        return {
            "w_query": normal(d_query, D_HIDDEN),
            "w_key": normal(d_key, D_HIDDEN, seed=17),
            "v": normal(D_HIDDEN),
            "bias": normal(D_HIDDEN, seed=19),
        }
    return {}


# --- Laws


@EVERY
@laws
@given(query=queries, key=keys)
def test_every_pair_is_scored_alone(name, query, key):
    arguments = parameters(name)
    alone = [[SCORES[name]([q], [k], **arguments)[0, 0] for k in key] for q in query]
    np.testing.assert_allclose(SCORES[name](query, key, **arguments), alone, rtol=1e-12, atol=1e-12)


@EVERY
@laws
@given(query=queries, key=keys)
def test_terms_add_up_to_the_score(name, query, key):
    arguments = parameters(name)
    left, right = score_terms(name, query[1], key[4], **arguments)
    score = SCORES[name](query, key, **arguments)[1, 4]
    np.testing.assert_allclose(math.fsum(left * right), score, rtol=1e-12, atol=1e-12)


@EVERY
@pytest.mark.parametrize("seed", range(3))
def test_equal_vectors_get_equal_scores_to_the_last_bit(name, seed):
    query, key = normal(19, 23, seed=seed), normal(31, 23, seed=seed)
    query[17], key[29] = query[0], key[0]
    scores = SCORES[name](query, key, **parameters(name, 23, 23))
    np.testing.assert_array_equal(scores[17], scores[0])
    np.testing.assert_array_equal(scores[:, 29], scores[:, 0])


@laws
@given(query=queries, key=keys, factor=features)
def test_dot_stretches_with_either_vector(query, key, factor):
    np.testing.assert_array_equal(dot(factor * query, key), factor * dot(query, key))
    np.testing.assert_array_equal(dot(query, factor * key), factor * dot(query, key))


@laws
@given(query=queries, key=keys)
def test_dot_gives_as_many_independent_rows_as_features(query, key):
    assert np.linalg.matrix_rank(dot(query[:, :1], key[:, :1])) <= 1


@laws
@given(query=queries, key=keys, moved=arrays(np.float64, D_QUERY, elements=features))
def test_moving_all_keys_adds_a_constant_to_every_row(query, key, moved):
    difference = dot(query, key + moved) - dot(query, key)
    np.testing.assert_array_equal(difference, np.broadcast_to(difference[:, :1], difference.shape))


@laws
@given(query=queries, key=keys, power=st.integers(-300, 300))
def test_cosine_ignores_length_even_of_tiny_and_huge_vectors(query, key, power):
    stretched = cosine(query * 10.0**power, key)
    np.testing.assert_allclose(stretched, cosine(query, key), rtol=1e-12, atol=1e-14)
    assert np.all(np.abs(stretched) <= 1)


@laws
@given(query=queries)
def test_cosine_of_a_vector_with_itself_is_one(query):
    own = np.diagonal(cosine(query, query))
    np.testing.assert_allclose(own, (query != 0).any(axis=-1), rtol=1e-15)


def test_cosine_never_exceeds_one_by_rounding():
    vectors = normal(97, D_KEY)
    assert np.all(np.abs(cosine(vectors, vectors)) <= 1)
    assert np.all(np.abs(cosine(vectors, -vectors)) <= 1)


def test_cosine_with_a_zero_vector_is_zero():
    np.testing.assert_array_equal(cosine([[0, 0], [3, 4]], [[0, 0], [1, 0]]), [[0, 0], [0, 0.6]])


@laws
@given(query=queries, key=keys)
def test_bilinear_with_the_identity_is_dot(query, key):
    np.testing.assert_array_equal(bilinear(query, key, w=np.eye(D_QUERY)), dot(query, key))


@laws
@given(query=queries, key=keys)
def test_bilinear_is_dot_after_two_projections(query, key):
    w_q, w_k = normal(D_QUERY, 2), normal(D_QUERY, 2, seed=17)
    projected = dot(query @ w_q, key @ w_k)
    np.testing.assert_allclose(bilinear(query, key, w=w_q @ w_k.T), projected, atol=1e-11)


def test_bilinear_has_a_direction():
    w = [[0, 1], [0, 0]]
    assert bilinear([[1, 0]], [[0, 1]], w=w).item() == 1
    assert bilinear([[0, 1]], [[1, 0]], w=w).item() == 0


@laws
@given(query=queries, key=keys)
def test_additive_stays_within_the_sum_of_its_last_layer(query, key):
    arguments = parameters("additive")
    scores = additive(query, key, **arguments)
    assert np.all(np.abs(scores) <= np.abs(arguments["v"]).sum() + 1e-12)


def test_additive_without_a_bias_is_that_with_a_bias_of_zero():
    arguments = parameters("additive") | {"bias": np.zeros(D_HIDDEN)}
    without = {name: array for name, array in arguments.items() if name != "bias"}
    query, key = normal(N_QUERY, D_QUERY), normal(N_KEY, D_QUERY)
    np.testing.assert_array_equal(
        additive(query, key, **without), additive(query, key, **arguments)
    )


def test_additive_scores_queries_a_block_at_a_time_without_a_seam(monkeypatch):
    query, key = normal(3, 13, D_QUERY), normal(3, N_KEY, D_KEY)
    arguments = parameters("additive", D_QUERY, D_KEY)
    whole = additive(query, key, **arguments)
    for size in (1, 3 * N_KEY * D_HIDDEN * 5, 3 * N_KEY * D_HIDDEN * 13):
        monkeypatch.setattr(scores_module, "BLOCK_SIZE", size)
        np.testing.assert_array_equal(additive(query, key, **arguments), whole)


def test_additive_of_many_tokens_holds_one_block_at_a_time(monkeypatch):
    held = []
    tanh = np.tanh
    monkeypatch.setattr(np, "tanh", lambda array: held.append(array.size) or tanh(array))
    monkeypatch.setattr(scores_module, "BLOCK_SIZE", 10_007)
    additive(normal(97, 2), normal(89, 2), **parameters("additive", 2, 2))
    assert max(held) <= 10_007
    assert sum(held) == 97 * 89 * D_HIDDEN


# --- Numbers worked by hand


def test_dot_of_i_saw_a_saw():
    query = [[-1, 0], [-1, 1], [1, 1], [-1, 1]]
    key = [[3, 1], [1, 1], [1, 2], [1, 1]]
    expected = [[-3, -1, -1, -1], [-2, 0, 1, 0], [4, 2, 3, 2], [-2, 0, 1, 0]]
    np.testing.assert_array_equal(dot(query, key), expected)


def test_second_query_scores_the_first_key_six():
    np.testing.assert_array_equal(dot([[2, 1], [2, 2]], [[2, 1], [0, 2]]), [[5, 2], [6, 4]])


def test_cosine_of_the_first_two_rows_of_i_saw_a_saw():
    expected = [[-3 / math.sqrt(10), -1 / math.sqrt(2)], [-2 / math.sqrt(20), 0]]
    np.testing.assert_allclose(
        cosine([[-1, 0], [-1, 1]], [[3, 1], [1, 1]]), expected, rtol=1e-14, atol=1e-15
    )


def test_bilinear_is_worked_by_hand():
    assert bilinear([[1, 2]], [[3, 4, 5]], w=[[1, 0, 2], [0, 1, 1]]).item() == 31  # (1, 2, 4) · k


def test_additive_is_worked_by_hand():
    score = additive(
        [[1]], [[2, 0]], w_query=[[1, -1]], w_key=[[0.5, 0], [9, 9]], v=[2, 3], bias=[0, 0.5]
    )
    expected = 2 * math.tanh(1 + 1) + 3 * math.tanh(-1 + 0 + 0.5)
    np.testing.assert_allclose(score, [[expected]], rtol=1e-15)


def test_terms_of_each_score_are_its_factors():
    query, key = np.array([3.0, 4.0]), np.array([0.0, 2.0])
    w = np.array([[1.0, 2.0], [0.0, 1.0]])
    for name, arguments, left, right in (
        ("dot", {}, [3, 4], [0, 2]),
        ("cosine", {}, [0.6, 0.8], [0, 1]),
        ("bilinear", {"w": w}, [3, 10], [0, 2]),
        (
            "additive",
            {"w_query": w, "w_key": w, "v": [5, 7]},
            [5, 7],
            [math.tanh(3), math.tanh(12)],
        ),
    ):
        terms = score_terms(name, query, key, **arguments)
        np.testing.assert_allclose(terms, [left, right], rtol=1e-15)


def test_terms_of_a_zero_vector_are_zero_for_cosine():
    np.testing.assert_array_equal(score_terms("cosine", [0, 0], [1, 2])[0], [0, 0])


# --- torch, float64 to 1e-12


def test_scores_agree_with_torch():
    query, key = normal(3, N_QUERY, D_QUERY), normal(3, N_KEY, D_QUERY)
    q, k = torch.from_numpy(query), torch.from_numpy(key)
    tolerance = {"rtol": 1e-12, "atol": 1e-12}
    np.testing.assert_allclose(dot(query, key), (q @ k.mT).numpy(), **tolerance)
    similar = torch.nn.functional.cosine_similarity(q[:, :, None], k[:, None], dim=-1)
    np.testing.assert_allclose(cosine(query, key), similar.numpy(), **tolerance)


def test_additive_agrees_with_a_torch_network():
    arguments = parameters("additive", D_QUERY, D_KEY)
    query, key = normal(N_QUERY, D_QUERY), normal(N_KEY, D_KEY)
    network = {name: torch.from_numpy(array) for name, array in arguments.items()}
    asked = (torch.from_numpy(query) @ network["w_query"])[:, None]
    answered = (torch.from_numpy(key) @ network["w_key"])[None]
    expected = torch.tanh(asked + answered + network["bias"]) @ network["v"]
    np.testing.assert_allclose(additive(query, key, **arguments), expected.numpy(), rtol=1e-12)


# --- Edges


@EVERY
def test_leading_axes_are_scored_alike(name):
    query, key = normal(2, 3, N_QUERY, D_QUERY), normal(2, 3, N_KEY, D_QUERY)
    arguments = parameters(name)
    scores = SCORES[name](query, key, **arguments)
    assert scores.shape == (2, 3, N_QUERY, N_KEY)
    alone = SCORES[name](query[1, 2], key[1, 2], **arguments)
    np.testing.assert_allclose(scores[1, 2], alone, rtol=1e-12, atol=1e-14)


@EVERY
def test_keys_of_one_head_serve_several(name):
    query, key = normal(3, N_QUERY, D_QUERY), normal(1, N_KEY, D_QUERY)
    arguments = parameters(name)
    np.testing.assert_array_equal(
        SCORES[name](query, key, **arguments),
        SCORES[name](query, np.repeat(key, 3, axis=0), **arguments),
    )


def test_each_head_may_have_its_own_parameters():
    query, key = normal(2, N_QUERY, D_QUERY), normal(2, N_KEY, D_KEY)
    first = parameters("additive", D_QUERY, D_KEY)
    second = {name: -2 * array for name, array in first.items()}
    both = {name: np.stack([first[name], second[name]]) for name in first}
    scores = additive(query, key, **both)
    np.testing.assert_allclose(scores[0], additive(query[0], key[0], **first), rtol=1e-12)
    np.testing.assert_allclose(scores[1], additive(query[1], key[1], **second), rtol=1e-12)


@EVERY
@pytest.mark.parametrize(
    ("given", "computed"),
    [(np.float16, np.float32), (np.float32, np.float32), (np.float64, np.float64)],
)
def test_half_precision_is_widened_and_single_stays(name, given, computed):
    query, key = normal(N_QUERY, D_QUERY).astype(given), normal(N_KEY, D_QUERY).astype(given)
    arguments = {key: array.astype(given) for key, array in parameters(name).items()}
    assert SCORES[name](query, key, **arguments).dtype == computed
    assert all(term.dtype == computed for term in score_terms(name, query[0], key[0], **arguments))


def test_additive_without_a_bias_keeps_single_precision():
    query, key = normal(N_QUERY, 1).astype(np.float32), normal(N_KEY, 1).astype(np.float32)
    one = np.ones((1, 1), dtype=np.float32)
    assert additive(query, key, w_query=one, w_key=one, v=one[0]).dtype == np.float32


def test_half_precision_vectors_do_not_overflow():
    half = np.full((1, 64), 300, dtype=np.float16)
    assert dot(half, half).item() == 64 * 300**2  # 5 760 000, beyond the 65 504 of float16


def test_precise_takes_the_widest():
    dtypes = [array.dtype for array in precise(np.float32([1]), np.float16([1]))]
    assert dtypes == [np.float32, np.float32]
    dtypes = [array.dtype for array in precise(np.float32([1]), [1])]
    assert dtypes == [np.float64, np.float64]


def test_an_overflow_is_left_for_the_normalizer_to_refuse():
    assert dot([[1e200]], [[1e200]]).item() == math.inf
    assert math.isnan(cosine([[math.inf]], [[1.0]]).item())


@pytest.mark.parametrize("size", [0, 10**9])
def test_long_inputs_are_multiplied_at_once_to_the_same_scores(monkeypatch, size):
    query, key = normal(3, 13, D_QUERY), normal(3, N_KEY, D_QUERY)
    expected = np.einsum("hqd,hkd->hqk", query, key)
    monkeypatch.setattr(arrays_module, "EXACT_SIZE", size)
    np.testing.assert_allclose(dot(query, key), expected, rtol=1e-12, atol=1e-14)


def test_single_features_are_scored():
    np.testing.assert_array_equal(dot([[2], [3]], [[5]]), [[10], [15]])
    np.testing.assert_array_equal(cosine([[2], [-3]], [[5]]), [[1], [-1]])


@pytest.mark.parametrize(
    ("score", "arguments", "complaint"),
    [
        (dot, {}, "query and key must share a width"),
        (cosine, {}, "query and key must share a width"),
        (bilinear, {"w": [[1, 2]]}, "query and w must share a width"),
        (bilinear, {"w": [[1], [2]]}, "w and key must share a width"),
        (additive, {"w_query": [[1]], "w_key": [[1]], "v": [1]}, "query and w_query must share"),
        (additive, {"w_query": [[1], [1]], "w_key": [[1]], "v": [1]}, "key and w_key must share"),
        (
            additive,
            {"w_query": [[1], [1]], "w_key": [[1, 1], [1, 1], [1, 1]], "v": [1]},
            "w_query and w_key must share",
        ),
        (
            additive,
            {"w_query": [[1], [1]], "w_key": [[1], [1], [1]], "v": [1, 1]},
            "w_key and v must share",
        ),
    ],
)
def test_widths_that_do_not_fit_are_refused_by_name(score, arguments, complaint):
    with pytest.raises(ValueError, match=complaint):
        score([[1, 2]], [[1, 2, 3]], **arguments)


def test_arrays_whose_widths_do_not_fit_are_refused():
    with pytest.raises((ValueError, TypeCheckError)):
        dot(np.zeros((N_QUERY, D_QUERY)), np.zeros((N_KEY, D_KEY)))


def test_terms_of_an_unknown_score_are_refused_with_those_there_are():
    with pytest.raises(ValueError, match="one of dot, cosine, additive, bilinear, got 'dott'"):
        score_terms("dott", [1], [1])
