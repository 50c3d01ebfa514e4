"""The binary file of a Marian model, version 1: a list of tensors by name, and their numbers.

Matrices may be kept as whole numbers of 8 bits with one multiplier behind them, and are then
turned over, all but the embeddings.
"""

import struct
from pathlib import Path

import numpy as np

_FLOAT32 = 0x0404
_WHOLE8 = 0x4101
_EMBEDDINGS = "Wemb"


def read(file: Path) -> dict[str, np.ndarray]:
    """Read every tensor of numbers, (in, out) as Marian multiplies, by its name there.

    Raises:
        ValueError: if the file is of another version.
    """
    data = file.read_bytes()
    version, count = struct.unpack_from("<QQ", data)
    if version != 1:
        raise ValueError(f"{file.name} must be of version 1, got {version}")
    heads = [struct.unpack_from("<4Q", data, 16 + 32 * place) for place in range(count)]
    place, names, shapes = 16 + 32 * count, [], []
    for length, *_ in heads:
        names.append(data[place : place + length - 1].decode())
        place += length
    for _, _, axes, _ in heads:
        shapes.append(struct.unpack_from(f"<{axes}i", data, place))
        place += 4 * axes
    place += 8 + struct.unpack_from("<Q", data, place)[0]
    tensors = {}
    for name, shape, (_, kind, _, size) in zip(names, shapes, heads, strict=True):
        if kind == _FLOAT32:
            numbers = np.frombuffer(data, "<f4", int(np.prod(shape)), place)
            tensors[name] = numbers.reshape(shape)
        elif kind == _WHOLE8:
            tensors[name] = _whole(data, place, shape, turned=name != _EMBEDDINGS)
        place += size
    return tensors


def _whole(data: bytes, place: int, shape: tuple[int, ...], *, turned: bool) -> np.ndarray:
    count = int(np.prod(shape))
    numbers = np.frombuffer(data, "<i1", count, place)
    (multiplier,) = struct.unpack_from("<f", data, place + count)
    table = numbers.reshape(shape[::-1]).T if turned else numbers.reshape(shape)
    return table.astype(np.float32) / np.float32(multiplier)


def bergamot_weights(found: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Name the tensors as `bergamot.py` does, its matrices (out, in); the start sign is zero."""
    start = np.zeros_like(found[_EMBEDDINGS][:1])
    weights = {
        "embeddings.weight": np.concatenate([found[_EMBEDDINGS], start]),
        "output_bias": found["decoder_ff_logit_out_b"].reshape(-1),
    }
    for stack, attending in (("encoder", "self"), ("decoder", "context")):
        for place in range(layers(found, stack)):
            stem, ours = f"{stack}_l{place + 1}", f"{stack}.{place}"
            of_layer = _attention(found, f"{stem}_{attending}") | _feed_forward(found, stem)
            if stack == "decoder":
                of_layer |= _memory(found, stem)
            weights |= {f"{ours}.{name}": each for name, each in of_layer.items()}
    return weights


def layers(found: dict[str, np.ndarray], stack: str) -> int:
    """Count the layers of the encoder or of the decoder."""
    return sum(name.startswith(f"{stack}_l") and name.endswith("_ffn_W1") for name in found)


def _attention(found: dict[str, np.ndarray], stem: str) -> dict[str, np.ndarray]:
    ours = "self_attn" if stem.endswith("self") else "encoder_attn"
    named = _norm(found, f"{stem}_Wo_ln", f"{ours}_layer_norm")
    for letter, name in (("q", "q_proj"), ("k", "k_proj"), ("v", "v_proj"), ("o", "out_proj")):
        named[f"{ours}.{name}.weight"] = found[f"{stem}_W{letter}"].T
        named[f"{ours}.{name}.bias"] = found[f"{stem}_b{letter}"].reshape(-1)
    return named


def _feed_forward(found: dict[str, np.ndarray], stem: str) -> dict[str, np.ndarray]:
    named = _norm(found, f"{stem}_ffn_ffn_ln", "final_layer_norm")
    for number in (1, 2):
        named[f"fc{number}.weight"] = found[f"{stem}_ffn_W{number}"].T
        named[f"fc{number}.bias"] = found[f"{stem}_ffn_b{number}"].reshape(-1)
    return named


def _memory(found: dict[str, np.ndarray], stem: str) -> dict[str, np.ndarray]:
    return _norm(found, f"{stem}_rnn_ffn_ln", "memory_layer_norm") | {
        "memory.weight": found[f"{stem}_rnn_W"].T,
        "gate.weight": found[f"{stem}_rnn_Wf"].T,
        "gate.bias": found[f"{stem}_rnn_bf"].reshape(-1),
    }


def _norm(found: dict[str, np.ndarray], stem: str, ours: str) -> dict[str, np.ndarray]:
    return {
        f"{ours}.weight": found[f"{stem}_scale"].reshape(-1),
        f"{ours}.bias": found[f"{stem}_bias"].reshape(-1),
    }
