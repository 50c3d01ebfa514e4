import csv
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.errors import InputError
from attnviz.lessons.files import Limits, Note, read_table

few = settings(max_examples=40, deadline=None)
finite = st.floats(allow_nan=False, allow_infinity=False)
tables = st.integers(1, 7).flatmap(
    lambda columns: st.lists(st.tuples(*[finite] * columns), min_size=1, max_size=11).map(tuple)
)
words = st.text(st.characters(categories=("L",)), min_size=1, max_size=7).filter(
    lambda word: word.casefold() not in ("nan", "inf", "infinity", "token", "id", "index")
)


def read(data, name="vectors.csv", **limits):
    data = data.encode() if isinstance(data, str) else data
    return read_table(data, name, Limits(**limits))


def matrix(data, name="vectors.csv"):
    (found,) = read(data, name).matrices
    return found


def refusal(data, name="vectors.csv", **limits):
    with pytest.raises(InputError) as caught:
        read(data, name, **limits)
    return caught.value


def written(table, delimiter, point="."):
    file = io.StringIO()
    lines = [[repr(cell).replace(".", point) for cell in row] for row in table]
    csv.writer(file, delimiter=delimiter).writerows(lines)
    return file.getvalue()


@few
@given(tables, st.sampled_from("\t;,|"), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
def test_a_table_is_read_as_it_was_written(table, delimiter, encoding):
    assert matrix(written(table, delimiter).encode(encoding)).values == table


@few
@given(tables, st.sampled_from("\t;"))
def test_a_decimal_comma_is_read_where_columns_are_set_apart_otherwise(table, delimiter):
    table = tuple((0.5, *row) for row in table)
    assert matrix(written(table, delimiter, ",")).values == table


@few
@given(tables, st.data())
def test_labels_beside_and_above_the_numbers_are_found(table, data):
    labels = data.draw(st.tuples(*[words] * len(table)))
    heads = data.draw(st.tuples(*[words] * len(table[0])))
    file = io.StringIO()
    csv.writer(file).writerows([("token", *heads), *map(lambda w, r: (w, *r), labels, table)])
    found = matrix(file.getvalue())
    assert (found.values, found.row_labels, found.column_labels) == (table, labels, heads)


@few
@given(tables)
def test_a_list_of_rows_in_json_is_read_as_it_was_written(table):
    assert matrix(json.dumps(table), "x.json").values == table


@pytest.mark.parametrize(
    ("text", "encoding", "labels", "said"),
    [
        ("我,1,2\n你好,3,4\n", "cp950", ("我", "你好"), "Big5"),
        ("café,1,2\nété,3,4\nÄrger,5,6\n", "latin-1", ("café", "été", "Ärger"), "Windows-1252"),
        ("“saw”,1,2\n", "cp1252", ("“saw”",), "Windows-1252"),
        ("我\t1\n你\t2\n", "utf-16", ("我", "你"), "UTF-16"),
        ("saw\t1\nI\t2\n", "utf-16-le", ("saw", "I"), "UTF-16"),
        ("我\t1\n你\t2\n", "utf-16-be", ("我", "你"), "UTF-16"),
        ("我\t1\n你\t2\n", "utf-32", ("我", "你"), "UTF-32"),
    ],
)
def test_each_encoding_is_told_and_said(text, encoding, labels, said):
    contents = read(text.encode(encoding))
    assert contents.matrices[0].row_labels == labels
    assert contents.notes == (Note("file.note.encoding", {"encoding": said}),)


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_utf_8_needs_no_note(mark):
    contents = read(mark + "我,1,2\n".encode())
    assert (contents.matrices[0].row_labels, contents.notes) == (("我",), ())


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1,5;2,5\r\n0,5;3\r\n", ((1.5, 2.5), (0.5, 3))),
        ("1,234;5\n2;3\n", ((1.234, 5), (2, 3))),
        ("1,234.5;5\n2;3\n", ((1234.5, 5), (2, 3))),
        ("1.234,5;5\n2;3\n", ((1234.5, 5), (2, 3))),
        ("1,234\t0,5\n2\t3\n", ((1.234, 0.5), (2, 3))),
        ("1,234\t5,678\n", ((1234, 5678),)),
        ('"1,234","0,5"\n2,3\n', ((1.234, 0.5), (2, 3))),
        ("１．５,−2\n3,４\n", ((1.5, -2), (3, 4))),
        ("1 0  2\n0 1 1\n", ((1, 0, 2), (0, 1, 1))),
        ("1.0e+00 -5.0e-01\r\n", ((1, -0.5),)),
        ("1\r2\r", ((1,), (2,))),
        ("sep=;\r\n1,5;2\r\n", ((1.5, 2),)),
        ("50%|1/4\n", ((0.5, 0.25),)),
        ("1,2\x1a", ((1, 2),)),
    ],
)
def test_numbers_are_read_as_programs_and_people_write_them(text, values):
    assert matrix(text).values == values


