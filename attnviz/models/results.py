"""What was captured of a model: its tokens and its layers. Numpy alone, and nothing can change."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, UInt8

from attnviz.attention import HeadChoices, HeadTrace, attend
from attnviz.models.editing.edits import Edit
from attnviz.models.layers import Layer, Rows
from attnviz.models.overview import Overview, RowCheck, overview, row_check

TIERS = ("exact", "hooked", "values", "weights", "given")
"""exact: queries, keys and values; hooked: the same, caught by hooks, beside the model's own
weights; values: its own weights, and values caught by hooks; weights: its own weights; given:
another program's."""


@dataclass(frozen=True, kw_only=True)
class Token:
    """One piece of a text as it is read, and where it came from.

    text: what stands in the text there, blanks made visible. piece, id: the tokenizer's own.
    start, end: its characters in the text number `segment`, None where it stands for none.
    word: number of the word it belongs to. part: (k, n) where n pieces make one character.
    """

    text: str
    piece: str = ""
    id: int = -1
    start: int | None = None
    end: int | None = None
    segment: int = 0
    word: int | None = None
    part: tuple[int, int] | None = None
    space: bool = False
    joined: bool = False
    special: bool = False
    unknown: bool = False

    @property
    def label(self) -> str:
        """Give the text with its marks: a space before it, a piece inside a word, a part."""
        before = "␣" if self.space else "##" if self.joined else ""
        return (
            f"{before}{self.text} {self.part[0]}/{self.part[1]}"
            if self.part
            else (f"{before}{self.text}")
        )


@dataclass(frozen=True)
class Prediction:
    """A token that a language model may write next, and how likely it is."""

    text: str
    probability: float
    id: int = -1


