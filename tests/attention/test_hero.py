"""The example "I saw a saw", whose every number can be checked by hand.

Four tokens, three features, two of them in a head; rows are tokens. The numbers are worked here
once more in plain Python, without arrays.
"""

import math

import numpy as np
import pytest

from attnviz.attention import MASKS, HeadChoices, Projections, attend, attend_heads

INPUTS = [[1, 0, 2], [0, 1, 1], [1, 1, 0], [0, 1, 1]]
W_Q = [[1, 0], [0, 1], [-1, 0]]
W_K = [[1, 1], [0, 1], [1, 0]]
W_V = [[1, 0], [-1, 1], [0, 1]]
QUERY = [[-1, 0], [-1, 1], [1, 1], [-1, 1]]
KEY = [[3, 1], [1, 1], [1, 2], [1, 1]]
VALUE = [[1, 2], [-1, 2], [0, 1], [-1, 2]]
SCORES = [[-3, -1, -1, -1], [-2, 0, 1, 0], [4, 2, 3, 2], [-2, 0, 1, 0]]

FOUR_DIGITS = 0.5001e-4
THREE_DIGITS = 0.5001e-3

ONE_HEAD = Projections.split(W_Q, W_K, W_V, None, n_heads=1)


def plain_weights(scores, divisor=1.0):
    powers = [[math.exp(score / divisor) for score in row] for row in scores]
    return [[power / math.fsum(row) for power in row] for row in powers]


def plain_output(weights, value):
    return [
        [math.fsum(w * v[feature] for w, v in zip(row, value, strict=True)) for feature in (0, 1)]
        for row in weights
    ]


def plain_entropy(row):
    return -math.fsum(weight * math.log(weight) for weight in row)


@pytest.fixture(scope="module")
def trace():
    return attend_heads(INPUTS, ONE_HEAD)


def test_queries_keys_values_and_scores_are_the_integers_worked_by_hand(trace):
    np.testing.assert_array_equal(trace.query, [QUERY])
    np.testing.assert_array_equal(trace.key, [KEY])
    np.testing.assert_array_equal(trace.value, [VALUE])
    np.testing.assert_array_equal(trace.scores, [SCORES])


def test_weights_and_outputs_equal_plain_python_to_the_last_digits(trace):
    weights = plain_weights(SCORES)
    np.testing.assert_allclose(trace.weights, [weights], rtol=1e-14)
    np.testing.assert_allclose(trace.output, plain_output(weights, VALUE), rtol=1e-14)


def test_weights_and_outputs_are_the_printed_ones(trace):
    saw = [0.0279, 0.2060, 0.5601, 0.2060]
    weights = [[0.0432, 0.3189, 0.3189, 0.3189], saw, [0.6103, 0.0826, 0.2245, 0.0826], saw]
    output = [[-0.5947, 1.6811], [-0.3842, 1.4399], [0.4451, 1.7755], [-0.3842, 1.4399]]
    np.testing.assert_allclose(trace.weights[0], weights, atol=FOUR_DIGITS)
    np.testing.assert_allclose(trace.output, output, atol=FOUR_DIGITS)


def test_weights_in_closed_form(trace):
    e = math.e
    np.testing.assert_allclose(trace.weights[0, 1] * (e**-2 + 2 + e), [e**-2, 1, e, 1], rtol=1e-14)
    np.testing.assert_allclose(trace.weights[0, 0] * (1 + 3 * e**2), [1, e**2, e**2, e**2])
    np.testing.assert_allclose(trace.weights[0, 2] * (e**2 + e + 2), [e**2, 1, e, 1])


def test_sums_of_exponentials_are_the_printed_ones(trace):
    sums = np.exp(trace.masked_scores[0]).sum(axis=-1)
    np.testing.assert_allclose(sums, [1.1534, 4.8536, 89.4618, 4.8536], atol=FOUR_DIGITS)


def test_the_two_saws_are_the_same_without_positions(trace):
    np.testing.assert_allclose(trace.weights[0, 1], trace.weights[0, 3], rtol=1e-15)
    np.testing.assert_allclose(trace.output[1], trace.output[3], rtol=1e-15)


def test_no_token_scores_itself_highest(trace):
    scores = trace.scores[0]
    assert not (np.diag(scores) == scores.max(axis=-1)).any()


def test_dividing_by_sqrt_d_k_gives_the_printed_row():
    trace = attend(QUERY, KEY, VALUE, HeadChoices(scale="sqrt_d_k"))
    weights = plain_weights(SCORES, math.sqrt(2))
    np.testing.assert_allclose(trace.weights, weights, rtol=1e-14)
    np.testing.assert_allclose(trace.weights[1], [0.0569, 0.2341, 0.4748, 0.2341], atol=FOUR_DIGITS)
    np.testing.assert_allclose(trace.output[1], [-0.4113, 1.5252], atol=FOUR_DIGITS)


