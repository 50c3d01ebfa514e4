"""Small models written in the formats that the converters read, and a package that holds one."""

import hashlib
import json
import struct
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer, models, pre_tokenizers

from attnviz.models.catalogue import Entry, Part

NO_FIELDS = {"package": "small", "version": "1.0", "licence": "MIT", "source": "a seed"}


def part_of(file: Path, module: str, weights: str) -> dict:
    """Describe a file of a package as the catalogue does."""
    sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
    return {"module": module, "weights": weights, "sha256": sha256, "hashes": ("0" * 64,)}


def entry_of(file: Path, module: str, *, converter: str, kind: str, **more: object) -> Entry:
    """Make the line of a catalogue for a file in a package of its own."""
    fields = NO_FIELDS | part_of(file, module, file.name) | more
    own = {"key": "small", "title": "A small model", "kind": kind, "converter": converter}
    return Entry(**own, **fields, size_mb=1, reads=(), sentences=())


def also_of(file: Path, module: str) -> Part:
    """Make the line of another file that the model needs."""
    own = {"title": "A small model", "package": "pieces", "version": "1.0"}
    return Part(**own, **part_of(file, module, file.name))


def package(folder: Path, name: str, file: str, data: bytes) -> Path:
    """Write a file into a package of its own."""
    (folder / name).mkdir(exist_ok=True)
    path = folder / name / file
    path.write_bytes(data)
    return path


# --- Blocks of 4 bits


