import inspect
import math

import numpy as np
import pytest
import torch
from entmax import entmax15 as reference_entmax15
from entmax import entmax_bisect as reference_entmax
from entmax import sparsemax as reference_sparsemax
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attnviz.attention.normalizers import (
    DISTRIBUTIONS,
    NORMALIZER_PARAMETERS,
    NORMALIZERS,
    entmax,
    entmax15,
    hardmax,
    normalizer_parts,
    relu,
    relu_length,
    relu_sum,
    sigmoid,
    softmax,
    softmax1,
    sparsemax,
    topk,
)

N_QUERY, N_KEY = 3, 5
EVERY = pytest.mark.parametrize("name", NORMALIZERS)
SHIFT_INVARIANT = sorted(DISTRIBUTIONS - {"relu_sum"})
COUNTS_KEYS = {"relu_length", "sigmoid"}
NO_LIMIT = ["relu", "relu_sum", "relu_length", "sigmoid", "softmax1"]
HAS_LIMIT = sorted(set(NORMALIZERS) - set(NO_LIMIT))

# Eighths: sums and differences are exact, so that ties and shifts are exact too.
eighths = st.integers(-240, 240).map(lambda whole: whole / 8)
tables = arrays(np.float64, (N_QUERY, N_KEY), elements=eighths)
masks = arrays(np.bool_, (N_QUERY, N_KEY))
alphas = st.floats(1.01, 4)
laws = settings(max_examples=30, deadline=None)

# "I saw a saw": the scores of four words, rows ask, columns answer.
SCORES = np.array([[-3, -1, -1, -1], [-2, 0, 1, 0], [4, 2, 3, 2], [-2, 0, 1, 0]])


def exponential_shares(row: list[float]) -> list[float]:
    """Softmax by the book, in Python's own arithmetic."""
    powers = [math.exp(score) for score in row]
    return [power / math.fsum(powers) for power in powers]


# --- Laws of all


@EVERY
@laws
@given(scores=tables, mask=masks)
def test_weights_are_never_negative_and_zero_where_hidden(name, scores, mask):
    weights = NORMALIZERS[name](scores, mask)
    assert weights.shape == scores.shape
    assert np.all(weights >= 0)
    np.testing.assert_array_equal(weights[~mask], 0)


@pytest.mark.parametrize("name", sorted(DISTRIBUTIONS))
@laws
@given(scores=tables, mask=masks)
def test_distribution_rows_sum_to_one_or_see_nothing(name, scores, mask):
    sees = mask & (scores > 0) if name == "relu_sum" else mask
    sums = NORMALIZERS[name](scores, mask).sum(axis=-1)
    np.testing.assert_allclose(sums, sees.any(axis=-1), atol=1e-12)


@pytest.mark.parametrize("name", sorted(set(NORMALIZERS) - DISTRIBUTIONS))
def test_rows_of_the_others_do_not_sum_to_one(name):
    weights = NORMALIZERS[name](SCORES)[2]
    assert abs(weights.sum() - 1) > 1e-3


@EVERY
@laws
@given(scores=tables, mask=masks)
def test_a_score_of_minus_infinity_is_a_hidden_key(name, scores, mask):
    hidden = np.where(mask, scores, -np.inf)
    np.testing.assert_array_equal(NORMALIZERS[name](hidden), NORMALIZERS[name](scores, mask))


@EVERY
@laws
@given(scores=tables, column=st.integers(0, N_KEY - 1))
def test_a_hidden_key_is_a_deleted_key(name, scores, column):
    normalize = NORMALIZERS[name]
    parameters = {"bias": -1.5} if name == "sigmoid" else {}
    mask = np.arange(N_KEY) != column
    hidden = np.delete(normalize(scores, mask, **parameters), column, axis=-1)
    deleted = normalize(np.delete(scores, column, axis=-1), **parameters)
    if name == "relu_length":  # which counts all keys
        deleted = deleted * (N_KEY - 1) / N_KEY
    np.testing.assert_allclose(hidden, deleted, rtol=1e-12, atol=1e-15)


