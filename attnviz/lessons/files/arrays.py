"""numpy's own files: one array in an NPY, several by name in an NPZ. No pickle is ever opened."""

import math
import re
import zipfile
from dataclasses import dataclass
from functools import partial

import numpy as np

from attnviz.errors import InputError
from attnviz.lessons.files.archives import opened
from attnviz.lessons.files.found import (
    TOKEN_NAMES,
    Contents,
    Limits,
    Matrix,
    check_axes,
    gather,
    label,
    matrix_of_array,
    others,
)

MAGIC = b"\x93NUMPY"

_LENGTHS = {1: 2, 2: 4, 3: 4}  # of the field that states how long the header is, by version
_LONGEST_HEADER = 10_000
_DTYPE = re.compile(r"'descr':\s*('[^']*'|\[)")
_FORTRAN = re.compile(r"'fortran_order':\s*(True|False)")
_SHAPE = re.compile(r"'shape':\s*\(([\d\sL,]{0,200})\)")
_NUMBERS = re.compile(r"[<>|=]?(?:b1|[iu][1248]|f(?:2|4|8|12|16))")
_TEXTS = re.compile(r"[<>|=]?U(\d{1,6})")


@dataclass(frozen=True)
class _Header:
    """What an NPY file says of its array; `start` is where its numbers begin."""

    dtype: str
    in_columns: bool
    shape: tuple[int, ...]
    start: int


def read_npy(data: bytes, name: str, limits: Limits) -> Contents:
    """Read the one array of an NPY file.

    Raises:
        InputError: if it is damaged, too large or no matrix of numbers.
    """
    return Contents("npy", (_matrix(data, name, limits),))


def read_npz(data: bytes, limits: Limits) -> Contents:
    """Read the arrays of an NPZ file; an array of texts called tokens holds the tokens.

    Raises:
        InputError: if it is damaged or too large, or if none of its arrays is a matrix.
    """
    with opened(data, limits) as archive:
        names = [part for part in archive.namelist() if part.endswith(".npy")]
        rest = [part for part in archive.namelist() if not part.endswith(".npy")]
        named = [part for part in names if _key(part).casefold() in TOKEN_NAMES]
        words = {part: _tokens(archive.read(part), limits) for part in named}
        tokens = next(filter(None, words.values()), ())
        tables = [part for part in names if not words.get(part)]
        matrices, left_out = gather(
            ((_key(part), partial(_part, archive, part, limits)) for part in tables), limits
        )
    return Contents("npz", matrices, tokens, left_out, tuple(others(rest)))


def _key(part: str) -> str:
    return label(part.removesuffix(".npy"))


def _part(archive: zipfile.ZipFile, part: str, limits: Limits) -> Matrix:
    return _matrix(archive.read(part), _key(part), limits)


def _matrix(data: bytes, name: str, limits: Limits) -> Matrix:
    header = _header(data)
    if not _NUMBERS.fullmatch(header.dtype):
        raise InputError(_why_not(header.dtype))
    check_axes(header.shape, limits)
    return matrix_of_array(_array(data, header), name, limits)


def _tokens(data: bytes, limits: Limits) -> tuple[str, ...]:
    """Read a list of texts, () where it is none."""
    header = _header(data)
    if len(header.shape) != 1 or header.shape[0] > limits.rows or not _is_texts(header.dtype):
        return ()
    return tuple(map(label, _array(data, header).tolist()))


def _is_texts(dtype: str) -> bool:
    return _TEXTS.fullmatch(dtype) is not None


def _array(data: bytes, header: _Header) -> np.ndarray:
    """Give the numbers where they lie, none copied."""
    try:
        dtype = np.dtype(header.dtype)
    except TypeError as error:  # a long double of another machine
        raise InputError("file.number_type", got=header.dtype) from error
    size = math.prod(header.shape)
    if len(data) - header.start < size * dtype.itemsize:
        raise InputError("file.damaged")
    flat = np.frombuffer(data, dtype, size, header.start)
    return flat.reshape(header.shape, order="F" if header.in_columns else "C")


def _header(data: bytes) -> _Header:
    """Read the header as numpy writes it, without evaluating it.

    Source: the NPY format, versions 1.0 to 3.0, numpy.lib.format.
    """
    n_length = _LENGTHS.get(data[6], 0) if data.startswith(MAGIC) and len(data) > 12 else 0
    start = 8 + n_length
    length = int.from_bytes(data[8:start], "little")
    if not n_length or length > _LONGEST_HEADER or start + length > len(data):
        raise InputError("file.damaged")
    text = data[start : start + length].decode("utf-8", "replace")
    dtype, order, shape = _DTYPE.search(text), _FORTRAN.search(text), _SHAPE.search(text)
    if not (dtype and order and shape):
        raise InputError("file.damaged")
    sizes = tuple(int(size) for size in re.findall(r"\d{1,18}", shape[1]))
    return _Header(dtype[1].strip("'"), order[1] == "True", sizes, start + length)


def _why_not(dtype: str) -> str:
    letter = dtype.lstrip("<>|=")[:1]
    if letter == "O":
        return "file.pickled"
    if letter == "c":
        return "file.complex"
    if letter in ("U", "S"):
        return "file.text_array"
    return "file.structured"