@pytest.mark.parametrize(
    ("temperature", "row", "atol"),
    [
        (0.25, [0.0000, 0.0177, 0.9647, 0.0177], FOUR_DIGITS),
        (4, [0.156, 0.257, 0.330, 0.257], THREE_DIGITS),
    ],
)
def test_temperature_gives_the_printed_row(temperature, row, atol):
    trace = attend(QUERY, KEY, VALUE, HeadChoices(temperature=temperature))
    np.testing.assert_allclose(trace.weights, plain_weights(SCORES, temperature), rtol=1e-13)
    np.testing.assert_allclose(trace.weights[1], row, atol=atol)


def test_temperature_zero_reads_the_best_value_alone():
    trace = attend(QUERY, KEY, VALUE, HeadChoices(temperature=0))
    third = 1 / 3
    weights = [[0, third, third, third], [0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 1, 0]]
    np.testing.assert_allclose(trace.weights, weights, rtol=1e-15)
    np.testing.assert_array_equal(trace.output[1], VALUE[2])


def test_entropies_are_the_printed_ones(trace):
    entropies = [plain_entropy(row) for row in trace.weights[0].tolist()]
    np.testing.assert_allclose(entropies, [1.229, 1.075, 1.049, 1.075], atol=THREE_DIGITS)
    np.testing.assert_allclose(np.exp(entropies), [3.42, 2.93, 2.85, 2.93], atol=0.5001e-2)


def test_relu_reads_by_the_scores_themselves():
    raw = attend(QUERY, KEY, VALUE, HeadChoices(normalizer="relu"))
    np.testing.assert_array_equal(raw.output, [[0, 0], [0, 1], [0, 19], [0, 1]])
    by_length = attend(QUERY, KEY, VALUE, HeadChoices(normalizer="relu_length"))
    np.testing.assert_array_equal(by_length.output, [[0, 0], [0, 0.25], [0, 4.75], [0, 0.25]])


def test_causal_mask_gives_the_printed_rows(trace):
    causal = attend_heads(INPUTS, ONE_HEAD, mask=MASKS["causal"](4, 4))
    e = math.e
    np.testing.assert_array_equal(causal.weights[0, 0], [1, 0, 0, 0])
    np.testing.assert_allclose(causal.weights[0, 1], [1 / (1 + e**2), e**2 / (1 + e**2), 0, 0])
    np.testing.assert_allclose(causal.weights[0, 1], [0.1192, 0.8808, 0, 0], atol=FOUR_DIGITS)
    row = [0.6652, 0.0900, 0.2447, 0]
    np.testing.assert_allclose(causal.weights[0, 2], row, atol=FOUR_DIGITS)
    np.testing.assert_array_equal(causal.weights[0, 3], trace.weights[0, 3])


def test_masking_by_score_zero_does_not_hide_the_future():
    causal = MASKS["causal"](4, 4)
    to_zero = np.where(causal, 0, -np.array(SCORES))
    trace = attend(QUERY, KEY, VALUE, bias=to_zero)
    row = [0.0163, 0.3279, 0.3279, 0.3279]
    np.testing.assert_allclose(trace.weights[0], row, atol=FOUR_DIGITS)


def test_doubled_input_makes_the_scores_four_times_as_large():
    doubled = attend_heads(2 * np.array(INPUTS), ONE_HEAD)
    np.testing.assert_array_equal(doubled.scores, 4 * np.array([SCORES]))
    row = [0.0000, 0.0177, 0.9647, 0.0177]
    np.testing.assert_allclose(doubled.weights[0, 1], row, atol=FOUR_DIGITS)


def test_keys_made_like_queries_give_symmetric_scores_but_not_symmetric_weights():
    tied = attend_heads(INPUTS, Projections.split(W_Q, W_Q, W_V, None, n_heads=1))
    np.testing.assert_array_equal(tied.scores[0], tied.scores[0].T)
    assert np.abs(tied.weights[0] - tied.weights[0].T).max() > 0.1


def test_queries_of_zeros_average_all_values():
    trace = attend_heads(INPUTS, Projections.split(np.zeros((3, 2)), W_K, W_V, None, n_heads=1))
    np.testing.assert_array_equal(trace.weights, np.full((1, 4, 4), 0.25))
    np.testing.assert_array_equal(trace.output, np.tile([-0.25, 1.75], (4, 1)))