@EVERY
@laws
@given(scores=tables, mask=masks)
def test_every_row_is_normalized_alone(name, scores, mask):
    together = NORMALIZERS[name](np.stack([scores, -scores]), mask)
    alone = NORMALIZERS[name](scores[1:2], mask[1:2])
    np.testing.assert_array_equal(together[0, 1:2], alone)


@EVERY
@laws
@given(scores=tables)
def test_a_better_key_never_gets_less(name, scores):
    weights = NORMALIZERS[name](scores)
    better = scores[:, :, None] > scores[:, None, :]
    assert np.all((weights[:, :, None] >= weights[:, None, :])[better])


@pytest.mark.parametrize("name", sorted(set(NORMALIZERS) - {"topk"}))
@laws
@given(scores=tables)
def test_equal_scores_share_equally(name, scores):
    scores[:, 4] = scores[:, 1]
    weights = NORMALIZERS[name](scores)
    np.testing.assert_array_equal(weights[:, 4], weights[:, 1])


@pytest.mark.parametrize("name", sorted(set(NORMALIZERS) - {"topk"}))
@laws
@given(scores=tables, order=st.permutations(range(N_KEY)))
def test_weights_move_with_their_keys(name, scores, order):
    moved = NORMALIZERS[name](scores[:, order])
    np.testing.assert_allclose(moved, NORMALIZERS[name](scores)[:, order], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", SHIFT_INVARIANT)
@laws
@given(scores=tables, mask=masks, shift=eighths)
def test_a_constant_added_to_a_row_changes_nothing(name, scores, mask, shift):
    normalize = NORMALIZERS[name]
    np.testing.assert_allclose(
        normalize(scores + shift, mask), normalize(scores, mask), rtol=1e-11, atol=1e-15
    )


@EVERY
@laws
@given(scores=tables, mask=masks, temperature=st.sampled_from([0.25, 0.5, 2, 8.0]))
def test_temperature_divides_the_scores(name, scores, mask, temperature):
    normalize = NORMALIZERS[name]
    np.testing.assert_allclose(
        normalize(scores, mask, temperature=temperature),
        normalize(scores / temperature, mask),
        rtol=1e-12,
        atol=1e-15,
    )


# --- The limits of temperature


@laws
@given(scores=tables, mask=masks, cold=st.floats(0, 50), warmer=st.floats(0, 50))
def test_entropy_never_falls_as_softmax_gets_warmer(scores, mask, cold, warmer):
    weights = softmax(scores, mask, temperature=cold)
    warm_weights = softmax(scores, mask, temperature=cold + warmer)
    assert np.all(entropy(warm_weights) >= entropy(weights) - 1e-12)


def entropy(weights):
    logs = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
    return -(weights * logs).sum(axis=-1)


@pytest.mark.parametrize("name", HAS_LIMIT)
@laws
@given(scores=tables, mask=masks)
def test_temperature_zero_is_the_limit_of_low_temperatures(name, scores, mask):
    limit = NORMALIZERS[name](scores, mask, temperature=0)
    for cold in (1e-3, 1e-30, 5e-324):
        near = NORMALIZERS[name](scores, mask, temperature=cold)
        np.testing.assert_allclose(near, limit, atol=1e-15)


@pytest.mark.parametrize("name", sorted(set(HAS_LIMIT) - {"topk"}))
def test_temperature_zero_is_shared_by_all_maximisers(name):
    weights = NORMALIZERS[name]([[2, 7, 7, 1, 7]], temperature=0)
    np.testing.assert_allclose(weights, [[0, 1 / 3, 1 / 3, 0, 1 / 3]], rtol=1e-15)


def test_temperature_zero_of_topk_is_shared_by_the_keys_it_keeps():
    np.testing.assert_array_equal(topk([[2, 7, 7, 1, 7]], temperature=0), [[0, 0.5, 0.5, 0, 0]])


@pytest.mark.parametrize("name", ["softmax", "sparsemax", "entmax15", "entmax"])
def test_endless_temperature_shares_equally_among_the_allowed(name):
    mask = np.array([[True, False, True, True, True]])
    weights = NORMALIZERS[name]([[-9, 5, 300, 2, 0]], mask, temperature=math.inf)
    np.testing.assert_allclose(weights, mask / 4, rtol=1e-12)


@EVERY
@pytest.mark.parametrize("temperature", [-1, -1e-9, math.nan])
def test_a_temperature_below_zero_is_refused(name, temperature):
    with pytest.raises(ValueError, match=r"temperature must be 0 .* or more"):
        NORMALIZERS[name](SCORES, temperature=temperature)


@pytest.mark.parametrize("name", NO_LIMIT)
def test_temperature_zero_is_refused_where_there_is_no_limit(name):
    with pytest.raises(ValueError, match="temperature must be above 0"):
        NORMALIZERS[name](SCORES, temperature=0)


@pytest.mark.parametrize("name", ["relu", "sigmoid"])
def test_a_temperature_that_overflows_the_scores_is_refused(name):
    with pytest.raises(ValueError, match="raise the temperature"):
        NORMALIZERS[name](SCORES, temperature=1e-320)


# --- Sparse normalizers


@laws
@given(scores=tables)
def test_sparsemax_is_the_nearest_point_of_the_simplex(scores):
    # w is nearest exactly if, seen from w, no corner of the simplex lies towards the scores.
    weights = sparsemax(scores)
    towards_scores = scores - weights
    towards_corners = np.eye(N_KEY) - weights[:, None, :]
    assert np.all(np.vecdot(towards_corners, towards_scores[:, None, :]) <= 1e-12)


@laws
@given(scores=tables)
def test_sparsemax_leaves_a_distribution_as_it_is(scores):
    weights = softmax(scores, temperature=10)
    np.testing.assert_allclose(sparsemax(weights), weights, atol=1e-15)


@laws
@given(scores=tables, mask=masks, alpha=alphas)
def test_entmax_solves_its_equation(scores, mask, alpha):
    # Where p > 0, p^(alpha - 1) = (alpha - 1) z - tau; where p = 0, the right side is not positive.
    parts = normalizer_parts("entmax", scores, mask, alpha=alpha)
    assert parts.threshold is not None
    weights = parts.weights
    above = (alpha - 1) * scores - parts.threshold[:, None]
    np.testing.assert_allclose(
        weights[mask], np.maximum(above[mask], 0) ** (1 / (alpha - 1)), atol=1e-10
    )
    np.testing.assert_allclose(weights.sum(axis=-1), mask.any(axis=-1), atol=1e-12)


@pytest.mark.parametrize(("exact", "alpha"), [(entmax15, 1.5), (sparsemax, 2.0)])
@laws
@given(scores=tables, mask=masks)
def test_the_exact_thresholds_are_what_bisection_finds(exact, alpha, scores, mask):
    for near in (alpha - 1e-12, alpha, alpha + 1e-12):
        np.testing.assert_allclose(entmax(scores, mask, alpha=near), exact(scores, mask), atol=1e-9)


@laws
@given(scores=tables, mask=masks)
def test_entmax_near_alpha_one_is_softmax(scores, mask):
    plain = softmax(scores, mask)
    np.testing.assert_array_equal(entmax(scores, mask, alpha=1), plain)
    np.testing.assert_array_equal(entmax(scores, mask, alpha=1 + 9e-5), plain)
    np.testing.assert_allclose(entmax(scores, mask, alpha=1 + 1.1e-4), plain, atol=1e-3)


@pytest.mark.parametrize("alpha", [1.25, 1.5, 2, 3])
def test_entmax_is_one_hot_from_a_gap_of_one_over_alpha_minus_one(alpha):
    gap = 1 / (alpha - 1)
    for scores in ([[0, gap, 0]], [[-gap, 0, -7 * gap]]):
        np.testing.assert_array_equal(entmax(scores, alpha=alpha), [[0, 1, 0]])
    assert np.count_nonzero(entmax([[0, gap * (1 - 1e-9), 0]], alpha=alpha)) == 3


@pytest.mark.parametrize(("normalize", "gap"), [(sparsemax, 1), (entmax15, 2)])
@pytest.mark.parametrize("runners_up", range(1, 43))
def test_any_number_of_keys_a_gap_below_the_best_get_exactly_zero(normalize, gap, runners_up):
    weights = normalize([[0.3, *[0.3 - gap - 1e-9] * runners_up]])
    np.testing.assert_array_equal(weights, np.eye(1, runners_up + 1))


@pytest.mark.parametrize("alpha", [1.001, 1.2, 1.5, 2])
def test_entmax_of_single_precision_is_computed_in_double(alpha):
    scores = scores_at_random(np.float32)
    weights = entmax(scores, alpha=alpha)
    np.testing.assert_array_equal(
        weights, entmax(scores.astype(np.float64), alpha=alpha).astype(np.float32)
    )


def test_sparsemax_gives_a_runner_up_exactly_one_below_exactly_zero():
    np.testing.assert_array_equal(sparsemax([[3, 4, 3, 3, 3]]), [[0, 1, 0, 0, 0]])


def test_sparsemax_of_half_a_step_is_three_quarters_and_one_quarter():
    np.testing.assert_allclose(sparsemax([[0.5, 0, -9]]), [[0.75, 0.25, 0]], rtol=1e-15)


def test_entmax15_of_one_step_is_worked_by_hand():
    # tau^2 + (1/2 - tau)^2 = 1, so tau = (1 - sqrt(7))/4.
    lower, higher = ((math.sqrt(7) - 1) / 4) ** 2, ((math.sqrt(7) + 1) / 4) ** 2
    np.testing.assert_allclose(entmax15([[0, 1]]), [[lower, higher]], rtol=1e-14)


@pytest.mark.parametrize("alpha", [0.999999999, 0, -1, math.nan, math.inf])
def test_entmax_refuses_an_alpha_below_one(alpha):
    with pytest.raises(ValueError, match="alpha must be finite and at least 1"):
        entmax(SCORES, alpha=alpha)


@laws
@given(scores=tables, mask=masks, k=st.integers(1, N_KEY + 2))
def test_topk_is_softmax_over_exactly_k_keys_and_never_skips_a_better_one(scores, mask, k):
    weights = topk(scores, mask, k=k)
    kept = weights > 0
    np.testing.assert_array_equal(kept.sum(axis=-1), np.minimum(k, mask.sum(axis=-1)))
    np.testing.assert_array_equal(weights, softmax(scores, mask & kept))


def test_topk_keeps_the_first_of_equal_scores():
    np.testing.assert_array_equal(topk([[1, 1, 1, 1]], k=2), [[0.5, 0.5, 0, 0]])
    np.testing.assert_array_equal(topk([[0, 3, 3, 3, 9]], k=2) > 0, [[0, 1, 0, 0, 1]])
    kept = topk([np.arange(997) % 3], k=5)[0] > 0
    assert np.flatnonzero(kept).tolist() == [2, 5, 8, 11, 14]


def test_topk_of_one_is_one_hot_and_of_all_is_softmax():
    np.testing.assert_array_equal(topk(SCORES[1:], k=1), np.eye(4)[[2, 0, 2]])
    for k in (4, 5, 10**9):
        np.testing.assert_array_equal(topk(SCORES, k=k), softmax(SCORES))


@pytest.mark.parametrize("k", [0, -1])
def test_topk_refuses_to_keep_nothing(k):
    with pytest.raises(ValueError, match="k must be at least 1"):
        topk(SCORES, k=k)


# --- Normalizers whose rows need not sum to one


@laws
@given(scores=tables, mask=masks, factor=st.sampled_from([0.25, 3.0, 1e300]))
def test_relu_sum_ignores_a_positive_factor(scores, mask, factor):
    np.testing.assert_allclose(
        relu_sum(scores * factor, mask), relu_sum(scores, mask), rtol=1e-14, atol=1e-16
    )


def test_relu_sum_shares_scores_whose_sum_would_overflow():
    np.testing.assert_allclose(relu_sum([[1e308, 1e308, -1, 5e307]]), [[0.4, 0.4, 0, 0.2]])
    np.testing.assert_allclose(relu_sum(np.float32([[3e38, 1e38, 0]])), [[0.75, 0.25, 0]])


@pytest.mark.parametrize("normalize", [relu, relu_sum, relu_length])
def test_relu_gives_a_row_without_positive_scores_zeros(normalize):
    np.testing.assert_array_equal(normalize([[-3, -1, 0], [-1, -1, -1]]), np.zeros((2, 3)))


def test_relu_length_counts_hidden_keys_too():
    mask = np.array([[True, True, False, False, False]])
    np.testing.assert_allclose(relu_length([[5, -1, 9, 9, 9]], mask), [[1, 0, 0, 0, 0]])


@laws
@given(scores=tables)
def test_sigmoid_of_a_score_and_its_opposite_sum_to_one(scores):
    together = sigmoid(scores, bias=0) + sigmoid(-scores, bias=0)
    np.testing.assert_allclose(together, 1, rtol=1e-15)


def test_sigmoid_shares_a_row_of_zeros_almost_as_softmax_does():
    np.testing.assert_allclose(sigmoid(np.zeros((2, 7))), np.full((2, 7), 1 / 8), rtol=1e-15)


@pytest.mark.parametrize("bias", [math.nan, math.inf, -math.inf])
def test_sigmoid_refuses_a_bias_that_is_no_number(bias):
    with pytest.raises(ValueError, match="bias must be finite"):
        sigmoid(SCORES, bias=bias)


@laws
@given(scores=tables, mask=masks)
def test_softmax1_is_softmax_with_one_more_key_of_score_zero(scores, mask):
    more_scores = np.pad(scores, ((0, 0), (0, 1)))
    more_mask = np.pad(mask, ((0, 0), (0, 1)), constant_values=True)
    np.testing.assert_allclose(
        softmax1(scores, mask), softmax(more_scores, more_mask)[:, :-1], rtol=1e-12, atol=1e-16
    )


def test_softmax1_leaves_almost_nothing_to_very_negative_scores():
    np.testing.assert_allclose(softmax1([[-800, -700, -900]]).sum(), 0, atol=1e-300)
    np.testing.assert_allclose(softmax1(np.zeros((2, 7))), np.full((2, 7), 1 / 8), rtol=1e-15)


# --- Numbers worked by hand


def test_softmax_of_i_saw_a_saw():
    expected = [exponential_shares(row) for row in SCORES.tolist()]
    np.testing.assert_allclose(softmax(SCORES), expected, rtol=1e-14)
    assert np.round(softmax(SCORES)[1], 4).tolist() == [0.0279, 0.2060, 0.5601, 0.2060]


@pytest.mark.parametrize(
    ("temperature", "printed"),
    [
        (math.sqrt(2), [0.0569, 0.2341, 0.4748, 0.2341]),
        (0.25, [0.0000, 0.0177, 0.9647, 0.0177]),
        (4, [0.1559, 0.2570, 0.3300, 0.2570]),
    ],
)
def test_softmax_of_i_saw_a_saw_at_other_temperatures(temperature, printed):
    weights = softmax(SCORES, temperature=temperature)[1]
    expected = exponential_shares([score / temperature for score in (-2, 0, 1, 0)])
    np.testing.assert_allclose(weights, expected, rtol=1e-13)
    np.testing.assert_allclose(weights, printed, atol=5e-5)


def test_softmax_of_i_saw_a_saw_without_the_future():
    weights = softmax(SCORES, np.tri(4, dtype=bool))
    expected = [exponential_shares(row[: i + 1]) + [0] * (3 - i) for i, row in enumerate(SCORES)]
    np.testing.assert_allclose(weights, expected, rtol=1e-14)
    np.testing.assert_allclose(weights[2], [0.6652, 0.0900, 0.2447, 0], atol=5e-5)


def test_a_mask_of_zeros_in_the_scores_would_let_the_future_win():
    filled = softmax(np.where(np.tri(4, dtype=bool), SCORES, 0))[0]
    np.testing.assert_allclose(filled, [0.0163, 0.3279, 0.3279, 0.3279], atol=5e-5)


def test_relu_of_i_saw_a_saw_silences_the_first_row():
    np.testing.assert_array_equal(relu(SCORES), np.maximum(SCORES, 0))
    np.testing.assert_array_equal(relu_length(SCORES)[2], [1, 0.5, 0.75, 0.5])
    np.testing.assert_allclose(relu_sum(SCORES)[2], [4 / 11, 2 / 11, 3 / 11, 2 / 11], rtol=1e-15)


def test_softmax_of_two_scores_is_the_sigmoid_of_their_gap():
    weights = softmax([[5, 2], [6, 4]])
    one, two = 1 / (1 + math.exp(-3)), 1 / (1 + math.exp(-2))
    np.testing.assert_allclose(weights, [[one, 1 - one], [two, 1 - two]], rtol=1e-14)


# --- Other libraries. float64 to 1e-9 and float32 to 2e-5, as far as scores stay within 50.


def scores_at_random(dtype=np.float64):
    return (np.random.default_rng(7).normal(size=(2, 3, 11)) * 4).astype(dtype)


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-9), (np.float32, 2e-5)])
@pytest.mark.parametrize(
    ("normalize", "reference"),
    [
        (softmax, lambda scores: torch.softmax(scores, dim=-1)),
        (relu, torch.relu),
        (sigmoid, lambda scores: torch.sigmoid(scores - math.log(11))),
        (sparsemax, lambda scores: reference_sparsemax(scores, dim=-1)),
        (entmax15, lambda scores: reference_entmax15(scores, dim=-1)),
    ],
)
def test_weights_agree_with_torch_and_the_entmax_package(normalize, reference, dtype, tolerance):
    scores = scores_at_random(dtype)
    weights = normalize(scores)
    assert weights.dtype == dtype
    expected = reference(torch.from_numpy(scores)).numpy()
    np.testing.assert_allclose(weights, expected, rtol=tolerance, atol=tolerance / 10)


