"""A record as NPZ, numpy's own file of named arrays, and back. Nothing is pickled."""

import io
import json
import zipfile
import zlib

import numpy as np

from attnviz.attention.arrays import read_only
from attnviz.attention.trace import Step
from attnviz.errors import InputError
from attnviz.exports.documents import check_size, described, description, head_of
from attnviz.exports.records import Record

METADATA = "metadata"
"""The array that holds, as the bytes of a JSON text, all that is not an array."""

_WRONG = (
    *(ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError),
    *(OSError, EOFError, NotImplementedError, zipfile.BadZipFile, zlib.error),
)


def to_npz(record: Record) -> bytes:
    """Write every array under its name, and the rest as JSON in the array `metadata`."""
    document = description(record) | {"steps": [head_of(step) for step in record.arrays]}
    text = json.dumps(document, ensure_ascii=False).encode()
    file = io.BytesIO()
    arrays = {step.name: step.array for step in record.arrays}
    np.savez(file, allow_pickle=False, **arrays, **{METADATA: np.frombuffer(text, np.uint8)})
    return file.getvalue()


def read_npz(data: bytes) -> Record:
    """Read back what `to_npz` wrote: arrays, tokens and settings are the same.

    Raises:
        InputError: if it is something else, damaged, or larger than any record once unpacked.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            check_size(sum(entry.file_size for entry in packed.infolist()))
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            document = json.loads(arrays[METADATA].tobytes())
            steps = tuple(
                Step(step["name"], read_only(arrays[step["name"]]), tuple(step["axes"]))
                for step in document["steps"]
            )
        return described(document, steps)
    except _WRONG as wrong:
        raise InputError("export.unreadable") from wrong