def q4_file(seed: int, sizes: dict) -> tuple[bytes, dict[str, np.ndarray]]:
    """Write a BERT encoder in blocks of 4 bits; give the file, and its numbers by its names."""
    rng = np.random.default_rng(seed)
    hidden, inner = sizes["hidden_size"], sizes["intermediate_size"]
    shapes = {"emb.word": (sizes["vocab_size"], hidden)}
    flat = {"emb.pos": (sizes["max_position_embeddings"], hidden), "emb.type": (2, hidden)}
    flat |= {"emb.ln.w": (hidden,), "emb.ln.b": (hidden,)}
    for layer in range(sizes["num_hidden_layers"]):
        wide = {"q": hidden, "k": hidden, "v": hidden, "ao": hidden, "fi": inner, "fo": hidden}
        for name, rows in wide.items():
            shapes[f"l{layer}.{name}.w"] = (rows, inner if name == "fo" else hidden)
            flat[f"l{layer}.{name}.b"] = (rows,)
        for name in ("aln", "oln"):
            flat |= {f"l{layer}.{name}.w": (hidden,), f"l{layer}.{name}.b": (hidden,)}
    numbers, listed, body = {}, [], b""
    for name, shape in shapes.items():
        scales = (rng.random(int(np.prod(shape)) // 32) / 16).astype("<f2")
        whole = rng.integers(0, 16, (len(scales), 32), dtype=np.uint8)
        blocks = b"".join(
            scale.tobytes() + (row[:16] | row[16:] << 4).tobytes()
            for scale, row in zip(scales, whole, strict=True)
        )
        plain = [
            [float(scale) * (int(each) - 8) for each in row]
            for scale, row in zip(scales, whole, strict=True)
        ]
        numbers[name] = np.array(plain).reshape(shape)
        listed.append((name, 1, int(np.prod(shape)), blocks))
    for name, shape in flat.items():
        table = rng.standard_normal(shape).astype("<f2").astype("<f4")
        numbers[name] = table
        listed.append((name, 0, table.size, table.tobytes()))
    order = ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size")
    order += ("vocab_size", "max_position_embeddings")
    head = b"E5S1" + struct.pack("<8i", 1, *(sizes[name] for name in order), 2)
    head += struct.pack("<fi", 1e-12, 32)
    head += struct.pack("<5iQ", 2, 0, 2, 1, 3, 5) + bytes(4 * 3 + 4 * 2) + b"abcde"
    head += struct.pack("<iI", 1, 9) + bytes(9) + struct.pack("<i", len(listed))
    start = len(head) + sum(2 + len(name) + 21 for name, *_ in listed)
    for name, kind, count, data in listed:
        place = start + len(body)
        head += struct.pack("<H", len(name)) + name.encode()
        head += struct.pack("<BIQQ", kind, count, place, len(data))
        body += data
    return head + body, numbers


def words_file(words: list[str]) -> bytes:
    """Write a tokenizer of whole words."""
    made = Tokenizer(models.WordLevel({word: n for n, word in enumerate(words)}, "<unk>"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    return made.to_str().encode()


# --- ONNX


def onnx_file(network: torch.nn.Module) -> bytes:
    """Write a vision model as an exporter does: matrices turned over, without their names."""
    tensors, nodes = [], []
    for number, (name, tensor) in enumerate(network.state_dict().items()):
        path, array = _old_name(name), tensor.numpy()
        if name == "embeddings.position_embeddings":
            tensors += [_tensor("onnx::Concat_1", array[:, :1])]
            tensors += [_tensor("onnx::Reshape_2", array[:, 1:])]
        elif array.ndim == 2:
            matrix = f"onnx::MatMul_{number}"
            tensors.append(_tensor(matrix, array.T))
            layer = "/backbone/" + path.removesuffix(".weight").replace(".", "/")
            nodes.append(_node("MatMul", f"{layer}/MatMul", ["x", matrix]))
        else:
            tensors.append(_tensor(f"backbone.{path}", array))
    tensors.append(_tensor("decoder.final_conv.weight", np.ones((1, 2, 1, 1), np.float32)))
    nodes.append(_node("Add", "/backbone/Add", ["x", "y"]))
    graph = b"".join(_field(1, node) for node in nodes)
    graph += b"".join(_field(5, tensor) for tensor in tensors)
    return b"\x08\x07" + _field(2, b"a test") + _field(7, graph)


def _old_name(name: str) -> str:
    for new, old in (("q", "query"), ("k", "key"), ("v", "value")):
        name = name.replace(f"attention.{new}_proj", f"attention.attention.{old}")
    return name.replace("attention.o_proj", "attention.output.dense")


def _tensor(name: str, array: np.ndarray) -> bytes:
    dims = b"".join(_varint(each) for each in array.shape)
    raw = np.ascontiguousarray(array, "<f4").tobytes()
    return _field(1, dims) + b"\x10\x01" + _field(8, name.encode()) + _field(9, raw)


def _node(op: str, name: str, inputs: list[str]) -> bytes:
    read = b"".join(_field(1, each.encode()) for each in inputs)
    return read + _field(2, b"out") + _field(3, name.encode()) + _field(4, op.encode())


def _field(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    parts = []
    while True:
        value, low = value >> 7, value & 127
        parts.append(low | (128 if value else 0))
        if not value:
            return bytes(parts)


# --- Marian


def marian_tensors(seed: int, *, vocabulary: int, width: int, inner: int) -> dict:
    """Draw a translation model of two layers and one; its numbers are exact in 8 and 16 bits."""
    rng = np.random.default_rng(seed)

    def whole(*shape: int) -> np.ndarray:
        return rng.integers(-64, 64, shape).astype(np.float32) / 64

    def half(count: int) -> np.ndarray:
        return rng.standard_normal((1, count)).astype("<f2").astype(np.float32)

    found = {"Wemb": whole(vocabulary, width), "decoder_ff_logit_out_b": half(vocabulary)}
    for stem, attending in (
        ("encoder_l1", "self"),
        ("encoder_l2", "self"),
        ("decoder_l1", "context"),
    ):
        for letter in "qkvo":
            found[f"{stem}_{attending}_W{letter}"] = whole(width, width)
            found[f"{stem}_{attending}_b{letter}"] = half(width)
        found |= {f"{stem}_{attending}_Wo_ln_{each}": half(width) for each in ("scale", "bias")}
        found |= {f"{stem}_ffn_W1": whole(width, inner), f"{stem}_ffn_b1": half(inner)}
        found |= {f"{stem}_ffn_W2": whole(inner, width), f"{stem}_ffn_b2": half(width)}
        found |= {f"{stem}_ffn_ffn_ln_{each}": half(width) for each in ("scale", "bias")}
    found |= {"decoder_l1_rnn_W": whole(width, width), "decoder_l1_rnn_Wf": whole(width, width)}
    found["decoder_l1_rnn_bf"] = half(width)
    return found | {f"decoder_l1_rnn_ffn_ln_{each}": half(width) for each in ("scale", "bias")}


def marian_file(tensors: dict[str, np.ndarray], version: int = 1) -> bytes:
    """Write tensors as Marian does: matrices as whole numbers, turned over but the embeddings."""
    heads, names, shapes, body = b"", b"", b"", b""
    for name, table in tensors.items():
        if ("_W" in name and "_ln_" not in name) or name == "Wemb":
            turned = table if name == "Wemb" else table.T
            data = np.rint(turned * 64).astype("<i1").tobytes() + struct.pack("<f", 64)
            kind = 0x4101
        else:
            data, kind = table.astype("<f4").tobytes(), 0x0404
        data += bytes(-len(data) % 256)
        written = name.encode() + b"\0"
        heads += struct.pack("<4Q", len(written), kind, table.ndim, len(data))
        names, shapes = names + written, shapes + struct.pack(f"<{table.ndim}i", *table.shape)
        body += data
    text = b"version: v1\n"
    heads += struct.pack("<4Q", 18, 0x0101, 1, len(text))
    names, shapes = names + b"special:model.yml\0", shapes + struct.pack("<i", len(text))
    head = struct.pack("<QQ", version, len(tensors) + 1) + heads + names + shapes
    gap = -(len(head) + 8) % 256
    return head + struct.pack("<Q", gap) + bytes(gap) + body + text


def unigram_file(words: list[str]) -> bytes:
    """Write a tokenizer as a translation model brings it: the end, the unknown, then pieces."""
    vocabulary = [
        ("</s>", 0.0),
        ("<unk>", 0.0),
        *((word, -1.0 - n) for n, word in enumerate(words)),
    ]
    made = Tokenizer(models.Unigram(vocabulary, unk_id=1))
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    return json.dumps(json.loads(made.to_str())).encode()
