import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention import (
    MASKS,
    NORMALIZERS,
    POSITIONS,
    SCORES,
    HeadChoices,
    Projections,
    ancestry,
    attend,
    attend_heads,
)

LAW = settings(max_examples=25, deadline=None, database=None, derandomize=True)
seeds = st.integers(0, 2**32 - 1)
N_QUERY, N_KEY, D_K, D_V = 2, 5, 3, 7


def draw(seed, *shapes):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in shapes]


def draw_qkv(seed):
    return draw(seed, (N_QUERY, D_K), (N_KEY, D_K), (N_KEY, D_V))


def parameters_of(score):
    w, w_query, w_key, v = draw(3, (D_K, D_K), (D_K, 11), (D_K, 11), 11)
    return {"bilinear": {"w": w}, "additive": {"w_query": w_query, "w_key": w_key, "v": v}}.get(
        score, {}
    )


def check(trace, query, key):
    """Go from the two vectors to what the key gives, with plain Python numbers."""
    found = ancestry(trace, query, key)
    products = [a * b for a, b in zip(found.left.tolist(), found.right.tolist(), strict=True)]
    np.testing.assert_allclose(found.products, products, rtol=1e-14)
    assert math.isclose(math.fsum(products), found.score, rel_tol=1e-9, abs_tol=1e-12)
    assert found.score == trace.scores[query, key]
    assert found.scaled == trace.scaled_scores[query, key]
    assert math.isclose(found.score * found.scale, found.scaled, rel_tol=1e-12, abs_tol=1e-15)
    masked = found.scaled + (found.bias or 0.0) if found.allowed else -math.inf
    assert masked == found.masked == trace.masked_scores[query, key]
    assert found.numerator == found.numerators[key]
    weight = found.numerator / found.total if found.total > 0 else 0
    assert math.isclose(weight, found.weight, rel_tol=1e-9, abs_tol=1e-12)
    assert found.weight == trace.weights[query, key]
    np.testing.assert_allclose(found.contribution, found.weight * found.value, rtol=1e-14)
    others = [ancestry(trace, query, other) for other in range(trace.n_key) if other != key]
    given = sum((other.contribution for other in others), np.zeros_like(found.value))
    np.testing.assert_allclose(found.others, given, atol=1e-12)
    np.testing.assert_allclose(found.contribution + found.others, found.output, atol=1e-12)
    np.testing.assert_array_equal(found.output, trace.output[query])
    return found


def test_ancestry_of_the_hero_by_hand():
    trace = attend(
        [[-1, 0], [-1, 1]],
        [[3, 1], [1, 1], [1, 2]],
        [[1, 2], [-1, 2], [0, 1]],
        HeadChoices(scale=0.5),
    )
    found = check(trace, 1, 2)
    np.testing.assert_array_equal(found.left, [-1, 1])
    np.testing.assert_array_equal(found.right, [1, 2])
    np.testing.assert_array_equal(found.products, [-1, 2])
    assert (found.query, found.key) == (1, 2)
    assert (found.score, found.scale, found.scaled, found.bias) == (1, 0.5, 0.5, None)
    assert (found.allowed, found.masked, found.temperature) == (True, 0.5, 1)
    np.testing.assert_allclose(found.numerators, [math.exp(-1), 1, math.exp(0.5)])
    np.testing.assert_allclose(found.total, math.exp(-1) + 1 + math.exp(0.5))
    assert found.shift == 0
    assert found.threshold is None
    np.testing.assert_array_equal(found.value, [0, 1])
    np.testing.assert_allclose(found.others, trace.output[1] - np.array([0, found.weight]))


@pytest.mark.parametrize("score", SCORES)
def test_ancestry_multiplies_out_every_score(score):
    choices = HeadChoices(score=score, scale="sqrt_d_k", parameters=parameters_of(score))
    trace = attend(*draw_qkv(5), choices)
    for query, key in np.ndindex(N_QUERY, N_KEY):
        check(trace, query, key)


@pytest.mark.parametrize("temperature", [1, 0.5, 3])
@pytest.mark.parametrize("name", NORMALIZERS)
def test_ancestry_divides_out_every_weight(name, temperature):
    trace = attend(*draw_qkv(7), HeadChoices(normalizer=name, temperature=temperature))
    for query, key in np.ndindex(N_QUERY, N_KEY):
        assert check(trace, query, key).temperature == temperature