@pytest.mark.parametrize("alpha", [1.05, 1.3, 1.5, 1.8, 2, 2.7, 4])
def test_entmax_agrees_with_bisection_in_the_entmax_package(alpha):
    scores = scores_at_random()
    expected = reference_entmax(torch.from_numpy(scores), alpha=alpha, dim=-1, n_iter=100).numpy()
    np.testing.assert_allclose(entmax(scores, alpha=alpha), expected, atol=1e-9)


def test_a_masked_softmax_agrees_with_torch_attention():
    scores = scores_at_random()
    mask = np.random.default_rng(5).random((3, 11)) < 0.5
    mask[1] = False  # a query that may see nothing
    attended = torch.nn.functional.scaled_dot_product_attention(
        torch.from_numpy(scores),
        torch.eye(11, dtype=torch.float64).expand(2, 11, 11),
        torch.eye(11, dtype=torch.float64).expand(2, 11, 11),
        attn_mask=torch.from_numpy(mask),
        scale=1.0,
    )
    np.testing.assert_allclose(softmax(scores, mask), attended.numpy(), atol=1e-9)


# --- Edges


@EVERY
def test_a_row_that_may_see_nothing_gets_zeros(name):
    nothing = np.full((2, 5), -np.inf)
    np.testing.assert_array_equal(NORMALIZERS[name](nothing), np.zeros((2, 5)))
    np.testing.assert_array_equal(NORMALIZERS[name](SCORES, np.False_ & (SCORES > 0)), 0 * SCORES)


