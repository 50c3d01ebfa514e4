"""A loaded model, and what it captures of a text or a picture."""

import inspect
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from attnviz.errors import InputError
from attnviz.models.eager import farthest, own_weights, rounding, weights_alone
from attnviz.models.editing.edits import Edit, check, edits_of, silenced
from attnviz.models.hooked import KNOWN, Catcher
from attnviz.models.layers import Layer
from attnviz.models.pictures import Eye
from attnviz.models.rebuilt import difference, layers_with, tier_of
from attnviz.models.recorder import Recorder, numbers
from attnviz.models.results import Capture, Prediction, Token
from attnviz.models.tokens import Pieces, patches, read_tokens

MOST_TOKENS = 32_768
MOST_WITH_WEIGHTS = 512
"""Tokens for a model of which only the weights of all heads at once can be had."""
WRITTEN = 48
"""Tokens that a model of two stacks writes where no target text is given."""
GUESSES = 5
MOST_VECTORS = 2**23
"""Numbers of the vectors between the layers that are kept; beyond, none are."""
_SEAM = 2
"""Tokens left free in a part of a text: at its ends words may be cut into more pieces."""
EXAMPLE = "A model is read."


@dataclass(eq=False, kw_only=True)
class Model:
    """A transformers model with its tokenizer, shared by everyone who asks.

    `tier` is "exact" where queries and keys can be had and their weights are those of the model's
    own eager attention, to `difference` at most; "hooked" where they are caught by hooks beside
    the model's own weights, "values" where these are not their softmax; "weights" where only
    weights can be had.
    `rounding` is what float32 loses of the largest score of that comparison.
    """

    name: str
    kind: str
    network: Any
    tokenizer: Any = None
    eye: Eye | None = None
    tier: str = "exact"
    difference: float | None = None
    rounding: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._names = {id(module): name for name, module in self.network.named_modules()}

    @property
    def most_tokens(self) -> int:
        """How many tokens the model can read at once."""
        asked = getattr(self.network.config, "max_position_embeddings", None)
        known = getattr(self.tokenizer, "model_max_length", None)
        own = MOST_TOKENS if self.tier == "exact" else MOST_WITH_WEIGHTS
        return min(each for each in (asked, known, own) if isinstance(each, int) and each > 0)

    def capture(
        self,
        text: "str | np.ndarray",
        text_pair: str | None = None,
        target: str | None = None,
        ablate: Sequence[tuple[int, int]] = (),
        window: int | None = None,
        edits: Sequence[Edit | Sequence[str | int]] = (),
    ) -> Capture:
        """Run the model once and keep what every attention layer computed from.

        `target` is what a model of two stacks is to have written; without it the model writes.
        `edits` are changes made while it reads, as `edits.py` describes them: ("off", layer, head),
        ("even", layer, head), ("cut", layer, head, query, key), ("mask", token). `ablate` lists
        the (layer, head) whose output is replaced by zeros, as ("off", layer, head). A vision model
        takes a picture (row, column, 3) instead of a text. `window` says which part of a text that
        is too long is read, counted from 0 and the last one where there are fewer; None refuses it.

        Raises:
            InputError: if the model cannot read it, or has no such layer, head, token or edge.
        """
        stretch = None
        if window is not None and isinstance(text, str) and text_pair is None:
            text, stretch = self._part(text, window)
        made = edits_of([*(("off", *pair) for pair in ablate), *edits])
        given = self._given(text, text_pair, target)
        with torch.inference_mode():
            layers, out = self._run(given.inputs, made)
        check(made, layers)
        tokens = given.tokens
        if self.eye is not None:
            tokens = patches(*self.eye.grid, layers[0].n_query)
        self._check_sizes(layers, {len(tokens), len(given.target_tokens)})
        return Capture(
            tokens=tokens,
            target_tokens=given.target_tokens,
            texts=given.texts,
            layers=layers,
            model=self.name,
            kind=self.kind,
            tier=tier_of(layers) if self.tier in ("hooked", "values") else self.tier,
            ablated=silenced(made),
            edits=made,
            predictions=self._predictions(out),
            likelihoods=self._likelihoods(out),
            vectors=_vectors(out),
            grid=None if self.eye is None else self.eye.grid,
            picture=given.picture,
            hidden=_hidden(out),
            stretch=stretch,
        )

    def check(self) -> float:
        """Compare every head on a short input with the model's own eager attention.

        The largest difference of a weight is kept in `difference`; where it is more than rounding,
        or nothing was recorded, only the model's own weights are shown from then on.
        """
        given = self._given(self._example(), None, EXAMPLE)
        implementation = self.network.config._attn_implementation
        with torch.inference_mode():
            self.network.set_attn_implementation("eager")
            own = own_weights(self.network(**given.inputs, output_attentions=True))
            self.network.set_attn_implementation(implementation)
            recorder = self._recorder(())
            with recorder.recording():
                self.network(**self._without_cache(given.inputs))
        self.difference = farthest(recorder.layers, own)
        self.rounding = rounding(recorder.layers)
        return self.difference

    def fall_back(self) -> None:
        """Show the model's own weights from now on, and what hooks catch beside them."""
        self.network.set_attn_implementation("eager")
        self.tier, self.difference = "hooked", None
        given = self._given(self._example(), None, EXAMPLE)
        try:
            with torch.inference_mode():
                layers, _ = self._caught(given.inputs)
        except InputError:  # no weights either, which is said where they are asked for
            layers = ()
        self.tier = tier_of(layers) if layers else "weights"
        self.difference = difference(layers) if self.tier == "hooked" else None

    @property
    def _two_stacks(self) -> bool:
        return self.kind == "encoder_decoder"

    def _example(self) -> "str | np.ndarray":
        if self.eye is not None:
            return np.linspace(0, 1, 32 * 32 * 3).reshape(32, 32, 3)
        return EXAMPLE

    def _recorder(self, edits: Sequence[Edit], n_before: int | None = None) -> Recorder:
        how = {"edits": edits, "n_before": n_before}
        return Recorder(self._names, two_stacks=self._two_stacks, **how)

    def _run(self, inputs: dict[str, Any], edits: Sequence[Edit]) -> tuple[tuple[Layer, ...], Any]:
        if self.tier != "exact" and edits:
            raise InputError("models.no_ablation", name=self.name)
        if self.tier == "weights":
            out = self.network(**inputs, output_attentions=True)
            return tuple(weights_alone(own_weights(out))), out
        if self.tier != "exact":
            return self._caught(inputs)
        recorder = self._recorder(edits)
        with recorder.recording():
            out = self.network(**self._without_cache(inputs), **self._with_vectors(inputs))
        if not recorder.layers:
            raise InputError("models.nothing_recorded", name=self.name)
        return tuple(recorder.layers), out

    def _caught(self, inputs: dict[str, Any]) -> tuple[tuple[Layer, ...], Any]:
        """Run the model for its own weights, and catch what they were computed from."""
        asked = self._without_cache(inputs) | self._with_vectors(inputs)
        with Catcher(self.network, KNOWN.get()).catching() as catcher:
            out = self.network(**asked, output_attentions=True)
        kind_of = self._recorder(())._kind
        return tuple(layers_with(own_weights(out), catcher.calls, kind_of)), out

    def _check_sizes(self, layers: Sequence[Layer], counts: set[int]) -> None:
        """Refuse layers that do not let tokens ask tokens, such as those of blocks or windows."""
        for layer in layers:
            if not {layer.n_query, layer.n_key} <= counts:
                got = f"{layer.n_query} × {layer.n_key}"
                raise InputError("models.other_tables", name=self.name, layer=layer.name, got=got)

    def _without_cache(self, inputs: dict[str, Any]) -> dict[str, Any]:
        known = inspect.signature(type(self.network).forward).parameters
        wanted = {"use_cache": False, "logits_to_keep": 1}
        return inputs | {name: value for name, value in wanted.items() if name in known}

    def _with_vectors(self, inputs: dict[str, Any]) -> dict[str, bool]:
        """Ask for the vectors between the layers, unless they would be too many."""
        config, ids = self.network.config, inputs.get("decoder_input_ids", inputs.get("input_ids"))
        n_tokens = 0 if ids is None else ids.shape[1]
        wide = getattr(config, "hidden_size", 0) or 0
        deep = getattr(config, "num_hidden_layers", 0) or 0
        return {"output_hidden_states": n_tokens * wide * (deep + 1) <= MOST_VECTORS}

    def _given(
        self, text: "str | np.ndarray", text_pair: str | None, target: str | None
    ) -> "_Given":
        if self.eye is not None:
            if isinstance(text, str):
                raise InputError("models.needs_picture", name=self.name)
            pixels = self.eye.see(text)
            return _Given({"pixel_values": pixels}, (), picture=self.eye.seen(text))
        if not isinstance(text, str):
            raise InputError("models.needs_text", name=self.name)
        texts = (text, *(() if text_pair is None else (text_pair,)))
        inputs, tokens = self._read(texts)
        if not self._two_stacks:
            return _Given(inputs, tokens, texts=texts)
        ids, target_tokens = self._target(inputs, target)
        return _Given(inputs | {"decoder_input_ids": ids}, tokens, target_tokens, texts)

    def _read(self, texts: tuple[str, ...]) -> tuple[dict[str, Any], tuple[Token, ...]]:
        with self._lock:
            found = self.tokenizer(
                *texts, return_special_tokens_mask=True, return_offsets_mapping=self._fast_tokenizer
            )
        ids = found["input_ids"]
        if not ids or not texts[0].strip():
            raise InputError("models.no_tokens")
        if len(ids) > self.most_tokens:
            parted = self._fast_tokenizer and len(texts) == 1
            code = "models.too_long" if parted else "models.too_long_whole"
            raise InputError(code, n_tokens=len(ids), most=self.most_tokens)
        inputs = {"input_ids": torch.tensor([ids])}
        if "token_type_ids" in found:
            inputs["token_type_ids"] = torch.tensor([found["token_type_ids"]])
        segments = _segments(found, len(ids)) if len(texts) > 1 else ()
        return inputs, read_tokens(texts, self._pieces(found, ids, segments))

    def _part(self, text: str, window: int) -> tuple[str, tuple[int, int, int] | None]:
        """Give one part of a text that is too long, and which of its tokens those are."""
        if not self._fast_tokenizer:
            return text, None
        with self._lock:
            spans = self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)[
                "offset_mapping"
            ]
        most = self.most_tokens - self.tokenizer.num_special_tokens_to_add(pair=False)
        if len(spans) <= most:
            return text, None
        size, whole = max(1, most - _SEAM), self._first_part(text, spans, most)
        part = min(window, -((whole - len(spans)) // size))
        first = whole + size * (part - 1) if part else 0
        last = min(first + size if part else whole, len(spans)) - 1
        return text[spans[first][0] : spans[last][1]], (first + 1, last + 1, len(spans))

    def _first_part(self, text: str, spans: list[tuple[int, int]], most: int) -> int:
        """Count the tokens that a text can be cut after, so that what is left has no more."""
        for count in range(most, max(1, most - _SEAM), -1):
            with self._lock:
                ids = self.tokenizer(text[: spans[count - 1][1]], add_special_tokens=False)
            if len(ids["input_ids"]) <= most:
                return count
        return max(1, most - _SEAM)

    def _pieces(self, found: Any, ids: list[int], segments: tuple[int, ...]) -> Pieces:
        spans = found["offset_mapping"] if self._fast_tokenizer else [None] * len(ids)
        return Pieces(
            pieces=tuple(map(str, self.tokenizer.convert_ids_to_tokens(ids))),
            ids=tuple(ids),
            spans=tuple(None if span is None else (span[0], span[1]) for span in spans),
            special=tuple(bool(each) for each in found["special_tokens_mask"]),
            segments=segments,
            unknown_id=self.tokenizer.unk_token_id,
        )

    @property
    def _fast_tokenizer(self) -> bool:
        return bool(getattr(self.tokenizer, "is_fast", False))

    def _target(
        self, inputs: dict[str, Any], target: str | None
    ) -> tuple[torch.Tensor, tuple[Token, ...]]:
        """Give what the decoder reads: its start sign, then the target without its last sign."""
        config = self.network.config
        start = config.decoder_start_token_id
        if target is None:
            with torch.inference_mode():
                ids = self.network.generate(
                    inputs["input_ids"], max_new_tokens=WRITTEN, do_sample=False, num_beams=1
                )[0].tolist()
            ids = ids[:-1] if len(ids) > 1 and ids[-1] == self.tokenizer.eos_token_id else ids
            target = self.tokenizer.decode(ids, skip_special_tokens=True)
        with self._lock:
            found = self.tokenizer(
                text_target=target,
                return_special_tokens_mask=True,
                return_offsets_mapping=self._fast_tokenizer,
            )
        own = self._pieces(found, found["input_ids"], ())
        kept = [place for place, special in enumerate(own.special) if not special]
        ids = [start, *(own.ids[place] for place in kept)]
        if len(ids) > self.most_tokens:
            raise InputError("models.too_long_whole", n_tokens=len(ids), most=self.most_tokens)
        read = Pieces(
            pieces=tuple(map(str, self.tokenizer.convert_ids_to_tokens(ids))),
            ids=tuple(ids),
            spans=(None, *(own.spans[place] for place in kept)),
            special=(True, *(False for _ in kept)),
            unknown_id=own.unknown_id,
        )
        return torch.tensor([ids]), read_tokens((str(target),), read)

    def _likelihoods(self, out: Any) -> np.ndarray | None:
        logits = getattr(out, "logits", None)
        if logits is None or logits.ndim != 3 or self.tokenizer is None or self.kind == "encoder":
            return None
        return numbers(logits[0, -1].float().softmax(dim=-1))

    def _predictions(self, out: Any) -> tuple[Prediction, ...]:
        logits = getattr(out, "logits", None)
        if logits is None or self.tokenizer is None or self.kind == "encoder":
            return ()
        likely = logits[0, -1].float().softmax(dim=-1).topk(min(GUESSES, logits.shape[-1]))
        return tuple(
            Prediction(self.tokenizer.decode([int(number)]), float(share), int(number))
            for number, share in zip(likely.indices, likely.values, strict=True)
        )


@dataclass(frozen=True)
class _Given:
    inputs: dict[str, Any]
    tokens: tuple[Token, ...]
    target_tokens: tuple[Token, ...] = ()
    texts: tuple[str, ...] = ()
    picture: np.ndarray | None = None


def _segments(found: Any, count: int) -> tuple[int, ...]:
    numbered = [found.sequence_ids(0)[place] for place in range(count)] if found.is_fast else []
    segments, last = [], 0
    for number in numbered or [0] * count:
        last = last if number is None else number
        segments.append(last)
    return tuple(segments)


def _hidden(out: Any) -> np.ndarray | None:
    hidden = getattr(out, "last_hidden_state", None)
    return None if hidden is None or hidden.ndim != 3 else numbers(hidden[0])


def _vectors(out: Any) -> tuple[np.ndarray, ...]:
    """Give the vectors between the layers, those of the decoder where there are two stacks."""
    own = getattr(out, "decoder_hidden_states", None) or getattr(out, "hidden_states", None)
    return tuple(numbers(each[0]) for each in own or () if each.ndim == 3)