@pytest.mark.parametrize("name", ["softmax", "topk", "sparsemax", "entmax", "entmax15", "hardmax"])
def test_ancestry_at_temperature_zero(name):
    trace = attend(*draw_qkv(11), HeadChoices(normalizer=name, temperature=0))
    best = int(trace.scores[0].argmax())
    assert check(trace, 0, best).weight == 1


@LAW
@given(seed=seeds)
def test_ancestry_with_mask_and_bias(seed):
    mask = np.random.default_rng(seed).random((N_QUERY, N_KEY)) < 0.5
    (bias,) = draw(seed, (N_QUERY, N_KEY))
    trace = attend(*draw_qkv(seed), HeadChoices(scale="sqrt_d_k"), mask=mask, bias=bias)
    for query, key in np.ndindex(N_QUERY, N_KEY):
        found = check(trace, query, key)
        assert found.allowed == mask[query, key]
        assert found.bias == bias[query, key]


@pytest.mark.parametrize("name", NORMALIZERS)
def test_ancestry_in_an_empty_row_is_nothing(name):
    mask = [[False] * N_KEY, [True] * N_KEY]
    trace = attend(*draw_qkv(13), HeadChoices(normalizer=name), mask=mask)
    found = check(trace, 0, 3)
    assert (found.allowed, found.masked, found.weight, found.numerator) == (False, -math.inf, 0, 0)
    np.testing.assert_array_equal(found.others, np.zeros(D_V))


def test_ancestry_of_large_scores_shows_what_was_taken_off():
    trace = attend([[50.0]], [[1], [2]], [[3], [4]])
    found = check(trace, 0, 1)
    assert (found.shift, found.numerator) == (100, 1)


def test_ancestry_of_sparsemax_shows_its_threshold():
    # scores 1, 0.5 and -3: the threshold t solves (1 - t) + (0.5 - t) = 1
    trace = attend(
        [[1.0]], [[1], [0.5], [-3]], [[1], [2], [3]], HeadChoices(normalizer="sparsemax")
    )
    found = check(trace, 0, 0)
    np.testing.assert_allclose(found.weight, 0.75)
    np.testing.assert_allclose(trace.weights, [[0.75, 0.25, 0]])
    assert found.threshold is not None
    np.testing.assert_allclose(found.masked - found.shift - found.threshold, 0.75)


@pytest.mark.parametrize("positions", POSITIONS)
def test_ancestry_of_every_position_code(positions):
    (inputs,) = draw(17, (5, 7))
    w = Projections.random(7, 3, d_k=2, d_v=11, seed=19)
    trace = attend_heads(
        inputs, w, HeadChoices(scale="sqrt_d_k"), positions=positions, mask=MASKS["causal"](5, 5)
    )
    for head in range(3):
        for query, key in ((0, 0), (4, 1), (2, 3)):
            check(trace.head(head), query, key)


def test_ancestry_knows_the_parameters_of_positions():
    (inputs,) = draw(23, (5, 7))
    w = Projections.random(7, 3, d_k=2, d_v=11, seed=19)
    choices = HeadChoices(normalizer="topk", parameters={"k": 1, "base": 10})
    check(attend_heads(inputs, w, choices, positions="rotary").head(2), 3, 1)


def test_ancestry_of_float32():
    trace = attend(*(each.astype(np.float32) for each in draw_qkv(29)))
    found = ancestry(trace, 1, 4)
    assert found.contribution.dtype == np.float32
    np.testing.assert_allclose(found.products.sum(), found.score, rtol=2e-5)


@pytest.mark.parametrize(
    ("query", "key", "message"),
    [
        (2, 0, "query must be 0 ... 1, got 2; tokens count from 0"),
        (-1, 0, "query must be 0 ... 1, got -1; tokens count from 0"),
        (0, 5, "key must be 0 ... 4, got 5; tokens count from 0"),
    ],
)
def test_ancestry_refuses_tokens_that_are_not_there(query, key, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        ancestry(attend(*draw_qkv(31)), query, key)


def test_ancestry_refuses_many_heads_at_once():
    trace = attend(*(np.stack([each] * 3) for each in draw_qkv(37)))
    with pytest.raises(
        ValueError, match=r"^ancestry needs a trace of one head, got scores \(3, 2, 5\)"
    ):
        ancestry(trace, 0, 0)


def test_ancestry_cannot_be_changed():
    found = ancestry(attend(*draw_qkv(41)), 0, 0)
    for array in (found.left, found.products, found.numerators, found.contribution, found.others):
        assert not array.flags.writeable
