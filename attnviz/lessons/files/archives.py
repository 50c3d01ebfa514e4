"""ZIP archives, which XLSX and NPZ files are, opened so that none can unfold without end.

The directory states how large each part becomes; the sum is bounded before anything is inflated,
and no part is inflated beyond what it states.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from attnviz.errors import InputError
from attnviz.lessons.files.found import Limits

# What a damaged or forged archive makes zipfile raise.
DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    KeyError,
    NotImplementedError,
    OSError,
    OverflowError,
    ValueError,
)
_METHODS = {
    zipfile.ZIP_STORED,
    zipfile.ZIP_DEFLATED,
}  # the others cannot be stopped while inflating
_ENCRYPTED = 0x1
_MOST_PARTS = 2_000


@contextmanager
def opened(data: bytes, limits: Limits) -> Iterator[zipfile.ZipFile]:
    """Open an archive whose parts together stay within the limits.

    Raises:
        InputError: if it is damaged, locked or too large, also while its parts are being read.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _check(archive.infolist(), limits)
            yield archive
    except DAMAGED as error:
        raise InputError("file.damaged") from error


def _check(parts: list[zipfile.ZipInfo], limits: Limits) -> None:
    if len(parts) > _MOST_PARTS:
        raise InputError("file.too_many_parts", most=f"{_MOST_PARTS:,}")
    n_bytes = sum(part.file_size for part in parts)
    if n_bytes > limits.n_bytes_inside:
        raise InputError(
            "file.too_large_inside", got=megabytes(n_bytes), most=megabytes(limits.n_bytes_inside)
        )
    if any(part.flag_bits & _ENCRYPTED for part in parts):
        raise InputError("file.locked")
    if any(part.compress_type not in _METHODS for part in parts):
        raise InputError("file.damaged")


def megabytes(n_bytes: int) -> str:
    """Write a size in MB (of 2^20 bytes), large enough to differ from what it exceeds."""
    return f"{n_bytes / 2**20:,.1f}".removesuffix(".0")
