"""The weights of an ONNX file by the paths of their modules, read without any other package.

Only what is needed is read of the file: its nodes and its constant tensors of float32. Exporters
store the matrix of a linear layer turned over and without a name; the node that multiplies by it
still has the path of the layer.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

_GRAPH = 7  # numbers of fields in onnx.proto
_NODE, _TENSOR = 1, 5
_INPUT, _NAME, _OP = 1, 3, 4
_DIMS, _TYPE, _TENSOR_NAME, _RAW = 1, 2, 8, 9
_FLOAT32 = 1


def read(file: Path) -> dict[str, np.ndarray]:
    """Read the float32 tensors of an ONNX file; the matrix of a layer is (out, in) as in torch.

    Raises:
        ValueError: if the file ends too early, or is none of this format.
    """
    data = memoryview(file.read_bytes())
    graph = next((value for field, value in _fields(data) if field == _GRAPH), None)
    if not isinstance(graph, memoryview):
        raise ValueError(f"{file.name} must hold a graph, got none")
    tensors, multiplied = {}, {}
    for field, value in _fields(graph):
        if field == _TENSOR and isinstance(value, memoryview):
            name, array = _tensor(value)
            if array is not None:
                tensors[name] = array
        elif field == _NODE and isinstance(value, memoryview):
            multiplied |= _matrix_of(value)
    for matrix, path in multiplied.items():
        if matrix in tensors:
            tensors[f"{path}.weight"] = tensors.pop(matrix).T
    return tensors


def _matrix_of(node: memoryview) -> dict[str, str]:
    """Give {name of the matrix: path of the layer} of a node that multiplies by one."""
    fields = [(field, value) for field, value in _fields(node) if isinstance(value, memoryview)]
    inputs = [bytes(value).decode() for field, value in fields if field == _INPUT]
    texts = {field: bytes(value).decode() for field, value in fields if field in (_NAME, _OP)}
    if texts.get(_OP) != "MatMul":
        return {}
    path = texts.get(_NAME, "").removesuffix("/MatMul").strip("/").replace("/", ".")
    return {inputs[-1]: path}


def _tensor(data: memoryview) -> tuple[str, np.ndarray | None]:
    shape, name, kind, raw = [], "", 0, b""
    for field, value in _fields(data):
        if field == _DIMS:
            shape += [value] if isinstance(value, int) else list(_whole_numbers(value))
        elif field == _TYPE:
            kind = value
        elif field == _TENSOR_NAME and isinstance(value, memoryview):
            name = bytes(value).decode()
        elif field == _RAW and isinstance(value, memoryview):
            raw = value
    if kind != _FLOAT32 or not len(raw):
        return name, None
    return name, np.frombuffer(raw, "<f4").reshape(shape)


def _fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Walk over one message: (number of the field, number or bytes)."""
    place = 0
    while place < len(data):
        key, place = _whole_number(data, place)
        field, wire = key >> 3, key & 7
        if wire == 0:
            value, place = _whole_number(data, place)
            yield field, value
            continue
        if wire not in (1, 2, 5):
            raise ValueError(f"a field must be of wire type 0, 1, 2 or 5, got {wire}")
        size, place = _whole_number(data, place) if wire == 2 else ({1: 8, 5: 4}[wire], place)
        if place + size > len(data):
            raise ValueError(f"the file must go on for {place + size} bytes, got {len(data)}")
        yield field, data[place : place + size]
        place += size


def _whole_numbers(data: memoryview) -> Iterator[int]:
    place = 0
    while place < len(data):
        value, place = _whole_number(data, place)
        yield value


def _whole_number(data: memoryview, place: int) -> tuple[int, int]:
    """Read a number in groups of 7 bits, the lowest first; give it and the place after it."""
    value, shift = 0, 0
    while place < len(data):
        byte = data[place]
        value, shift, place = value | (byte & 127) << shift, shift + 7, place + 1
        if byte < 128:
            return value, place
    raise ValueError("the file must go on, it ends within a number")
