"""The package's own model at a moment of its training, run in numpy: small enough to do at once.

Its layers are attention alone, with rotary positions, each before it with its root mean square 1.
"""

import json
import random
import string
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Float, Int
from safetensors.numpy import load_file

from attnviz.attention.arrays import read_only
from attnviz.errors import InputError
from attnviz.models.induction.film import FOLDER, FRAMES, moments
from attnviz.models.repeats import Copies, copies

_FROZEN = "mlp"  # these layers stay zero


@dataclass(frozen=True, eq=False)
class Replay:
    """What the model does with a text at a moment: who looks where, and what it expects.

    `expected` is how likely each token but the first was held before it came, `right` whether it
    was held the likeliest.
    """

    step: int
    signs: tuple[str, ...]
    ids: Int[np.ndarray, " token"]
    weights: Float[np.ndarray, "layer head query key"]
    expected: Float[np.ndarray, " token-1"]
    right: Bool[np.ndarray, " token-1"]

    @property
    def copies(self) -> Copies | None:
        """The stretch that comes twice, None where none does."""
        return copies(self.ids.tolist())


def replay(step: int, text: str) -> Replay:
    """Let the model read a text as it was after so many steps.

    Raises:
        InputError: if the text is too short or too long, or no such moment was kept.
    """
    ids = read(text)
    numbers = {name: array.astype(np.float64) for name, array in _frame(step).items()}
    x = numbers["model.embed_tokens.weight"][ids]
    weights = []
    for layer in range(_config()["num_hidden_layers"]):
        own = f"model.layers.{layer}."
        normed = _normed(x, numbers[f"{own}input_layernorm.weight"])
        query, key, value = (
            _heads(normed @ numbers[f"{own}self_attn.{name}_proj.weight"].T) for name in "qkv"
        )
        weights.append(_weights(_turned(query), _turned(key)))
        joined = (weights[-1] @ value).swapaxes(0, 1).reshape(x.shape)
        x = x + joined @ numbers[f"{own}self_attn.o_proj.weight"].T
    logits = _normed(x, numbers["model.norm.weight"])[:-1] @ numbers["lm_head.weight"].T
    shares = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    return Replay(
        step=step,
        signs=tuple(text),
        ids=ids,
        weights=read_only(np.stack(weights)),
        expected=read_only(shares[np.arange(len(ids) - 1), ids[1:]]),
        right=read_only(shares.argmax(axis=-1) == ids[1:]),
    )


def read(text: str) -> Int[np.ndarray, " token"]:
    """Give the numbers of the signs of a text; signs that the model does not know share one.

    Raises:
        InputError: if there are fewer than two signs, or more than the model may read.
    """
    most = _config()["max_position_embeddings"]
    if not 2 <= len(text) <= most:
        raise InputError("film.length", got=len(text), most=most)
    known = _vocabulary()
    return np.array([known.get(sign, known["[UNK]"]) for sign in text.lower()])


def signs_twice(seed: int) -> str:
    """Draw eight different letters and write them twice."""
    return "".join(random.Random(seed).sample(string.ascii_lowercase, 8)) * 2


@cache
def _config() -> dict:
    return json.loads((FOLDER / "config.json").read_text("utf-8"))


@cache
def _vocabulary() -> dict[str, int]:
    return json.loads((FOLDER / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]


@cache
def _frame(step: int) -> dict[str, np.ndarray]:
    """Read the weights of a moment.

    Raises:
        InputError: if none of that moment were kept.
    """
    kept = [moment.step for moment in moments()]
    if step not in kept:
        raise InputError("film.step", got=step, known=", ".join(map(str, kept)))
    if step == kept[-1]:
        return _plain(load_file(FOLDER / "model.safetensors"))
    own = f"{step}/"
    frames = _frames(FRAMES)
    return {name.removeprefix(own): frames[name] for name in frames if name.startswith(own)}


@cache
def _frames(file: Path) -> dict[str, np.ndarray]:
    return load_file(file)


def _plain(weights: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: array for name, array in weights.items() if _FROZEN not in name}


def _normed(
    x: Float[np.ndarray, "token d"], scale: Float[np.ndarray, " d"]
) -> Float[np.ndarray, "token d"]:
    mean = (x * x).mean(axis=-1, keepdims=True)
    return x / np.sqrt(mean + _config()["rms_norm_eps"]) * scale


def _heads(x: Float[np.ndarray, "token d"]) -> Float[np.ndarray, "head token d_head"]:
    return x.reshape(len(x), _config()["num_attention_heads"], -1).swapaxes(0, 1)


def _turned(x: Float[np.ndarray, "head token d_head"]) -> Float[np.ndarray, "head token d_head"]:
    """Turn each vector by its place: number i together with number i + d / 2."""
    half = x.shape[-1] // 2
    base = _config()["rope_parameters"]["rope_theta"]
    angles = np.arange(x.shape[1])[:, None] * base ** (-np.arange(half) / half)
    first, second = x[..., :half], x[..., half:]
    turned = (first * np.cos(angles) - second * np.sin(angles),)
    return np.concatenate([*turned, second * np.cos(angles) + first * np.sin(angles)], axis=-1)


def _weights(
    query: Float[np.ndarray, "head token d_head"], key: Float[np.ndarray, "head token d_head"]
) -> Float[np.ndarray, "head token token"]:
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])
    later = np.triu(np.ones(scores.shape[-2:], dtype=bool), 1)
    scores = np.where(later, -np.inf, scores)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)
