from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.text.numbers import bracketed, decimals, magnitude, number, significant, table, vector


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-2, "−2"),
        (0.0, "0"),
        (-0.0, "0"),
        (-0.001, "0.00"),
        (-0.3842, "−0.38"),
        (0.125, "0.13"),
        (-0.125, "−0.13"),
        (0.145, "0.14"),
        (float("-inf"), "−∞"),
        (9_999_999.0, "9999999"),
        (12_345_678.0, "1.23×10⁷"),
        (15_000_000, "1.50×10⁷"),
        (-25_000_000.0, "−2.50×10⁷"),
        (99_999_999.0, "1.00×10⁸"),
        (1.5e300, "1.50×10³⁰⁰"),
    ],
)
def test_number_is_written_as_people_write_it(value, text):
    assert number(value) == text


@settings(deadline=None)
@given(st.floats(-1e6, 1e6, allow_nan=False), st.integers(0, 4))
def test_decimals_round_the_exact_value_half_away_from_zero(value, digits):
    exact = Decimal(value).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)
    assert float(decimals(value, digits).replace("−", "-")) == float(exact)


def test_table_gives_every_cell_the_same_decimals():
    assert table([[1, -3], [0, 2]]) == [["1", "−3"], ["0", "2"]]
    assert table([[1, 0.5]], 3) == [["1.000", "0.500"]]


def test_table_stays_whole_beside_minus_infinity():
    assert table([[1, float("-inf")]]) == [["1", "−∞"]]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.125, "0.125"), (0.35355339, "0.354"), (1e-5, "0.00001"), (-0.00105, "−0.00105"), (1, "1")],
)
def test_a_constant_keeps_the_digits_that_count(value, text):
    assert significant(value) == text


def test_large_numbers_of_a_table_keep_their_digits():
    assert table([[25_000_000, 15_000_000], [1, 0.5]]) == [["2.50×10⁷", "1.50×10⁷"], ["1", "0.50"]]


def test_vector_and_bracketed_read_as_in_a_formula():
    assert vector([-0.3842, 1.4399]) == "(−0.38, 1.44)"
    assert bracketed(-1) + bracketed(3) == "(−1)(3)"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (8.881784197001252e-16, "8.9×10⁻¹⁶"),
        (-2.6e-5, "−2.6×10⁻⁵"),
        (9.96e-17, "1.0×10⁻¹⁶"),
        (0.00045, "0.00045"),
        (0.30417, "0.304"),
        (float("nan"), "?"),
    ],
)
def test_a_difference_that_is_nearly_0_shows_its_power_of_ten(value, text):
    assert magnitude(value) == text