@pytest.mark.parametrize(
    ("text", "labels", "heads"),
    [
        (",0,1\n0,.5,.2\n1,.3,.4\n", ("0", "1"), ("0", "1")),  # as pandas numbers them
        (",v\n0,.5\n1,.3\n", ("0", "1"), ("v",)),
        ("d1 d2\nsaw 1 2\nI 3 4\n", ("saw", "I"), ("d1", "d2")),  # as R writes a header
        ("token,d1\n3,1\n+,2\n4,3\n", ("3", "+", "4"), ("d1",)),
        ("v\n1\n2\n", (), ("v",)),
        ("[CLS],1,2\n[SEP],3,4\n", ("[CLS]", "[SEP]"), ()),
        ("<s>,1,2\n{,3,4\n", ("<s>", "{"), ()),
        ('",",1,2\n";",3,4\n', (",", ";"), ()),
        ("a;b,1,2\nc,3,4\n", ("a;b", "c"), ()),
        ("no,1,2\nI,3,4\n", ("no", "I"), ()),
    ],
)
def test_labels_are_told_from_numbers(text, labels, heads):
    found = matrix(text)
    assert (found.row_labels, found.column_labels) == (labels, heads)


def test_what_is_ignored_is_noted():
    found = matrix("My vectors\n\ntoken,d1,,note\nI,1,,hello\n\nsaw,3,,\nfrom a book,,,\n")
    assert found.values == ((1,), (3,))
    assert found.notes == (
        Note("file.note.blank_rows", {"n": 2}),
        Note("file.note.blank_columns", {"n": 1}),
        Note("file.note.text_rows", {"rows": "1, 7"}),
        Note("file.note.text_column", {"name": "note"}),
    )


@pytest.mark.parametrize(
    ("text", "code", "values"),
    [
        ("", "empty", {}),
        ("\ufeff \r\n", "empty", {}),
        ("1,2,3\n\n4,5\n6,7,8\n", "ragged", {"row": 3, "got": 2, "expected": 3}),
        ("1,2\n3,4,5\n6,7\n", "ragged", {"row": 2, "got": 3, "expected": 2}),
        ("a,b\n1,2\n3,x\n", "text_cell", {"row": 3, "column": 2, "cell": "B3", "text": "x"}),
        ("1,2\n1.0o,3\n4,5\n", "text_cell", {"row": 2, "column": 1, "cell": "A2", "text": "1.0o"}),
        ("1,2,3\n4,,6\n", "blank_cell", {"row": 2, "column": 2, "cell": "B2"}),
        ("1,2\n3,inf\n", "infinite_cell", {"row": 2, "column": 2, "cell": "B2"}),
        ("1,NaN\n3,4\n", "infinite_cell", {"row": 1, "column": 2, "cell": "B1"}),
        ("a,b\nc,d\n", "no_numbers", {}),
        ("1\n" * 1_000_000, "more_rows", {"most": 128}),
        ("1\n" * 129, "too_many_rows", {"most": 128, "got": 129}),
        ("1," * 1_000_000, "too_many_columns", {"most": 128, "got": 1_000_000}),
        ('"' + "1" * 200_000 + '",2\n', "long_cell", {"most": "131,072"}),
        ("<!DOCTYPE html><html>1,2</html>", "web_page", {}),
        ('<?xml version="1.0"?>\n<svg>1,2</svg>', "picture", {}),
        ('<?xml version="1.0"?><a>1,2</a>', "document", {}),
    ],
)  # fmt: skip
def test_a_text_that_does_not_fit_names_the_place(text, code, values):
    error = refusal(text)
    assert (error.code, error.values) == (f"file.{code}", values)


