import datetime
import io
import subprocess
import sys
import zipfile

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.errors import InputError
from attnviz.lessons.files import Note, read_table
from attnviz.lessons.files.spreadsheets import MOST_MARKS

few = settings(max_examples=25, deadline=None)
numbers = st.integers(-(10**9), 10**9).map(lambda n: n / 1000) | st.integers(-99, 99)
tables = st.integers(1, 5).flatmap(
    lambda columns: st.lists(st.tuples(*[numbers] * columns), min_size=1, max_size=7).map(tuple)
)
SHEET = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'


def xlsx(**sheets):
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def with_part(data, part, content):
    file = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as old,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            new.writestr(name, content if name == part else old.read(name))
    return file.getvalue()


def sheet_of(xml):
    return with_part(xlsx(w_q=[[1]]), "xl/worksheets/sheet1.xml", xml)


def refusal(data, name="x.xlsx"):
    with pytest.raises(InputError) as caught:
        read_table(data, name)
    return caught.value


@few
@given(tables)
def test_a_sheet_is_read_as_it_was_written(table):
    (found,) = read_table(xlsx(w_q=table), "x.xlsx").matrices
    assert (found.name, found.values) == ("w_q", table)


def test_each_sheet_with_numbers_is_a_matrix():
    data = xlsx(
        vectors=[["token", "d1", "note"], ["我", 1, "a"], ["saw", "0,5", None]],
        w_q=[[None, None], [None, True], [None, -2]],
        about=[["made by hand"]],
    )
    contents = read_table(data, "x.xlsx")
    vectors, w_q = contents.matrices
    assert (vectors.values, vectors.row_labels) == (((1,), (0.5,)), ("我", "saw"))
    assert vectors.notes == (Note("file.note.text_column", {"name": "note"}),)
    assert w_q.values == ((1,), (-2,))
    left_out = [(each.name, each.reason.code) for each in contents.left_out]
    assert left_out == [("about", "file.no_numbers")]


@pytest.mark.parametrize(
    ("row", "code", "text"),
    [
        ([1, datetime.datetime(2026, 1, 3)], "text_cell", "2026-01-03"),  # 1/3, turned into a day
        ([1, "#DIV/0!"], "text_cell", "#DIV/0!"),
        ([1, "=A1+1"], "blank_cell", None),  # never calculated
    ],
)
def test_a_cell_without_a_number_is_named_as_the_spreadsheet_does(row, code, text):
    error = refusal(xlsx(w_q=[[*row, 5], [6, 7, 8], [6, 7, 8]]))
    assert (error.code, error.values["cell"]) == (f"file.{code}", "B1")
    assert error.values.get("text") == text


def test_a_sheet_may_say_more_rows_than_it_has():
    xml = (
        f'{SHEET}<dimension ref="A1:XFD1048576"/><sheetData><row r="1"><c r="A1"><v>2</v></c></row>'
    )
    data = sheet_of(xml + '<row r="1048576"><c r="A1048576"/></row></sheetData></worksheet>')
    (found,) = read_table(data, "x.xlsx").matrices
    assert found.values == ((2,),)
    assert found.notes == (Note("file.note.rows_beyond", {"last": "10,000"}),)


@pytest.mark.parametrize(
    ("xml", "code"),
    [
        (
            '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]>' + SHEET + "&c;</worksheet>",
            "damaged",
        ),
        (('<!DOCTYPE a [<!ENTITY b "bb">]>' + SHEET + "</worksheet>").encode("utf-16"), "damaged"),
        ('<?xml version="1.0" encoding="cp037"?>' + SHEET + "</worksheet>", "damaged"),
        (SHEET + "<sheetData><row><c>", "damaged"),
        (SHEET + '<sheetData><row r="x"><c r="1A"/></row></sheetData></worksheet>', "damaged"),
        (SHEET + '<sheetData><row><c t="s"><v>9</v></c></row></sheetData></worksheet>', "damaged"),
        (SHEET + "<sheetData/></worksheet>", "no_numbers"),
        (SHEET + "<a/>" * MOST_MARKS + "</worksheet>", "too_many_cells"),
        (SHEET + " " * (11 * 2**20) + "</worksheet>", "too_large_inside"),
    ],
)
def test_a_forged_sheet_is_refused(xml, code):
    assert refusal(sheet_of(xml)).code == f"file.{code}"


def test_an_endless_list_of_sheets_is_refused():
    data = with_part(xlsx(a=[[1]]), "xl/workbook.xml", '<sheet sheetId="1"/>' * 300)
    assert refusal(data).code == "file.too_many_parts"


def test_openpyxl_is_imported_only_for_a_spreadsheet():
    code = "import sys, attnviz.lessons.files as f; f.read_table(b'1,2', 'x.csv')"
    code += "; print('openpyxl' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.strip() == "False", run.stderr
