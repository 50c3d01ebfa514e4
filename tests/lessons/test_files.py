"""Files of every kind: what they are is told by their content, and none breaks the reader."""

import io
import re
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.errors import InputError
from attnviz.lessons import files
from attnviz.lessons.files import Contents, field_of, read_table
from attnviz.text import LANGUAGES, words

few = settings(max_examples=40, deadline=None)


def npz():
    file = io.BytesIO()
    np.savez(file, vectors=np.eye(3), w_q=np.ones((2, 3, 2)))
    return file.getvalue()


def xlsx():
    book = openpyxl.Workbook()
    for row in ([None, "d1", "d2"], ["saw", 1, 2.5], ["I", 3, "4"]):
        book.worksheets[0].append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def npy():
    file = io.BytesIO()
    np.save(file, np.eye(3))
    return file.getvalue()


def archive(*names):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        for name in names:
            made.writestr(name, "a")
    return file.getvalue()


def locked():
    """Set the bit that says a part is encrypted, in the part and in the directory."""
    data = bytearray(npz())
    for sign, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        for found in re.finditer(re.escape(sign), bytes(data)):
            data[found.start() + place] |= 1
    return bytes(data)


VALID = {
    "x.csv": "token;d1;d2\n我;1,5;2\nsaw;0,5;1e-3\n\n".encode(),
    "x.tsv": "I\t1\t2\nsaw\t3\t4\n".encode("utf-16"),
    "x.json": b'{"tokens": ["I"], "vectors": [[1, 2.5e3]], "w": {"w_q": [[[1]], [[2]]]}}',
    "x.npy": npy(),
    "x.npz": npz(),
    "x.xlsx": xlsx(),
}
OLD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600


def outcome(data, name="vectors.csv"):
    """Give what was read, or the code of the refusal: nothing else may come."""
    try:
        return read_table(data, name)
    except InputError as error:
        return error.code.removeprefix("file.")


@pytest.mark.parametrize("name", VALID)
@pytest.mark.parametrize("called", ["x.csv", "x.npz", "picture.png", "", "C:\\a\\b"])
def test_the_content_decides_whatever_the_name(name, called):
    found = outcome(VALID[name], called)
    assert isinstance(found, Contents)
    assert found.kind == name.removeprefix("x.").replace("tsv", "csv")


@pytest.mark.parametrize(
    ("data", "looks_like"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "picture"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "picture"),
        (b"GIF89a\x01\0", "picture"),
        (b"RIFF\x24\0\0\0WEBPVP8 ", "picture"),
        (b"BM\x36\0\0\0", "picture"),
        (b"\0\0\0\x18ftypheic\0\0", "picture"),
        (b"\0\0\0\x18ftypmp42\0\0", "sound"),
        (b"MZ\x90\0\x03\0\0\0", "program"),
        (b"\x7fELF\x02\x01\x01\0", "program"),
        (b"%PDF-1.7\n%", "pdf"),
        (b"\x1f\x8b\x08\0", "packed"),
        (archive("a.csv"), "packed"),
        (archive("word/document.xml"), "document"),
        (archive("mimetype", "content.xml"), "other_spreadsheet"),
        (archive("xl/workbook.bin"), "other_spreadsheet"),
        (b"{\\rtf1 1,2}", "document"),
        (b"\x89HDF\r\n\x1a\n", "data"),
        (b"SQLite format 3\0", "data"),
        (b'\x10\0\0\0\0\0\0\0{"a":{"dtype":"F32"}}      ', "data"),
        (OLD, "old_excel"),
        (OLD + "EncryptedPackage".encode("utf-16-le"), "locked"),
        (locked(), "locked"),
        (b"\0" * 1000, "empty"),
        (b"1,2\x07\n", "not_text"),
        (bytes(range(256)), "not_text"),
        (b"\xff\xfe\x00\xd8", "not_text"),
    ],
)
def test_another_kind_of_file_is_called_what_it_looks_like(data, looks_like):
    assert outcome(data) == looks_like


def test_a_token_may_begin_as_other_files_do():
    for start in ("BM", "MZ", "ID3", "RIFF", "PAR1", "<p>"):
        assert outcome(f"{start},1,2\nsaw,3,4\n".encode()).matrices[0].row_labels[0] == start


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("vectors", "vectors"), ("W_q", "w_q"), ("W^Q", "w_q"), ("projections.w_k", "w_k"),
        ("v_proj.weight", ""), ("wo", "w_o"), ("向量", "vectors"), ("scores", ""), ("", ""),
    ],
)  # fmt: skip
def test_the_name_of_a_matrix_tells_what_it_is_for(name, field):
    assert field_of(name) == field


@few
@given(st.binary(max_size=200) | st.text(max_size=100).map(str.encode), st.sampled_from([*VALID]))
def test_any_bytes_are_read_or_refused(data, name):
    assert isinstance(outcome(data, name), Contents | str)


@few
@given(
    st.sampled_from(["\x93NUMPY\x01\0", "PK\x03\x04", '{"a":[', "[[1,"]), st.binary(max_size=200)
)
def test_any_bytes_behind_a_good_beginning_are_read_or_refused(start, rest):
    assert isinstance(outcome(start.encode("latin-1") + rest), Contents | str)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_change_of_a_good_file_is_read_or_refused(data):
    name = data.draw(st.sampled_from([*VALID]))
    assert isinstance(outcome(_changed(data, VALID[name]), name), Contents | str)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_change_inside_an_archive_is_read_or_refused(data):
    name = data.draw(st.sampled_from(["x.npz", "x.xlsx"]))
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(VALID[name])) as old, zipfile.ZipFile(file, "w") as new:
        part = data.draw(st.sampled_from(old.namelist()))
        for each in old.namelist():
            content = old.read(each)
            new.writestr(each, _changed(data, content) if each == part else content)
    assert isinstance(outcome(file.getvalue(), name), Contents | str)


def _changed(data, content):
    changed = bytearray(content)
    for _ in range(data.draw(st.integers(1, 5))):
        place = data.draw(st.integers(0, len(changed)))
        length = data.draw(st.integers(0, 3))
        changed[place : place + length] = data.draw(st.binary(max_size=3))
    return bytes(changed)


@pytest.mark.parametrize(
    "data",
    [
        b"1," * 2_600_000,
        b"1\n" * 2_600_000,
        b'"' * 5_000_000,
        b'"\\' * 2_500_000,
        b"[" * 5_000_000,
        b'{"a":[' + b"[]," * 1_700_000 + b"1]}",
        b"[" + b"9" * 5_000_000 + b"]",
        b"a;" * 2_500_000,
    ],
    ids=lambda data: data[:6],
)
def test_the_largest_files_are_refused_within_bounded_memory(data):
    tracemalloc.start()
    try:
        assert isinstance(outcome(data[: 5 * 2**20]), str)
        assert tracemalloc.get_traced_memory()[1] < 400 * 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_and_every_note_has_words(language):
    source = "".join(path.read_text("utf-8") for path in Path(files.__file__).parent.glob("*.py"))
    t = words(language)
    for key in set(re.findall(r'InputError\(\s*"(file\.\w+)"', source)):
        assert t(f"error.{key}")
    for kind in set(re.findall(r', "(\w+)"\)', source.split("_SIGNS")[1])):
        assert t(f"error.file.{kind}")
    for key in set(re.findall(r'"(file\.note\.\w+)"', source)) | {"file.note.blank_rows"}:
        assert t(key)
