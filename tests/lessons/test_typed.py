import contextlib
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.errors import InputError
from attnviz.lessons.typed import MAX_CHARACTERS, parse_number, parse_table

few = settings(max_examples=50, deadline=None)
finite = st.floats(allow_nan=False, allow_infinity=False)
tables = st.integers(1, 5).flatmap(
    lambda columns: st.lists(st.tuples(*[finite] * columns), min_size=1, max_size=7).map(tuple)
)

FULL_WIDTH = str.maketrans("0123456789.+-,%/", "０１２３４５６７８９．＋－，％／")
MINUS_SIGNS = "-−－﹣–—‐‑"


def written(table, column, row="\n", point="."):
    lines = (column.join(repr(number).replace(".", point) for number in line) for line in table)
    return row.join(lines)


@few
@given(finite)
def test_a_number_is_read_as_it_was_written(number):
    assert parse_number(repr(number)) == number


@few
@given(finite)
def test_full_width_numbers_are_the_same_numbers(number):
    assert parse_number(repr(number).translate(FULL_WIDTH)) == number


@few
@given(finite, st.sampled_from(MINUS_SIGNS))
def test_every_minus_sign_is_a_minus(number, minus):
    assert parse_number(repr(number).replace("-", minus)) == number


@few
@given(st.integers(-(10**15), 10**15), st.sampled_from([",", "，", "\u00a0", "\u202f"]))
def test_digits_may_be_grouped_by_three(number, group):
    assert parse_number(f"{number:,}".replace(",", group)) == number


@few
@given(st.floats(-1e6, 1e6))
def test_a_percent_is_a_hundredth(number):
    assert parse_number(f"{number!r}%") == number / 100 == parse_number(f" {number!r} % ")


@few
@given(st.integers(-99, 99), st.integers(1, 99))
def test_a_fraction_is_divided(top, bottom):
    assert parse_number(f"{top}/{bottom}") == top / bottom


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("１２．５", 12.5), ("−3", -3), ("＋２", 2), ("1,234", 1234), ("1,234.5", 1234.5),
        ("0,5", 0.5), ("0,125", 0.125), ("12,34", 12.34), ("50%", 0.5), ("５０ ％", 0.5),
        ("1/3", 1 / 3), ("－１／４", -0.25), ("２。５", 2.5), (".5", 0.5), ("5.", 5),
        ("2E-3", 0.002), ("٣", 3), ("  7\n", 7),
    ],
)  # fmt: skip
def test_numbers_are_read_as_people_type_them(text, number):
    assert parse_number(text) == number


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "1 2",
        "--3",
        "1-2",
        "1.2.3",
        "1,23,4",
        "½",
        "2²",
        "1_000",
        "0x10",
        "三",
        "1/2/3",
        "%",
    ],
)
def test_what_is_no_number_is_refused_with_what_came(text):
    with pytest.raises(InputError) as refused:
        parse_number(text)
    assert refused.value.code == "number.unreadable"
    assert refused.value.values == {"text": text}


@pytest.mark.parametrize("text", ["inf", "-Infinity", "NaN", "∞", "−∞", "1e999", "1/0"])
def test_what_has_no_end_is_refused(text):
    with pytest.raises(InputError, check=lambda error: "number.infinite" in error.code):
        parse_number(text)


@few
@given(st.text(max_size=20))
def test_any_text_is_a_finite_number_or_is_refused(text):
    with contextlib.suppress(InputError):
        assert math.isfinite(parse_number(text))


@few
@given(tables, st.sampled_from(["\t", ", ", ",", " ", "  ", "\u3000", "，", "、"]))
def test_a_table_is_read_as_it_was_written(table, column):
    assert parse_table(written(table, column)) == table


@few
@given(
    st.lists(st.tuples(*[st.integers(-999, 999).map(lambda n: n / 4)] * 3), min_size=1, max_size=7),
    st.sampled_from(["\t", ";", "; "]),
)
def test_between_tabs_and_semicolons_a_comma_may_be_decimal(table, column):
    assert parse_table(written(table, column, point=",")) == tuple(table)


@few
@given(tables)
def test_a_table_survives_python_and_the_clipboard(table):
    assert parse_table(str([list(line) for line in table])) == table
    assert parse_table(written(table, "\t", "\r\n") + "\r\n") == table


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("1,0,2;0,1,1", ((1, 0, 2), (0, 1, 1))),
        ("1 0 2; 0 1 1", ((1, 0, 2), (0, 1, 1))),
        ("1,0,2;\n0,1,1;", ((1, 0, 2), (0, 1, 1))),
        ("[[1. 0. 2.]\n [0. 1. 1.]]", ((1, 0, 2), (0, 1, 1))),
        ("1,5;2,5", ((1.5, 2.5),)),
        ("0,5\t1\n2\t3,25", ((0.5, 1), (2, 3.25))),
        ("1,234\t5", ((1234, 5),)),
        ("0,5\t1,234", ((0.5, 1.234),)),
        ("１　−２\n＋３　５０％", ((1, -2), (3, 0.5))),
        ("1/2 50 %", ((0.5, 0.5),)),
        ("\n1 2\n\n3 4\n", ((1, 2), (3, 4))),
        ('"1"\t"2"', ((1, 2),)),
    ],
)  # fmt: skip
def test_tables_are_read_as_people_type_and_paste_them(text, table):
    assert parse_table(text) == table


@pytest.mark.parametrize(
    ("text", "code", "values"),
    [
        ("", "number.empty", {}),
        (" \n\t\n", "number.empty", {}),
        ("1 2\n3 x", "number.cell_unreadable", {"row": 2, "column": 2, "text": "x"}),
        ("1\t\n2\t3", "number.cell_unreadable", {"row": 1, "column": 2, "text": ""}),
        ("1, 2,", "number.cell_unreadable", {"row": 1, "column": 3, "text": ""}),
        ("0,5 1,5", "number.cell_unreadable", {"row": 1, "column": 1, "text": "0,5"}),
        ("a\tb\n1\t2", "number.cell_unreadable", {"row": 1, "column": 1, "text": "a"}),
        ("1 2 3\n4 5", "number.ragged", {"row": 2, "expected": 3, "got": 2}),
        ("1 inf", "number.not_finite", {"row": 1, "column": 2}),
        ("1\n1e999", "number.not_finite", {"row": 2, "column": 1}),
    ],
)
def test_a_table_that_cannot_be_read_names_the_place(text, code, values):
    with pytest.raises(InputError) as refused:
        parse_table(text)
    assert (refused.value.code, refused.value.values) == (code, values)


def test_a_huge_paste_is_refused_before_it_is_read():
    with pytest.raises(InputError, check=lambda error: "text.too_many_characters" in error.code):
        parse_table("1 " * MAX_CHARACTERS)


@few
@given(st.text("0123456789.,;-+% \t\n[]e/xX−", max_size=60))
def test_any_text_is_a_table_of_finite_numbers_or_is_refused(text):
    try:
        table = parse_table(text)
    except InputError:
        return
    assert len({len(row) for row in table}) == 1
    assert all(math.isfinite(number) for row in table for number in row)