@pytest.mark.parametrize("name", SHIFT_INVARIANT)
@pytest.mark.parametrize("score", [-1e4, 0, 3, 1e4, 1e300])
def test_a_single_key_gets_everything(name, score):
    np.testing.assert_array_equal(NORMALIZERS[name]([[score]]), [[1]])


@pytest.mark.parametrize("name", SHIFT_INVARIANT)
@pytest.mark.parametrize("size", [1e4, 1e300, 1.7e308])
def test_huge_scores_stay_exact(name, size):
    weights = NORMALIZERS[name]([[-size, size, 0, size, -size]])
    np.testing.assert_array_equal(weights, [[0, 0.5, 0, 0.5, 0]])


@pytest.mark.parametrize("name", SHIFT_INVARIANT)
def test_scores_of_ten_thousand_keep_their_gaps(name):
    gaps = np.array([[0, 0.5, -0.25, 0.125, -1.5]])
    for far in (1e4, -1e4):
        np.testing.assert_allclose(
            NORMALIZERS[name](far + gaps), NORMALIZERS[name](gaps), rtol=1e-11, atol=1e-15
        )


@EVERY
@pytest.mark.parametrize("size", [1e4, 1e300])
def test_huge_scores_never_overflow(name, size):
    weights = NORMALIZERS[name]([[-size, size, 0, size, -size]])
    assert np.all(np.isfinite(weights))


