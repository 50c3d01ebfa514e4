"""Vectors and matrices from a file: CSV, TSV, JSON, NPY, NPZ and XLSX.

`read_table` reads, and changes nothing: what it gives says what would be taken and what ignored.
"""

import re
from pathlib import PureWindowsPath

from attnviz.errors import InputError
from attnviz.lessons.files.archives import megabytes, opened
from attnviz.lessons.files.arrays import MAGIC, read_npy, read_npz
from attnviz.lessons.files.delimited import read_delimited
from attnviz.lessons.files.found import Contents, LeftOut, Limits, Matrix, Note, label
from attnviz.lessons.files.json_tables import is_json, read_json
from attnviz.lessons.files.kinds import kind_of_archive, refuse_markup, refuse_other_kinds
from attnviz.lessons.files.spreadsheets import read_xlsx
from attnviz.lessons.files.texts import decode

__all__ = [
    "EXTENSIONS",
    "Contents",
    "LeftOut",
    "Limits",
    "Matrix",
    "Note",
    "field_of",
    "read_table",
]

EXTENSIONS = ("csv", "tsv", "txt", "json", "npy", "npz", "xlsx")
"""How the names of readable files end; what a file is, its content decides."""

_FIELDS = {
    "vectors": "vectors vector inputs input embeddings embedding x a 向量 輸入向量",
    "w_q": "wq wquery qproj queryweight",
    "w_k": "wk wkey kproj keyweight",
    "w_v": "wv wvalue vproj valueweight",
    "w_o": "wo woutput oproj outproj outputweight",
    "position_vectors": "positionvectors positions position pe e 位置向量",
}
_FIELD_OF = {name: field for field, names in _FIELDS.items() for name in names.split()}
_ARCHIVE_SIGNS = (b"PK\x03\x04", b"PK\x05\x06")
_DEFAULT_LIMITS = Limits()


def read_table(data: bytes, name: str, limits: Limits = _DEFAULT_LIMITS) -> Contents:
    """Find the matrices of a file; `name` is the file's, and names the one matrix of a CSV or NPY.

    Raises:
        InputError: if it is too large, is something else or holds no matrix; for a table, naming
            the row or the cell that does not fit.
    """
    if len(data) > limits.n_bytes:
        raise InputError("file.too_large", got=megabytes(len(data)), most=megabytes(limits.n_bytes))
    if not data.strip(b"\0\t\n\r "):
        raise InputError("file.empty")
    stem = label(PureWindowsPath(name).stem)
    if data.startswith(_ARCHIVE_SIGNS):
        return _read_archive(data, limits)
    if data.startswith(MAGIC):
        return read_npy(data, stem, limits)
    refuse_other_kinds(data)
    return _read_text(data, stem, name.casefold().endswith(".json"), limits)


def field_of(name: str) -> str:
    """Guess which field of the settings a matrix is meant for: "w_q" for W^q; "" if none."""
    last = re.split(r"[./]", name.casefold())[-1]
    return _FIELD_OF.get(re.sub(r"[\W_]", "", last), "")


def _read_archive(data: bytes, limits: Limits) -> Contents:
    with opened(data, limits) as archive:
        kind = kind_of_archive(archive.namelist())
    return read_xlsx(data, limits) if kind == "xlsx" else read_npz(data, limits)


def _read_text(data: bytes, name: str, called_json: bool, limits: Limits) -> Contents:
    text, encoding = decode(data)
    if not text.strip():
        raise InputError("file.empty")
    refuse_markup(text)
    if called_json or is_json(text):
        return read_json(text, name, limits)
    return read_delimited(text, name, encoding, limits)