def test_sinusoidal_positions_tell_the_two_saws_apart():
    trace = attend_heads(INPUTS, ONE_HEAD, positions="sinusoidal")
    output = [[0.2875, 1.6254], [0.3226, 1.7420], [0.0972, 2.6285], [0.1915, 1.4680]]
    np.testing.assert_allclose(trace.output, output, atol=FOUR_DIGITS)

    angles = [(place, place / 10_000 ** (2 / 3)) for place in range(4)]
    codes = [[math.sin(fast), math.cos(fast), math.sin(slow)] for fast, slow in angles]
    encoded = [
        [a + e for a, e in zip(*rows, strict=True)] for rows in zip(INPUTS, codes, strict=True)
    ]
    query, key, value = (plain_product(encoded, w) for w in (W_Q, W_K, W_V))
    scores = plain_product(query, list(zip(*key, strict=True)))
    expected = plain_output(plain_weights(scores), value)
    np.testing.assert_allclose(trace.output, expected, rtol=1e-13)


def plain_product(left, right):
    columns = list(zip(*right, strict=True))
    return [
        [math.fsum(a * b for a, b in zip(row, column, strict=True)) for column in columns]
        for row in left
    ]


# Five features: three of the content, then two that say where in a cycle of four a token stands.
CYCLE = [[1, 0], [0, 1], [-1, 0], [0, -1]]
TWO_HEADS = Projections(
    w_q=np.array([[*W_Q, [0, 0], [0, 0]], [*[[0, 0]] * 3, [0, -3], [3, 0]]], float),
    w_k=np.array([[*W_K, [0, 0], [0, 0]], [*[[0, 0]] * 3, [1, 0], [0, 1]]], float),
    w_v=np.array([[*W_V, [0, 0], [0, 0]]] * 2, float),
)
CONTENT = np.hstack([INPUTS, np.zeros((4, 2))])
PLACES = np.hstack([np.zeros((4, 3)), CYCLE])


def test_two_heads_one_reads_content_and_one_reads_the_token_before():
    trace = attend_heads(CONTENT, TWO_HEADS, positions=PLACES)
    np.testing.assert_array_equal(trace.scores[0], SCORES)
    before = [[0, -3, 0, 3], [3, 0, -3, 0], [0, 3, 0, -3], [-3, 0, 3, 0]]
    np.testing.assert_array_equal(trace.scores[1], before)

    weights = trace.weights[1]
    np.testing.assert_allclose(weights, plain_weights(before), rtol=1e-14)
    np.testing.assert_allclose(weights[1], [0.9074, 0.0452, 0.0022, 0.0452], atol=FOUR_DIGITS)
    np.testing.assert_allclose(weights[3], [0.0022, 0.0452, 0.9074, 0.0452], atol=FOUR_DIGITS)
    assert weights[0].argmax() == 3  # the first token wraps around to the last
    np.testing.assert_allclose(trace.head_outputs[1, 1], [0.8170, 1.9978], atol=FOUR_DIGITS)
    np.testing.assert_allclose(trace.head_outputs[1, 3], [-0.0881, 1.0926], atol=FOUR_DIGITS)


def test_two_heads_with_positions_are_the_one_head_and_another():
    trace = attend_heads(CONTENT, TWO_HEADS, positions=PLACES)
    alone = attend_heads(INPUTS, ONE_HEAD)
    np.testing.assert_allclose(trace.head_outputs[0], alone.output, rtol=1e-14)
    np.testing.assert_array_equal(trace.output[:, :2], trace.head_outputs[0])
    np.testing.assert_array_equal(trace.output[:, 2:], trace.head_outputs[1])


def test_the_head_that_reads_positions_averages_when_there_are_none():
    trace = attend_heads(CONTENT, TWO_HEADS)
    np.testing.assert_array_equal(trace.head_outputs[1], np.tile([-0.25, 1.75], (4, 1)))


def test_the_lecture_example_gives_its_numbers():
    # Two tokens, so that softmax is a sigmoid: row 1 is sigma(+-3), row 2 is sigma(+-2).
    trace = attend_heads(
        [[1, 1], [0, 2]],
        Projections.split([[1, 0], [1, 1]], [[2, 0], [0, 1]], [[1, 1], [0, 1]], None, n_heads=1),
    )
    np.testing.assert_array_equal(trace.scores[0], [[5, 2], [6, 4]])
    sigma = [[1 / (1 + math.exp(-x)), 1 / (1 + math.exp(x))] for x in (3, 2)]
    np.testing.assert_allclose(trace.weights[0], sigma, rtol=1e-14)
    np.testing.assert_allclose(trace.output[1], [0.880797, 2], atol=0.5e-6)