@EVERY
@pytest.mark.parametrize(
    ("given", "computed"),
    [
        (np.float16, np.float32),
        (np.float32, np.float32),
        (np.float64, np.float64),
        (np.int64, np.float64),
        (np.bool_, np.float64),
    ],
)
def test_half_precision_is_widened_and_single_stays(name, given, computed):
    parts = normalizer_parts(name, SCORES.astype(given))
    for array in (parts.numerators, parts.totals, parts.shift, parts.threshold, parts.weights):
        assert array is None or array.dtype == computed


def test_half_precision_scores_do_not_overflow():
    weights = softmax(np.float16([[60000, 60000, 0]]))
    np.testing.assert_array_equal(weights, np.float32([[0.5, 0.5, 0]]))


@EVERY
def test_scores_are_left_as_they_were_and_weights_are_new(name):
    scores = SCORES.astype(np.float64)
    scores.setflags(write=False)
    weights = NORMALIZERS[name](scores)
    assert not np.shares_memory(weights, scores)
    np.testing.assert_array_equal(scores, SCORES)


@EVERY
def test_lists_will_do(name):
    np.testing.assert_array_equal(
        NORMALIZERS[name](SCORES.tolist(), np.tri(4, dtype=bool).tolist()),
        NORMALIZERS[name](SCORES, np.tri(4, dtype=bool)),
    )