def test_a_file_may_be_five_megabytes():
    error = refusal(b"1," * (3 * 2**20))
    assert (error.code, error.values) == ("file.too_large", {"got": "6", "most": "5"})


def test_every_key_with_rows_of_numbers_is_a_matrix():
    document = {
        "tokens": ["I", "saw"],
        "inputs": [[1, 0], [0, 1]],
        "matrices": {"w_q": [[[1, 2], [3, 4]], [[5, 6], [7, 8]]], "seed": 3},
        "steps": [{"name": "scores", "array": [[1, 2], [3, 4]]}],
        "bad": [[1], [2, 3]],
        "title": "none",
    }
    contents = read(json.dumps(document), "lesson.json")
    assert {each.name: each.values for each in contents.matrices} == {
        "inputs": ((1, 0), (0, 1)),
        "matrices.w_q": ((1, 2, 5, 6), (3, 4, 7, 8)),
        "steps.scores": ((1, 2), (3, 4)),
    }
    assert contents.tokens == ("I", "saw")
    assert contents.matrices[1].notes == (Note("file.note.heads", {"n_heads": 2}),)
    assert [(each.name, each.reason.code) for each in contents.left_out] == [("bad", "file.ragged")]
    assert contents.notes == (Note("file.note.others", {"n": 2, "names": "matrices.seed, title"}),)


@pytest.mark.parametrize(
    ("text", "values", "labels"),
    [
        ("[1, 2, 3]", ((1, 2, 3),), ()),
        ('[["saw", 1, 2], ["I", true, -0]]', ((1, 2), (1, 0)), ("saw", "I")),
        ('[{"token": "saw", "d1": 1}, {"token": "I", "d1": 2}]', ((1,), (2,)), ("saw", "I")),
    ],
)
def test_json_is_read_as_people_write_it(text, values, labels):
    found = matrix(text)
    assert (found.values, found.row_labels) == (values, labels)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[[1, 2], [3", "json_broken"),
        ("1,2\n3,4\n", "json_broken"),
        ("[[1, NaN]]", "json_infinite"),
        ("[[1, -Infinity]]", "json_infinite"),
        ("[" + "9" * 10_000 + "]", "json_infinite"),
        ("[[1, 1e999]]", "infinite_cell"),
        ("[[1, null], [2, 3]]", "ragged"),
        ('{"a": [1], "a": [2]}', "json_twice"),
        ("[" * 1_000_000, "json_deep"),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "json_deep"),
        ("[[[[1]]]]", "axes"),
        ("[[[1, 2]], [[1], [2]]]", "heads_differ"),
        ('[[{"a": 1}]]', "not_a_table"),
        ('[{"a": 1}, {"b": 1}]', "not_a_table"),
        ("{}", "no_matrix"),
        ('"word"', "no_matrix"),
        ("[]", "no_numbers"),
        (json.dumps({str(key): [1] for key in range(300)}), "too_many_parts"),
    ],
)
def test_json_that_does_not_fit_is_refused(text, code):
    assert refusal(text, "x.json").code == f"file.{code}"


def test_brackets_in_texts_are_not_nesting():
    text = json.dumps({"note": "[" * 500 + '\\"' * 500, "x": [[1]]})
    assert matrix(text, "x.json").values == ((1,),)
