import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention import MASKS, NORMALIZERS, HeadChoices, attend
from attnviz.attention.attend import shaw
from attnviz.attention.normalizers import DISTRIBUTIONS

LAW = settings(max_examples=25, deadline=None, database=None, derandomize=True)
seeds = st.integers(0, 2**32 - 1)
N_QUERY, N_KEY, D_K, D_V = 2, 5, 3, 7

# What knows how many keys there are answers differently when one is deleted instead of hidden.
COUNTS_KEYS = {"relu_length", "sigmoid"}
# What gives the same weights when a constant is added to every score of a row.
SHIFT_INVARIANT = sorted(DISTRIBUTIONS - {"relu_sum"})


def draw(seed, *shapes):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in shapes]


def draw_qkv(seed, *leading):
    return draw(seed, (*leading, N_QUERY, D_K), (*leading, N_KEY, D_K), (*leading, N_KEY, D_V))


def test_attend_weighs_one_to_e():
    # scores 0 and 1 after scaling, so the weights are 1 : e
    trace = attend([[0, 2**0.5]], [[1, 0], [0, 1]], [[1, 0], [0, 1]], HeadChoices(scale="sqrt_d_k"))
    np.testing.assert_allclose(trace.weights, [[1 / (1 + np.e), np.e / (1 + np.e)]], rtol=1e-14)