@EVERY
@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_score_that_is_no_number_is_refused_with_its_place(name, bad):
    scores = np.zeros((2, 3, 5))
    scores[1, 0, 4] = bad
    with pytest.raises(ValueError, match=rf"got {bad} at \(1, 0, 4\)"):
        NORMALIZERS[name](scores)


@EVERY
@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_hidden_score_may_be_no_number(name, bad):
    mask = np.array([[True, False, True]])
    np.testing.assert_array_equal(
        NORMALIZERS[name]([[1, bad, 2]], mask), NORMALIZERS[name]([[1, 0, 2]], mask)
    )


def test_a_mask_serves_all_heads():
    scores, mask = np.random.default_rng(3).normal(size=(2, 3, 5)), np.tri(3, 5, 2, dtype=bool)
    np.testing.assert_array_equal(softmax(scores, mask), softmax(scores, np.stack([mask, mask])))


@pytest.mark.parametrize("shape", [(5, 3), (2, 3, 5), (3,), (4, 5)])
def test_a_mask_of_another_shape_is_refused(shape):
    with pytest.raises(ValueError, match=r"mask must be .*\(3, 5\), got .*build it with MASKS"):
        softmax(np.zeros((3, 5)), np.ones(shape, dtype=bool))


def test_a_mask_of_numbers_is_refused():
    with pytest.raises(ValueError, match="mask must be Boolean"):
        softmax([[1, 2]], [[0, 1]])


