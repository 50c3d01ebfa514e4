"""A causal model writes, token by token, over the keys and values that it has kept.

Each step computes one query per head: its row is taken from that query and the kept keys, so that
memory grows with n · d, and no table n × n is made.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from attnviz.attention.arrays import read_only
from attnviz.errors import InputError
from attnviz.models.eager import own_weights, weights_alone
from attnviz.models.editing.edits import Edit, check, edits_of
from attnviz.models.layers import Layer
from attnviz.models.model import Model
from attnviz.models.results import Token
from attnviz.models.tokens import Pieces, read_tokens, visible
from attnviz.models.written import MOST_READ, MOST_WRITTEN, Step, Written

CANDIDATES = 8
_CHUNK = 2**22
"""Logits that are looked through at a time."""
_BROKEN = "\ufffd"

Progress = Callable[[str, float], None]


def write(
    model: Model,
    text: str,
    n_tokens: int = 0,
    *,
    seed: int = 0,
    edits: Sequence[Edit | Sequence[str | int]] = (),
    progress: Progress | None = None,
) -> Written:
    """Let a causal model go on with a text, and keep where each head looked at each step.

    With seed 0 the likeliest token is written; with another one the tokens are drawn by their
    probabilities, the same ones for the same seed. `edits` are in force for the text and for every
    token that is written, as in `Model.capture`. `progress` is told "write" and the share done.

    Raises:
        InputError: if the model does not write, text and tokens are more than it can hold, or an
            edit names what the model or the text does not have.
    """
    if model.kind != "causal" or model.tokenizer is None:
        raise InputError("models.no_writer", name=model.name)
    if not 0 <= n_tokens <= MOST_WRITTEN:
        raise InputError("models.too_many_written", n_tokens=n_tokens, most=MOST_WRITTEN)
    inputs, tokens = model._read((text,))
    most = min(MOST_READ + MOST_WRITTEN, model.most_tokens)
    if len(tokens) > MOST_READ or len(tokens) + n_tokens > most:
        raise InputError(
            "models.no_room", n_read=len(tokens), n_tokens=n_tokens, most=min(most, MOST_READ)
        )
    with torch.inference_mode():
        reader = _Reader(model, edits_of(edits))
        return _written(reader, text, inputs, tokens, n_tokens, seed, progress)


def _written(
    reader: "_Reader",
    text: str,
    inputs: dict[str, Any],
    tokens: tuple[Token, ...],
    n_tokens: int,
    seed: int,
    progress: Progress | None,
) -> Written:
    tell = progress or (lambda stage, share: None)
    model, ids = reader.model, [token.id for token in tokens]
    chance = np.random.default_rng(seed) if seed else None
    logits = reader.read(inputs)
    expected, ranks = _expected(logits, ids)
    rows, steps, ends = [reader.rows], [_step(model, logits[-1])], _ends(model)
    while len(steps) <= n_tokens:
        tell("write", (len(steps) - 1) / n_tokens)
        chosen = _chosen(logits[-1], chance)
        steps[-1] = _with(model, steps[-1], logits[-1], chosen)
        ids.append(chosen)
        if chosen in ends:
            break
        logits = reader.read({"input_ids": torch.tensor([[chosen]])})
        rows.append(reader.rows)
        steps.append(_step(model, logits[-1]))
    tell("write", 1.0)
    return Written(
        tokens=_tokens(model, text, tokens, ids[len(tokens) :]),
        n_read=len(tokens),
        steps=tuple(steps),
        rows=_tables(rows),
        expected=expected,
        ranks=ranks,
        model=model.name,
        ended=steps[-1].written is not None,
        seed=seed,
    )


class _Reader:
    """Reads a text, then token after token, and keeps the last row of every head."""

    def __init__(self, model: Model, edits: tuple[Edit, ...]) -> None:
        if edits and model.tier != "exact":
            raise InputError("models.no_ablation", name=model.name)
        self.model, self._edits = model, edits
        self._cache, self._n_read = None, 0
        known = inspect.signature(type(model.network).forward).parameters
        self._name = "cache" if "cache" in known else "past_key_values"
        self.rows: list[np.ndarray] = []

    def read(self, inputs: dict[str, Any]) -> torch.Tensor:
        """Read on; give the logits, a row for each token that was read."""
        model = self.model
        inputs = inputs | {"use_cache": True}
        if self._cache is not None:
            inputs[self._name] = self._cache
        if model.tier == "exact":
            recorder = model._recorder(self._edits, self._n_read)
            with recorder.recording():
                out = model.network(**inputs)
            layers: Sequence[Layer] = recorder.layers
            if not self._n_read:
                check(self._edits, layers)
        else:
            out = model.network(**inputs, output_attentions=True)
            layers = weights_alone(own_weights(out))
        self._cache = getattr(out, self._name, None)
        if self._cache is None:
            raise InputError("models.no_writer", name=model.name)
        self._n_read += inputs["input_ids"].shape[1]
        self.rows = [_last_rows(layer) for layer in layers]
        return out.logits[0]


def _last_rows(layer: Layer) -> np.ndarray:
    last = layer.n_query - 1
    return np.stack([layer.weights(head, rows=last) for head in range(layer.n_heads)])


def _tables(steps: Sequence[Sequence[np.ndarray]]) -> tuple[np.ndarray, ...]:
    """Put the rows of all steps into one table a layer.

    A layer with a window keeps the last keys only: its rows end where the others do.
    """
    first = max(rows.shape[1] for rows in steps[0])
    tables = []
    for layer, shown in enumerate(steps[0]):
        table = np.zeros((len(steps), len(shown), first + len(steps) - 1), dtype=np.float32)
        for number, rows in enumerate(steps):
            end = first + number
            table[number, :, end - rows[layer].shape[1] : end] = rows[layer]
        tables.append(read_only(table))
    return tuple(tables)


def _expected(logits: torch.Tensor, ids: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Give the probability and the rank that each token had before it came, but for the first."""
    n = len(ids) - 1
    shares, ranks = np.zeros(n), np.zeros(n, dtype=np.int64)
    size = max(1, _CHUNK // logits.shape[-1])
    wanted = torch.tensor(ids[1:])[:, None]
    for start in range(0, n, size):
        run = slice(start, min(start + size, n))
        part = logits[run].double()
        own = part.gather(1, wanted[run])
        shares[run] = (own - part.logsumexp(dim=-1, keepdim=True)).exp()[:, 0].numpy()
        ranks[run] = 1 + (part > own).sum(dim=-1).numpy()
    return read_only(shares), read_only(ranks)


def _step(model: Model, logits: torch.Tensor) -> Step:
    numbers = logits.double()
    likely = numbers.topk(min(CANDIDATES, len(numbers)))
    ids = tuple(likely.indices.tolist())
    return Step(
        ids=ids,
        texts=tuple(_label(model.tokenizer, number) for number in ids),
        logits=read_only(likely.values.numpy()),
        log_sum=float(numbers.logsumexp(dim=0)),
    )


def _chosen(logits: torch.Tensor, chance: np.random.Generator | None) -> int:
    if chance is None:
        return int(logits.argmax())
    shares = logits.double().softmax(dim=0).numpy()
    return int(np.searchsorted(shares.cumsum(), chance.random() * shares.sum(), side="right"))


def _with(model: Model, step: Step, logits: torch.Tensor, chosen: int) -> Step:
    text = _label(model.tokenizer, chosen)
    return replace(step, written=chosen, written_logit=float(logits[chosen]), written_text=text)


def _ends(model: Model) -> set[int]:
    """List the signs with which the model ends a text."""
    asked = getattr(getattr(model.network, "generation_config", None), "eos_token_id", None)
    listed = asked if isinstance(asked, list) else [asked]
    return {each for each in (*listed, model.tokenizer.eos_token_id) if each is not None}


def _tokens(
    model: Model, text: str, read: tuple[Token, ...], ids: Sequence[int]
) -> tuple[Token, ...]:
    """Read what was written as the end of the text: tokens, their places and their words."""
    if not ids:
        return read
    tokenizer = model.tokenizer
    special = set(tokenizer.all_special_ids)
    with model._lock:
        written = _decoded(tokenizer, read[-1].id, ids)
        found = tokenizer(
            text, return_special_tokens_mask=True, return_offsets_mapping=model._fast_tokenizer
        )
    before = model._pieces(found, found["input_ids"], ())
    ends = [len(each.rstrip(_BROKEN)) for each in ("", *written)]
    spans = [_span(ends, place, len(text)) for place in range(len(ids))]
    known = model._fast_tokenizer
    whole = Pieces(
        pieces=(*before.pieces, *map(str, tokenizer.convert_ids_to_tokens(list(ids)))),
        ids=(*before.ids, *ids),
        spans=(*before.spans, *(span if known else None for span in spans)),
        special=(*before.special, *(number in special for number in ids)),
        unknown_id=before.unknown_id,
    )
    tokens = read_tokens((text + written[-1],), whole)
    return tuple(
        replace(token, text=_label(tokenizer, token.id))
        if known and token.start is None and not token.special
        else token
        for token in tokens
    )


def _decoded(tokenizer: Any, last: int, ids: Sequence[int]) -> list[str]:
    """Spell what was written, after each token; decoders drop a blank at the very beginning."""
    how = {"skip_special_tokens": True, "clean_up_tokenization_spaces": False}
    base = tokenizer.decode([last], **how)
    spelt = [tokenizer.decode([last, *ids[: n + 1]], **how) for n in range(len(ids))]
    if base and all(each.startswith(base) for each in spelt):
        return [each[len(base) :] for each in spelt]
    return [tokenizer.decode(list(ids[: n + 1]), **how) for n in range(len(ids))]


def _span(ends: Sequence[int], place: int, shift: int) -> tuple[int, int] | None:
    """Give the characters of a token; a part of one has those that the last part completes."""
    start = ends[place]
    end = next((each for each in ends[place + 1 :] if each > start), start)
    return (shift + start, shift + end) if end > start else None


def _label(tokenizer: Any, number: int) -> str:
    """Spell one token of the vocabulary, its blanks visible; a part of a character by its bytes."""
    text = tokenizer.decode([number], clean_up_tokenization_spaces=False)
    if not text:
        return str(tokenizer.convert_ids_to_tokens(number))
    if _BROKEN in text:
        piece = str(tokenizer.convert_ids_to_tokens(number))
        return " ".join(f"{_BYTES[sign]:02X}" if sign in _BYTES else sign for sign in piece)
    return visible(text)


def _bytes_by_sign() -> dict[str, int]:
    """Undo the spelling of bytes in a byte-level vocabulary: those with no sign are moved up."""
    kept = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    moved = [each for each in range(256) if each not in kept]
    signs = {chr(each): each for each in kept}
    return signs | {chr(256 + number): each for number, each in enumerate(moved)}


_BYTES = _bytes_by_sign()