@LAW
@given(seed=seeds, scale=st.sampled_from(["none", "sqrt_d_k", 2, -0.5, 0]))
def test_scale_multiplies_the_scores(seed, scale):
    multiplier = {"none": 1, "sqrt_d_k": 1 / np.sqrt(D_K)}.get(scale, scale)
    query, key, value = draw_qkv(seed)
    trace = attend(query, key, value, HeadChoices(scale=scale))
    assert trace.scale == multiplier
    np.testing.assert_allclose(trace.scores, query @ key.T, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(trace.scaled_scores, multiplier * (query @ key.T), atol=1e-14)


def test_scale_by_one_feature_changes_nothing():
    query, key, value = draw(1, (2, 1), (5, 1), (5, 7))
    trace = attend(query, key, value, HeadChoices(scale="sqrt_d_k"))
    assert trace.scale == 1
    np.testing.assert_array_equal(trace.scaled_scores, trace.scores)


@LAW
@given(seed=seeds, name=st.sampled_from(sorted(DISTRIBUTIONS)))
def test_output_lies_among_the_values_when_weights_sum_to_one(seed, name):
    trace = attend(*draw_qkv(seed), HeadChoices(normalizer=name))
    seen = trace.weights.any(axis=-1)  # relu_sum may see nothing
    assert (trace.weights >= 0).all()
    np.testing.assert_allclose(trace.weights.sum(axis=-1), seen.astype(float), atol=1e-12)
    assert (trace.output[seen] <= trace.value.max(axis=0) + 1e-12).all()
    assert (trace.output[seen] >= trace.value.min(axis=0) - 1e-12).all()


@LAW
@given(seed=seeds)
def test_output_is_weights_times_value(seed):
    trace = attend(*draw_qkv(seed))
    np.testing.assert_allclose(trace.output, trace.weights @ trace.value, rtol=1e-12)


@LAW
@given(seed=seeds)
def test_a_constant_added_to_all_values_is_added_to_all_outputs(seed):
    query, key, value = draw_qkv(seed)
    (constant,) = draw(seed + 1, D_V)
    moved = attend(query, key, value + constant).output
    np.testing.assert_allclose(moved, attend(query, key, value).output + constant, atol=1e-12)


@LAW
@given(seed=seeds, name=st.sampled_from(SHIFT_INVARIANT))
def test_a_constant_added_to_all_keys_changes_no_weight(seed, name):
    query, key, value = draw_qkv(seed)
    (constant,) = draw(seed + 1, D_K)
    choices = HeadChoices(normalizer=name)
    moved = attend(query, key + constant, value, choices)
    plain = attend(query, key, value, choices)
    np.testing.assert_allclose(
        moved.scores - plain.scores, np.tile(query @ constant, (N_KEY, 1)).T, atol=1e-12
    )
    np.testing.assert_allclose(moved.weights, plain.weights, atol=1e-6)


def test_a_constant_added_to_all_keys_changes_relu_weights():
    query, key, value = draw_qkv(3)
    choices = HeadChoices(normalizer="relu")
    moved = attend(query, key + 1, value, choices).weights
    assert np.abs(moved - attend(query, key, value, choices).weights).max() > 0.1


@LAW
@given(seed=seeds, name=st.sampled_from(sorted(set(NORMALIZERS) - COUNTS_KEYS)))
def test_hiding_a_key_is_deleting_it(seed, name):
    query, key, value = draw_qkv(seed)
    hidden = seed % N_KEY
    mask = np.ones((N_QUERY, N_KEY), bool)
    mask[:, hidden] = False
    choices = HeadChoices(normalizer=name)
    masked = attend(query, key, value, choices, mask=mask)
    deleted = attend(query, *(np.delete(each, hidden, axis=0) for each in (key, value)), choices)
    assert (masked.weights[:, hidden] == 0).all()
    np.testing.assert_allclose(
        np.delete(masked.weights, hidden, axis=1), deleted.weights, atol=1e-12
    )
    np.testing.assert_allclose(masked.output, deleted.output, atol=1e-12)


@LAW
@given(seed=seeds, name=st.sampled_from(sorted(NORMALIZERS)))
def test_mask_and_minus_infinity_agree(seed, name):
    query, key, value = draw_qkv(seed)
    mask = np.random.default_rng(seed).random((N_QUERY, N_KEY)) < 0.6
    choices = HeadChoices(normalizer=name)
    masked = attend(query, key, value, choices, mask=mask)
    biased = attend(query, key, value, choices, bias=np.where(mask, 0, -np.inf))
    np.testing.assert_array_equal(masked.masked_scores, biased.masked_scores)
    np.testing.assert_array_equal(masked.weights, biased.weights)
    np.testing.assert_array_equal(masked.empty_rows, biased.empty_rows)


@pytest.mark.parametrize("name", NORMALIZERS)
def test_a_query_that_sees_nothing_gets_zeros_and_a_flag(name):
    query, key, value = draw_qkv(2)
    mask = [[False] * N_KEY, [True, True, False, True, False]]
    trace = attend(query, key, value, HeadChoices(normalizer=name), mask=mask)
    np.testing.assert_array_equal(trace.empty_rows, [True, False])
    np.testing.assert_array_equal(trace.weights[0], np.zeros(N_KEY))
    np.testing.assert_array_equal(trace.output[0], np.zeros(D_V))
    np.testing.assert_array_equal(trace.masked_scores[0], np.full(N_KEY, -np.inf))
    assert np.isfinite(trace.output).all()


def test_bias_is_added_after_scaling():
    query, key, value = draw_qkv(5)
    (bias,) = draw(6, (N_QUERY, N_KEY))
    trace = attend(query, key, value, HeadChoices(scale=0.25), bias=bias)
    np.testing.assert_allclose(trace.masked_scores, 0.25 * (query @ key.T) + bias, rtol=1e-12)
    np.testing.assert_array_equal(trace.scaled_scores, 0.25 * trace.scores)


@LAW
@given(seed=seeds)
def test_causal_outputs_ignore_the_future(seed):
    query, key, value = draw(seed, (5, 3), (5, 3), (5, 7))
    mask = MASKS["causal"](5, 5)
    changed = [each.copy() for each in (query, key, value)]
    for each in changed:
        each[3:] = 100
    before, after = (attend(*each, mask=mask) for each in ((query, key, value), changed))
    np.testing.assert_array_equal(before.weights[:3], after.weights[:3])
    np.testing.assert_array_equal(before.output[:3], after.output[:3])


@pytest.mark.parametrize("align", ["lower_right", "upper_left"])
def test_causal_mask_between_lengths(align):
    query, key, value = draw_qkv(7)
    mask = MASKS["causal"](N_QUERY, N_KEY, align=align)
    trace = attend(query, key, value, mask=mask)
    last = N_KEY - N_QUERY if align == "lower_right" else 0
    assert (trace.weights[0, last + 1 :] == 0).all()
    assert (trace.weights[0, : last + 1] > 0).all()


@LAW
@given(seed=seeds)
def test_leading_axes_are_heads_of_their_own(seed):
    query, key, value = draw_qkv(seed, 3, 2)
    mask = np.random.default_rng(seed).random((3, 1, N_QUERY, N_KEY)) < 0.7
    together = attend(query, key, value, mask=mask)
    for index in np.ndindex(3, 2):
        alone = attend(query[index], key[index], value[index], mask=mask[index[0], 0])
        np.testing.assert_allclose(together.weights[index], alone.weights, atol=1e-14)
        np.testing.assert_allclose(together.output[index], alone.output, atol=1e-14)
        np.testing.assert_array_equal(together.empty_rows[index], alone.empty_rows)


def test_lists_and_tuples_are_arrays_too():
    query, key, value = draw_qkv(3)
    lists = attend(query.tolist(), tuple(map(tuple, key)), [tuple(row) for row in value])
    np.testing.assert_array_equal(lists.output, attend(query, key, value).output)


def test_one_token_reads_itself():
    trace = attend([[2.0]], [[-3.0]], [[5.0, 7.0]], HeadChoices(scale="sqrt_d_k"))
    np.testing.assert_array_equal(trace.weights, [[1]])
    np.testing.assert_array_equal(trace.output, [[5, 7]])


@LAW
@given(seed=seeds)
def test_scores_have_at_most_rank_d_k(seed):
    query, key, value = draw(seed, (11, D_K), (13, D_K), (13, D_V))
    assert np.linalg.matrix_rank(attend(query, key, value).scores) <= D_K


@pytest.mark.parametrize(
    ("given_as", "computed_in"),
    [
        ("float16", "float32"),
        ("float32", "float32"),
        ("float64", "float64"),
        ("int64", "float64"),
        ("bool", "float64"),
    ],
)
def test_dtype_of_a_trace(given_as, computed_in):
    query, key, value = (each.astype(given_as) for each in draw_qkv(11))
    mask, bias = np.ones((N_QUERY, N_KEY), bool), np.zeros((N_QUERY, N_KEY))
    trace = attend(query, key, value, HeadChoices(scale="sqrt_d_k"), mask=mask, bias=bias)
    for step in trace.steps():
        assert step.array.dtype == computed_in, step.name


def test_float16_scores_do_not_overflow():
    query = np.full((1, 64), 300, np.float16)  # 64 * 300 * 300 is far beyond what float16 holds
    trace = attend(query, query, np.ones((1, 2), np.float16))
    np.testing.assert_array_equal(trace.scores, [[64 * 300 * 300]])
    np.testing.assert_array_equal(trace.weights, [[1]])


def test_large_scores_are_exact_to_the_format():
    query, key, value = draw_qkv(13)
    trace = attend(1e4 * query, key, value)
    assert np.isfinite(trace.output).all()
    np.testing.assert_allclose(trace.weights.sum(axis=-1), 1, rtol=1e-12)


@pytest.mark.parametrize("score", ["additive", "bilinear"])
def test_parameters_reach_the_score_function(score):
    query, key, value = draw(17, (2, 3), (5, 11), (5, 7))
    w, w_query, w_key, v = draw(19, (3, 11), (3, 13), (11, 13), 13)
    parameters = {"bilinear": {"w": w}, "additive": {"w_query": w_query, "w_key": w_key, "v": v}}
    trace = attend(query, key, value, HeadChoices(score=score, parameters=parameters[score]))
    expected = {
        "bilinear": query @ w @ key.T,
        "additive": np.tanh((query @ w_query)[:, None] + key @ w_key) @ v,
    }
    np.testing.assert_allclose(trace.scores, expected[score], rtol=1e-12, atol=1e-13)


def test_parameters_reach_the_normalizer():
    one = HeadChoices(normalizer="topk", parameters={"k": 1})
    np.testing.assert_array_equal((attend(*draw_qkv(23), one).weights > 0).sum(axis=-1), [1, 1])


# What is refused


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("query", r"\[1, 2\] \(query 1, d_k 2\)"),
        ("key", r"\[1, 2\] \(key 1, d_k 2\)"),
        ("value", r"\[1, 2\] \(key 1, d_v 2\)"),
    ],
)
def test_what_is_not_finite_is_refused_with_its_place(name, place, bad):
    arrays = dict(zip(("query", "key", "value"), draw_qkv(29), strict=True))
    arrays[name][1, 2] = bad
    with pytest.raises(ValueError, match=rf"^{name} must hold finite .* at {place}; replace it"):
        attend(**arrays, mask=np.zeros((N_QUERY, N_KEY), bool))  # even where it is hidden


