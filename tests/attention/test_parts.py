import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attnviz.attention.normalizers import NORMALIZERS, normalizer_parts
from attnviz.attention.parts import PARTS

EVERY = pytest.mark.parametrize("name", NORMALIZERS)
eighths = st.integers(-240, 240).map(lambda whole: whole / 8)
tables = arrays(np.float64, (3, 5), elements=eighths)
masks = arrays(np.bool_, (3, 5))
laws = settings(max_examples=30, deadline=None)

# "I saw a saw": the scores of four words, rows ask, columns answer.
SCORES = np.array([[-3, -1, -1, -1], [-2, 0, 1, 0], [4, 2, 3, 2], [-2, 0, 1, 0]])


def test_every_normalizer_can_be_taken_apart():
    assert list(PARTS) == list(NORMALIZERS)


@EVERY
@laws
@given(scores=tables, mask=masks)
def test_numerators_over_totals_are_the_weights(name, scores, mask):
    parts = normalizer_parts(name, scores, mask)
    totals = parts.totals[:, None]
    shares = np.where(totals > 0, parts.numerators / np.where(totals > 0, totals, 1), 0)
    np.testing.assert_array_equal(shares, NORMALIZERS[name](scores, mask))


@laws
@given(scores=tables, mask=masks, temperature=st.sampled_from([0.5, 1.0, 3.0]))
def test_parts_of_softmax_are_powers_of_e_and_their_sum(scores, mask, temperature):
    parts = normalizer_parts("softmax", scores, mask, temperature=temperature)
    powers = np.exp((scores - parts.shift[:, None]) / temperature) * mask
    np.testing.assert_allclose(parts.numerators, powers, rtol=1e-13)
    np.testing.assert_allclose(parts.totals, powers.sum(axis=-1), rtol=1e-13)


def test_parts_of_small_scores_are_not_shifted_so_that_e_is_to_be_seen():
    parts = normalizer_parts("softmax", SCORES)
    np.testing.assert_array_equal(parts.shift, 0)
    np.testing.assert_allclose(
        parts.numerators[1], [math.exp(-2), 1, math.e, 1], rtol=1e-15
    )  # .1353, 1, 2.7183, 1
    assert [round(total, 4) for total in parts.totals.tolist()] == [1.1534, 4.8536, 89.4618, 4.8536]


@pytest.mark.parametrize(
    ("row", "temperature", "shift"),
    [
        ([20, -20, 0], 1, 0),
        ([20.125, 0, 0], 1, 20.125),
        ([0, -20.125, 3], 1, 3),
        ([7, 0, 2], 0.25, 7),
    ],
)
def test_parts_of_softmax_are_shifted_by_the_best_score_beyond_twenty(row, temperature, shift):
    assert normalizer_parts("softmax", [row], temperature=temperature).shift.tolist() == [shift]


def test_parts_are_not_shifted_for_a_score_that_may_not_be_seen():
    parts = normalizer_parts("softmax", [[1, 999, -999]], [[True, False, False]])
    assert parts.shift.tolist() == [0]


@pytest.mark.parametrize("name", ["sparsemax", "entmax15", "entmax"])
def test_parts_of_sparse_normalizers_tell_the_threshold(name):
    steepness = {"sparsemax": 1, "entmax15": 0.5, "entmax": 0.5}[name]
    parts = normalizer_parts(name, SCORES, temperature=2.0)
    assert parts.threshold is not None
    above = np.maximum(steepness * SCORES / 2 - parts.threshold[:, None], 0)
    np.testing.assert_allclose(parts.numerators, above ** (1 / steepness), rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(parts.totals, 1)


@pytest.mark.parametrize("name", sorted(set(NORMALIZERS) - {"sparsemax", "entmax15", "entmax"}))
def test_parts_of_the_others_have_no_threshold(name):
    assert normalizer_parts(name, SCORES).threshold is None


@pytest.mark.parametrize(
    ("name", "numerators", "total"),
    [
        ("relu", [4, 2, 3, 2], 1),
        ("relu_sum", [4, 2, 3, 2], 11),
        ("relu_length", [4, 2, 3, 2], 4),
        ("hardmax", [1, 0, 0, 0], 1),
        ("topk", [math.exp(4), 0, math.exp(3), 0], math.exp(4) + math.exp(3)),
        (
            "softmax1",
            [math.exp(score) for score in (4, 2, 3, 2)],
            1 + math.exp(4) + 2 * math.exp(2) + math.exp(3),
        ),
        ("sigmoid", [1 / (1 + 4 * math.exp(-score)) for score in (4, 2, 3, 2)], 1),
    ],
)
def test_parts_of_one_row_are_worked_by_hand(name, numerators, total):
    parts = normalizer_parts(name, SCORES)
    np.testing.assert_allclose(parts.numerators[2], numerators, rtol=1e-14)
    np.testing.assert_allclose(parts.totals[2], total, rtol=1e-14)


def test_an_unknown_normalizer_is_refused_with_those_there_are():
    with pytest.raises(ValueError, match=r"one of softmax, sparsemax, .*, got 'softmin'"):
        normalizer_parts("softmin", SCORES)