@dataclass(frozen=True, eq=False, kw_only=True)
class Capture:
    """Every attention layer of a model on one input, in the order in which they ran.

    A model of two stacks has `target_tokens` beside `tokens`: its decoder asks with them. kind is
    "encoder", "causal", "encoder_decoder", "vision" or "given". `grid` is (rows, columns) of a
    picture's patches, `picture` is what the model saw of it. `stretch` is (first, last, all) where
    the tokens are part of a longer text, counted from 1. `edits` are the changes that were made
    while the model read, `ablated` the (layer, head) that were silenced among them. `likelihoods`
    has the probability of every token of the vocabulary to come next. `vectors` are those between
    the layers, (token, d_model) each: what the first layer reads, then what each layer puts out; of
    a model of two stacks those of the decoder. They are left out of long texts.
    """

    tokens: tuple[Token, ...]
    layers: tuple[Layer, ...]
    target_tokens: tuple[Token, ...] = ()
    texts: tuple[str, ...] = ()
    model: str = ""
    kind: str = "given"
    tier: str = "given"
    ablated: tuple[tuple[int, int], ...] = ()
    predictions: tuple[Prediction, ...] = ()
    grid: tuple[int, int] | None = None
    picture: UInt8[np.ndarray, "pixel_row pixel_column 3"] | None = None
    stretch: tuple[int, int, int] | None = None
    hidden: Float[np.ndarray, "token d_model"] | None = None
    edits: tuple[Edit, ...] = ()
    likelihoods: Float[np.ndarray, " sign"] | None = None
    vectors: tuple[Float[np.ndarray, "token d_model"], ...] = ()

    def __post_init__(self) -> None:
        for place, layer in enumerate(self.layers):
            sizes = len(self.query_tokens(place)), len(self.key_tokens(place))
            if sizes != (layer.n_query, layer.n_key):
                raise ValueError(
                    f"layer {place} must be (query, key) = {sizes} as its tokens are, "
                    f"got {(layer.n_query, layer.n_key)}; give it the tokens it was computed from"
                )

    @classmethod
    def from_attentions(
        cls,
        attentions: Any,
        tokens: Sequence[str | Token],
        key_tokens: Sequence[str | Token] | None = None,
        *,
        batch: int | None = None,
        nan_rows: str = "refuse",
    ) -> "Capture":
        """Take the attentions that another program returned; see `given.py` for what it reads.

        Raises:
            InputError: if they are no weights of these tokens; its sentence says what must hold.
        """
        from attnviz.models.given import capture_of

        return capture_of(attentions, tokens, key_tokens, batch=batch, nan_rows=nan_rows)

    @property
    def n_layers(self) -> int:
        """How many layers there are, those of both stacks."""
        return len(self.layers)

    @property
    def most_heads(self) -> int:
        """How many heads the layer with the most of them has."""
        return max(layer.n_heads for layer in self.layers)

    @property
    def unknown_share(self) -> float:
        """The share of the text's tokens that the model's vocabulary does not have."""
        own = [token for token in self.tokens if not token.special]
        return sum(token.unknown for token in own) / len(own) if own else 0.0

    def of_kind(self, kind: str) -> tuple[int, ...]:
        """List the layers of one kind: "self", "encoder", "decoder" or "cross"."""
        return tuple(place for place, layer in enumerate(self.layers) if layer.kind == kind)

    def query_tokens(self, layer: int) -> tuple[Token, ...]:
        """Give the tokens that ask in this layer: a name for each row."""
        asks = self.layers[layer].kind in ("decoder", "cross") and self.target_tokens
        return self.target_tokens if asks else self.tokens

    def key_tokens(self, layer: int) -> tuple[Token, ...]:
        """Give the tokens that answer in this layer: a name for each column."""
        asks = self.layers[layer].kind == "decoder" and self.target_tokens
        return self.target_tokens if asks else self.tokens

    def weights(self, layer: int, head: int, rows: Rows = None, columns: Rows = None) -> np.ndarray:
        """Make the weights of one head, (query, key), or some rows and columns of them."""
        return self._layer(layer).weights(head, rows, columns)

    def scores(self, layer: int, head: int, rows: Rows = None, columns: Rows = None) -> np.ndarray:
        """Make query key^T of one head, before scale and mask."""
        return self._layer(layer).scores(head, rows, columns)

    def masked_scores(
        self, layer: int, head: int, rows: Rows = None, columns: Rows = None
    ) -> np.ndarray:
        """Make what the softmax of one head is taken of."""
        return self._layer(layer).masked_scores(head, rows, columns)

    def output(self, layer: int, head: int) -> Float[np.ndarray, "query d_v"]:
        """Make what one head passes on."""
        return self._layer(layer).output(head)

    def overview(self, layer: int, head: int, pixels: int = 256) -> Overview:
        """Pool the weights of one head into at most pixels × pixels blocks."""
        return overview(self._layer(layer), head, pixels)

    def check(self, layer: int, head: int) -> RowCheck:
        """Add up every row of one head, and compare with what the model itself got."""
        return row_check(self._layer(layer), head)

    def trace(self, layer: int, head: int) -> HeadTrace:
        """Compute one head step by step, as `attend` does.

        Raises:
            ValueError: if the layer does more than softmax(scale * query key^T + bias) value.
        """
        chosen = self._layer(layer)
        if not chosen.plain or chosen.query is None or chosen.key is None or chosen.value is None:
            raise ValueError(
                f"layer {layer} ({chosen.name}) must be plain softmax attention with its queries "
                "known, got another formula or weights alone; show its weights instead"
            )
        chosen.check_head(head)
        kv_head = head // (chosen.n_heads // chosen.n_kv_heads)
        every = np.arange(chosen.n_query), slice(0, chosen.n_key), head
        return attend(
            chosen.query[head],
            chosen.key[kv_head],
            chosen.value[kv_head],
            HeadChoices(scale=chosen.scale),
            mask=None if chosen.visible.everyone else chosen.visible.allowed(head),
            bias=None if chosen.bias is None else chosen.bias.rows(*every),
        )

    def _layer(self, layer: int) -> Layer:
        if not 0 <= layer < self.n_layers:
            raise ValueError(
                f"layer must be 0 … {self.n_layers - 1}, got {layer}; layers count from 0"
            )
        return self.layers[layer]