def test_scores_beyond_all_numbers_are_refused():
    with pytest.raises(
        ValueError, match=r"scaled_scores must hold finite .* at \[0, 1\] \(query 0, key 1"
    ):
        attend([[1e200]], [[0], [1e200]], [[1], [1]])
    with pytest.raises(ValueError, match=r"scaled_scores must .* got -inf"):
        attend([[-1e100]], [[1e100]], [[1]], HeadChoices(scale=1e200))


def test_outputs_beyond_all_numbers_are_refused():
    with pytest.raises(
        ValueError, match=r"output must hold finite .* at \[0, 0\] \(query 0, d_v 0"
    ):
        attend([[1e100]], [[1e100]], [[1e200]], HeadChoices(normalizer="relu"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"query": [1.0, 2.0, 3.0]},
            r"query must have the axes \(query, d_k\), got shape \(3,\); "
            r"give it at least 2 axes",
        ),
        (
            {"key": np.zeros((0, D_K))},
            r"key must have at least one entry along each of \(key, d_k\), "
            r"got shape \(0, 3\); give it one token",
        ),
        (
            {"query": [[1, 2, 3], [1, 2]]},
            r"query must be a table \(query, d_k\), got .*inhomogeneous"
            r".*; give it rows of equal length",
        ),
        ({"value": [["a"] * D_V] * N_KEY}, r"value must be a table \(key, d_v\), got <U1; give it"),
        (
            {"value": np.ones((N_KEY, D_V), complex)},
            "value must be a table .* got complex128; give",
        ),
        (
            {"value": np.ones((3, D_V))},
            r"key and value must have one row for each token, got \(5, 3\) "
            r"and \(3, 7\); make both of the same tokens",
        ),
        (
            {"query": np.ones((1, 2, D_K))},
            r"query and key must have the same axes before the last two, "
            r"got \(1, 2, 3\) and \(5, 3\); repeat one",
        ),
        (
            {"mask": np.ones((N_KEY, N_QUERY), bool)},
            r"mask must be \(query, key\) = \(2, 5\), got "
            r"\(5, 2\); build it with MASKS\[name\]",
        ),
        ({"mask": np.ones((3, N_QUERY, N_KEY), bool)}, r"mask must be .* got \(3, 2, 5\); build"),
        ({"mask": np.ones(N_KEY, bool)}, r"mask must be .* got \(5,\); build"),
        (
            {"mask": np.ones((N_QUERY, N_KEY))},
            r"mask must be boolean, True = may attend, got float64; "
            r"numbers to add to the scores are a bias",
        ),
        (
            {"bias": np.ones((N_KEY, N_QUERY))},
            r"bias must be \(query, key\) = \(2, 5\), got \(5, 2\); "
            r"give it one number for each query and key",
        ),
        ({"bias": np.full((N_QUERY, N_KEY), np.nan)}, r"bias must hold finite .* nan at \[0, 0\] "),
        ({"bias": np.full((N_QUERY, N_KEY), np.inf)}, r"bias must hold finite .* inf at \[0, 0\] "),
    ],
)
def test_what_does_not_fit_is_refused_with_what_must_hold_what_came_and_what_to_do(change, message):
    arrays = dict(zip(("query", "key", "value"), draw_qkv(31), strict=True))
    with pytest.raises(ValueError, match=f"^{message}"):
        attend(**(arrays | change))