@pytest.mark.parametrize("scores", [[], [[]], [1, 2, 3], np.zeros((2, 3, 0))])
def test_scores_that_are_no_table_are_refused(scores):
    with pytest.raises((ValueError, TypeError), match="scores"):
        softmax(scores)


def test_no_queries_have_no_weights():
    assert softmax(np.zeros((0, 5))).shape == (0, 5)


# --- Tables


def test_parameters_and_their_defaults_are_those_of_the_functions():
    assert NORMALIZER_PARAMETERS.keys() == NORMALIZERS.keys()
    for name, normalize in NORMALIZERS.items():
        own = {
            parameter.name: parameter.default
            for parameter in inspect.signature(normalize).parameters.values()
            if parameter.kind is parameter.KEYWORD_ONLY
        }
        assert own.pop("temperature") == 1
        assert NORMALIZER_PARAMETERS[name] | own == NORMALIZER_PARAMETERS[name]
        assert NORMALIZER_PARAMETERS[name].keys() - own.keys() <= {"temperature"}


def test_distributions_are_normalizers():
    assert NORMALIZERS.keys() > DISTRIBUTIONS


def test_hardmax_is_the_mark_of_the_best():
    np.testing.assert_array_equal(hardmax(SCORES)[0], [0, 1 / 3, 1 / 3, 1 / 3])
