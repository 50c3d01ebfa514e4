"""Captures as bytes and back, without pickle: a line of JSON, then the numbers as they are."""

import json
import struct
from dataclasses import fields
from typing import Any, Protocol, runtime_checkable

import numpy as np

from attnviz.attention.arrays import read_only
from attnviz.models.editing.edits import Edit
from attnviz.models.editing.worth import Worth
from attnviz.models.layers import Layer
from attnviz.models.outputs import OutputMatrix
from attnviz.models.results import Capture, Prediction, Token
from attnviz.models.visible import Bias, Visible
from attnviz.models.written import Step, Written

_LENGTHS = struct.Struct("<IQ")
_CLASSES = (Bias, Capture, Edit, Layer, OutputMatrix, Prediction, Step, Token)
_KINDS = {each.__name__: each for each in (*_CLASSES, Visible, Worth, Written)}
_MOST_HEADER = 2**28

Message = dict[str, Any]


@runtime_checkable
class Sink(Protocol):
    """What bytes can be written to."""

    def write(self, data: bytes | memoryview, /) -> int | None: ...  # noqa: D102
    def flush(self) -> None: ...  # noqa: D102


@runtime_checkable
class Source(Protocol):
    """What bytes can be read from, into memory that is there."""

    def readinto(self, buffer: memoryview, /) -> int | None: ...  # noqa: D102


def write(stream: Sink, message: Message) -> None:
    """Write one message; captures and arrays may stand anywhere in it."""
    arrays: list[np.ndarray] = []
    places: dict[int, int] = {}
    header = json.dumps(_plain(message, arrays, places)).encode()
    stream.write(_LENGTHS.pack(len(header), sum(array.nbytes for array in arrays)))
    stream.write(header)
    for array in arrays:
        stream.write(array.reshape(-1).view(np.uint8).data)
    stream.flush()


def read(stream: Source) -> Message | None:
    """Read one message, None where the other side has closed or broken off.

    Raises:
        ValueError: if what came is no message.
    """
    lengths = _exactly(stream, _LENGTHS.size)
    if lengths is None:
        return None
    header_length, length = _LENGTHS.unpack(lengths)
    if header_length > _MOST_HEADER:
        raise ValueError(f"a message's header must be {_MOST_HEADER} bytes at most")
    header, numbers = _exactly(stream, header_length), _exactly(stream, length)
    if header is None or numbers is None:
        return None
    return _made(json.loads(header), memoryview(numbers), {})


def _exactly(stream: Source, length: int) -> bytearray | None:
    whole = bytearray(length)
    view, filled = memoryview(whole), 0
    while filled < length:
        got = stream.readinto(view[filled:])
        if not got:
            return None
        filled += got
    return whole


def _plain(value: Any, arrays: list[np.ndarray], places: dict[int, int]) -> Any:
    if isinstance(value, np.ndarray):
        return {"array": _placed(value, arrays, places)}
    if type(value).__name__ in _KINDS:
        inside = {
            each.name: _plain(getattr(value, each.name), arrays, places) for each in fields(value)
        }
        return {"kind": type(value).__name__, "is": inside}
    if isinstance(value, dict):
        return {"table": {key: _plain(each, arrays, places) for key, each in value.items()}}
    if isinstance(value, list | tuple):
        return [_plain(each, arrays, places) for each in value]
    if isinstance(value, np.generic):
        return value.item()
    return value


def _placed(array: np.ndarray, arrays: list[np.ndarray], places: dict[int, int]) -> dict[str, Any]:
    """Give an array its place among the numbers: the same array once, however often it is named."""
    kept = np.ascontiguousarray(array)
    if id(array) not in places:
        places[id(array)] = sum(each.nbytes for each in arrays)
        arrays.append(kept)
    return {"dtype": kept.dtype.str, "shape": array.shape, "at": places[id(array)]}


def _made(value: Any, numbers: memoryview, seen: dict[tuple, np.ndarray]) -> Any:
    if isinstance(value, list):
        return tuple(_made(each, numbers, seen) for each in value)
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return _array(value["array"], numbers, seen)
    if "kind" in value:
        inside = {key: _made(each, numbers, seen) for key, each in value["is"].items()}
        return _KINDS[value["kind"]](**inside)
    return {key: _made(each, numbers, seen) for key, each in value["table"].items()}


def _array(
    described: dict[str, Any], numbers: memoryview, seen: dict[tuple, np.ndarray]
) -> np.ndarray:
    start, shape = described["at"], tuple(described["shape"])
    dtype = np.dtype(described["dtype"])
    if dtype.hasobject:
        raise ValueError("an array of a message must hold numbers alone")
    # An empty array stands where the next one begins.
    place = start, dtype.str, shape
    if place not in seen:
        count = int(np.prod(shape, dtype=np.int64))
        made = np.frombuffer(numbers, dtype, count, start) if count else np.zeros(0, dtype)
        seen[place] = read_only(made.reshape(shape))
    return seen[place]