# Shaw's relative vectors


@LAW
@given(seed=seeds, clip=st.sampled_from([0, 1, 2, 11]), scale=st.sampled_from(["none", "sqrt_d_k"]))
def test_shaw_adds_a_vector_for_each_distance(seed, clip, scale):
    query, key, value = draw_qkv(seed)
    table_key, table_value = draw(seed + 1, (2 * clip + 1, D_K), (2 * clip + 1, D_V))
    trace = shaw(
        query,
        key,
        value,
        HeadChoices(scale=scale),
        table_key=table_key,
        table_value=table_value,
        clip=clip,
    )
    scale = 1 if scale == "none" else 1 / np.sqrt(D_K)
    for i in range(N_QUERY):
        rows = [min(max(j - i, -clip), clip) + clip for j in range(N_KEY)]
        scores = (key + table_key[rows]) @ query[i] * scale
        np.testing.assert_allclose(trace.scaled_scores[i], scores, atol=1e-12)
        output = trace.weights[i] @ (value + table_value[rows])
        np.testing.assert_allclose(trace.output[i], output, atol=1e-12)


@LAW
@given(seed=seeds)
def test_shaw_with_equal_rows_changes_no_weight(seed):
    query, key, value = draw_qkv(seed)
    row_key, row_value = draw(seed + 1, D_K, D_V)
    trace = shaw(
        query,
        key,
        value,
        table_key=np.tile(row_key, (5, 1)),
        table_value=np.tile(row_value, (5, 1)),
        clip=2,
    )
    plain = attend(query, key, value)
    np.testing.assert_allclose(trace.weights, plain.weights, atol=1e-12)
    np.testing.assert_allclose(trace.output, plain.output + row_value, atol=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"clip": -1}, r"clip must be 0 or more, got -1; it is"),
        (
            {"clip": 2},
            r"table_key must be \(distance, d\) = \(5, 3\), got \(3, 3\); give it that shape",
        ),
        (
            {"table_value": np.ones((3, 2))},
            r"table_value must be \(distance, d\) = \(3, 7\), got \(3, 2",
        ),
    ],
)
def test_shaw_refuses_tables_that_do_not_fit(change, message):
    tables = {"table_key": np.ones((3, D_K)), "table_value": np.ones((3, D_V)), "clip": 1}
    with pytest.raises(ValueError, match=f"^{message}"):
        shaw(*draw_qkv(109), **(tables | change))
