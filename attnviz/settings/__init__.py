"""Everything a person has chosen, as one frozen object, and its short form in a link.

Each field stands with its default, its key in a link, and what a link may say for it. Choices are
written by the keys of the engine's tables, so a link reads the same in every language.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, urlencode

from attnviz.attention.masks import MASKS
from attnviz.attention.normalizers import NORMALIZERS
from attnviz.attention.positions import POSITIONS
from attnviz.attention.scores import SCORES
from attnviz.settings import links
from attnviz.settings.links import (
    LARGEST_NUMBER,
    LARGEST_TEMPERATURE,
    MAX_CHARACTERS,
    MAX_DIMS,
    MAX_HEADS,
    MAX_PASSAGE,
    MAX_PLACES,
    MAX_TOKENS,
    Edit,
    Move,
)

NOTATIONS = ("row", "column")
W_SOURCES = ("example", "identity", "random", "typed", "trained")
SPLITS = ("words", "characters")
AXES = ("key", "query")
JOININGS = ("learned", "identity", "average")
WIRINGS = ("separate", "split", "slice")
COMBININGS = ("add", "concatenate")
MIXINGS = ("each", "mean", "max")
UNITS = ("pieces", "words", "characters")
PARTS = ("all", "aa", "ab", "ba", "bb")
COLOURS = ("linear", "log", "rank")
OVERFLOWS = ("cut", "windows")
AGAINST = ("", "text", "head", "model")
HELD = ("", "query", "key")

# Which fields a choice reads: what a page offers beside it.
SCORE_FIELDS = {"additive": ("seed",), "bilinear": ("seed",)}
NORMALIZER_FIELDS = {"entmax": ("alpha",), "topk": ("k",), "sigmoid": ("bias",)}
MASK_FIELDS = {
    "window": ("radius",),
    "causal_window": ("radius",),
    "dilated": ("steps", "gap"),
    "padding": ("padding",),
    "global_tokens": ("radius", "global_tokens"),
    "block": ("block_size",),
    "graph": ("cells", "self_loops"),
    "custom": ("cells",),
}
POSITION_FIELDS = {
    "sinusoidal": ("base",),
    "sinusoidal_tensor2tensor": ("base",),
    "learned": ("seed", "position_vectors"),
    "rotary": ("base", "pairs"),
    "alibi": ("symmetric",),
    "t5": ("seed", "n_buckets", "max_distance", "bidirectional"),
    "shaw": ("seed", "clip"),
}


def _nested(key: str) -> Any:
    """Hold settings inside settings: what another view has different, written as its own link."""

    def read(text: str) -> str:
        pairs = dict(parse_qsl(text, keep_blank_values=True))
        inner, unreadable = from_query(pairs)
        links.require(not unreadable and key not in pairs, text)
        return urlencode(inner.to_query())

    return links.field("", key, read)


def _is_model(name: str) -> object:
    return links.MODEL.fullmatch(name) and ".." not in name


@dataclass(frozen=True)
class View:
    """What a person looks at: no number that the attention of the settings computes changes by it.

    language: "" is the browser's; query: index of the asking token, counted from 0; key: the
    column that was clicked, or None; head: index of the head; step: name of the step shown;
    digits: decimals shown; notation: "row", a token is a row, or "column", it is a column;
    present: presenter mode; predict: guess before each step; panel: the one panel shown.

    What a question of a page varies, beside the attention of the settings themselves:
    axis: along which softmax goes, "key" is right; rung: of the ladder of averages; joining: how
    the heads become one output; dropped: heads left out; wiring: how heads get their matrices;
    target: the map that a head is designed for; order: the tokens shuffled, () is as they stand;
    combining: how a position joins its token; experiment: key of EXPERIMENTS; other: what the
    other side of a comparison has different, as a link of its own; amount: the number that the
    question turns, None is the question's own; moves: arrows that were dragged; width: of the
    vectors that are counted or drawn, 0 is the question's own; draw: which of many random ones.

    A real model: model: key of the catalogue, folder or name, "" is the page's own choice;
    passage, passage_pair, passage_target: what it reads, and what is to be written; heads_shown:
    (layer, head), the first is the one in hand; mixing: several heads each by itself, their mean or
    their largest; unit: pieces, words or characters; part: of two texts, "ab": the first asks the
    second; specials: whether special tokens are shown; colours: the scale of a map; overflow: what
    becomes of a text that is too long; window: which piece of it; find: tokens looked for; reading:
    what a map says of the weights; hidden: places of the keys that are left out, the rest of a row
    sharing what they had; sorting: by which number heads are listed, "" is their own order, with
    "_up" the least first; head_type: of HEAD_TYPES, only such heads are listed; picture: key of a
    picture that is read instead of a text; held: which token is held, the one that asks or the one
    that is asked, "" is the question's own; generated: which of the written tokens is looked at;
    card: the question that is open; against: what a head is compared with, "text", "head" or
    "model", and against_text, against_model, against_head: which.

    edits: what is changed in the model: ("off", layer, head) passes nothing on, ("even", layer,
    head) has equal weights, ("cut", layer, head, query, key) may not look there, in head −1 no head
    of the layer may, ("mask", token) is hidden from all.

    Comparisons: edges: of a graph, "1" = joined.

    Training: task: key of the task, task_table: sentences and tags of one's own; vocabulary,
    trained_width, trained_heads: 0 is the task's own; placed: tokens know their positions;
    learning_rate: None is the task's own; frozen: letters of the matrices that do not learn;
    snapshot: the step that is looked at, None where nothing is trained yet.
    """

    language: str = links.word("", "lang", links.LANGUAGE.fullmatch)
    query: int = links.whole(1, "q", 0, MAX_PLACES - 1)
    key: int | None = links.whole(None, "key", 0, MAX_PLACES - 1)
    head: int = links.whole(0, "head", 0, MAX_HEADS - 1)
    step: str = links.word("", "step", links.NAME.fullmatch)
    digits: int = links.whole(2, "digits", 2, 4)
    notation: str = links.choice("row", "notation", NOTATIONS)
    present: bool = links.flag(False, "present")
    predict: bool = links.flag(False, "predict")
    panel: str = links.word("", "panel", links.NAME.fullmatch)

    axis: str = links.choice("key", "axis", AXES)
    rung: str = links.word("", "rung", links.NAME.fullmatch)
    joining: str = links.choice("learned", "join", JOININGS)
    dropped: tuple[int, ...] = links.places((), "drop")
    wiring: str = links.choice("separate", "wiring", WIRINGS)
    target: str = links.word("", "target", links.NAME.fullmatch)
    order: tuple[int, ...] = links.places((), "order")
    combining: str = links.choice("add", "combine", COMBININGS)
    experiment: str = links.word("", "exp", links.NAME.fullmatch)
    other: str = _nested("b")
    amount: float | int | None = links.real(None, "amount", -LARGEST_NUMBER, LARGEST_NUMBER)
    moves: tuple[Move, ...] = links.moves("move")
    width: int = links.whole(0, "width", 0, MAX_DIMS)
    draw: int = links.whole(0, "draw", 0, 9_999)

    model: str = links.word("", "model", _is_model)
    passage: str = links.word("", "t", lambda text: len(text) <= MAX_PASSAGE)
    passage_pair: str = links.word("", "t2", lambda text: len(text) <= MAX_PASSAGE)
    passage_target: str = links.word("", "t3", lambda text: len(text) <= MAX_PASSAGE)
    heads_shown: tuple[tuple[int, int], ...] = links.heads_of_layers("lh")
    mixing: str = links.choice("each", "mix", MIXINGS)
    unit: str = links.choice("pieces", "unit", UNITS)
    part: str = links.choice("all", "part", PARTS)
    specials: bool = links.flag(True, "special")
    colours: str = links.choice("linear", "colours", COLOURS)
    overflow: str = links.choice("cut", "long", OVERFLOWS)
    window: int = links.whole(0, "win", 0, MAX_PLACES)
    find: str = links.word("", "find", lambda text: len(text) <= 100)
    reading: str = links.word("", "reading", links.NAME.fullmatch)
    hidden: tuple[int, ...] = links.places((), "hide", MAX_PLACES)
    sorting: str = links.word("", "sort", links.NAME.fullmatch)
    head_type: str = links.word("", "type", links.NAME.fullmatch)
    picture: str = links.word("", "pic", links.NAME.fullmatch)
    held: str = links.choice("", "hold", HELD)
    generated: int = links.whole(0, "gen", 0, MAX_PLACES - 1)
    card: str = links.word("", "card", links.NAME.fullmatch)
    against: str = links.choice("", "vs", AGAINST)
    against_text: str = links.word("", "vt", lambda text: len(text) <= MAX_PASSAGE)
    against_model: str = links.word("", "vm", _is_model)
    against_head: tuple[tuple[int, int], ...] = links.heads_of_layers("vh")
    edits: tuple[Edit, ...] = links.edits("edit")

    edges: tuple[str, ...] = links.cells("edges")

    task: str = links.word("", "task", links.NAME.fullmatch)
    task_table: str = links.word("", "table", lambda text: len(text) <= MAX_PASSAGE)
    vocabulary: int = links.whole(0, "vocab", 0, 1_000)
    trained_width: int = links.whole(0, "tw", 0, 128)
    trained_heads: int = links.whole(0, "th", 0, 16)
    placed: bool = links.flag(False, "tp")
    learning_rate: float | int | None = links.real(None, "lr", -LARGEST_NUMBER, LARGEST_NUMBER)
    frozen: str = links.letters("freeze", "qkvo")
    snapshot: int | None = links.whole(None, "snap", 0, 1_000_000)


VIEW_FIELDS = frozenset(field.name for field in fields(View))
"""The fields that choose what is looked at; all others decide numbers."""


@dataclass(frozen=True)
class Settings(View):
    """All that a person has chosen. Every field has a default; tuples only, so that it hashes.

    Tokens and their vectors:
    example: key of the preset; sentence: "" shows the preset's own tokens; split: how Chinese is
    cut; pieces: tokens cut by hand, before any split; vectors: typed token vectors, a row each.

    Sizes and matrices:
    n_heads, d_model, d_k, d_v: 0 is the example's (d_model: or the width of the typed vectors);
    n_kv_heads: sets of keys and values, 0 is one for each head; w_source: where matrices come
    from; seed: of everything random; w_q, w_k, w_v: typed, (d_model, heads · d), heads side by
    side; w_o: typed, (n_heads · d_v, d_model). Typed matrices count while w_source is "typed" or
    "trained" and are kept while it is not; one that is not typed is the example's.

    From scores to weights:
    score: key of SCORES; scale: "none", "sqrt_d_k" or the number that multiplies the scores;
    temperature: divides the masked scores; normalizer: key of NORMALIZERS; alpha: entmax; k: keys
    that topk keeps; bias: sigmoid, None is −ln n.

    Mask:
    mask: key of MASKS; align: of the causal mask; radius: of windows; steps, gap: dilated;
    block_size: block; global_tokens: indices seen by and seeing all; padding: how many of the last
    tokens are padding; cells: painted mask or graph edges, "1" = may attend; self_loops: a token of
    the graph sees itself.

    Positions:
    positions: key of POSITIONS, or "example" for the example's own vectors; position_vectors: a
    typed table for "learned", else random; base: sinusoidal and rotary; pairs: rotary;
    symmetric: ALiBi in both directions; n_buckets, max_distance, bidirectional: T5; clip: Shaw.
    """

    example: str = links.word("hero", "ex", links.NAME.fullmatch)
    sentence: str = links.word("", "text", lambda text: len(text) <= MAX_CHARACTERS)
    split: str = links.choice("words", "split", SPLITS)
    pieces: tuple[str, ...] = links.tokens("tok")
    vectors: tuple[tuple[float | int, ...], ...] = links.table("in", MAX_TOKENS, MAX_DIMS)

    n_heads: int = links.whole(0, "heads", 0, MAX_HEADS)
    n_kv_heads: int = links.whole(0, "kv", 0, MAX_HEADS)
    d_model: int = links.whole(0, "d", 0, MAX_DIMS)
    d_k: int = links.whole(0, "dk", 0, MAX_DIMS)
    d_v: int = links.whole(0, "dv", 0, MAX_DIMS)
    w_source: str = links.choice("example", "w", W_SOURCES)
    seed: int = links.whole(0, "seed", 0, 2**31 - 1)
    w_q: tuple[tuple[float | int, ...], ...] = links.table("wq", MAX_DIMS, MAX_HEADS * MAX_DIMS)
    w_k: tuple[tuple[float | int, ...], ...] = links.table("wk", MAX_DIMS, MAX_HEADS * MAX_DIMS)
    w_v: tuple[tuple[float | int, ...], ...] = links.table("wv", MAX_DIMS, MAX_HEADS * MAX_DIMS)
    w_o: tuple[tuple[float | int, ...], ...] = links.table("wo", MAX_HEADS * MAX_DIMS, MAX_DIMS)

    score: str = links.choice("dot", "score", tuple(SCORES))
    scale: str | float | int = links.real("none", "scale", -1e3, 1e3, "none", "sqrt_d_k")
    temperature: float | int = links.field(
        1.0, "temp", links.read_temperature, links.write_real, (0.0, LARGEST_TEMPERATURE)
    )
    normalizer: str = links.choice("softmax", "norm", tuple(NORMALIZERS))
    alpha: float | int = links.real(1.5, "alpha", 1.0, 10.0)
    k: int = links.whole(2, "top", 1, MAX_TOKENS)
    bias: float | int | None = links.real(None, "bias", -100.0, 100.0)

    mask: str = links.choice("everyone", "mask", tuple(MASKS))
    align: str = links.choice("lower_right", "align", ("lower_right", "upper_left"))
    radius: int = links.whole(1, "radius", 0, MAX_TOKENS)
    steps: int = links.whole(1, "steps", 0, MAX_TOKENS)
    gap: int = links.whole(2, "gap", 1, MAX_TOKENS)
    block_size: int = links.whole(2, "block", 1, MAX_TOKENS)
    global_tokens: tuple[int, ...] = links.places((0,), "global")
    padding: int = links.whole(1, "pad", 0, MAX_TOKENS)
    cells: tuple[str, ...] = links.cells("cells")
    self_loops: bool = links.flag(True, "loops")

    positions: str = links.choice("none", "pos", (*POSITIONS, "example"))
    position_vectors: tuple[tuple[float | int, ...], ...] = links.table("pv", MAX_TOKENS, MAX_DIMS)
    base: float | int = links.real(10_000.0, "base", 1.0, LARGEST_NUMBER)
    pairs: str = links.choice("interleaved", "pairs", ("interleaved", "half"))
    symmetric: bool = links.flag(True, "sym")
    n_buckets: int = links.whole(8, "buckets", 2, 64)
    max_distance: int = links.whole(16, "far", 2, 256)
    bidirectional: bool = links.flag(True, "both")
    clip: int = links.whole(2, "clip", 0, MAX_TOKENS)

    def to_query(self) -> dict[str, str]:
        """Write what differs from the default by short keys; `from_query` reads it back exactly."""
        return {
            link.key: link.write(value)
            for name, link, default in _LINKS
            if (value := getattr(self, name)) != default
        }

    @cached_property
    def computation(self) -> str:
        """Digest of all that decides numbers; the same in every view and every language."""
        numbers = {key: text for key, text in self.to_query().items() if key not in _VIEW_KEYS}
        return hashlib.blake2b(repr(numbers).encode("utf-8", "replace"), digest_size=16).hexdigest()

    def out_of_range(self) -> tuple[str, ...]:
        """Name the numbers and choices that a link could not hold, such as a count below 0."""
        return tuple(
            name
            for name, link, default in _LINKS
            if (value := getattr(self, name)) != default
            and not isinstance(value, tuple)
            and name not in _TEXTS
            and not _takes(link, value)
        )


def _takes(link: links.Link, value: object) -> bool:
    try:
        return link.read(link.write(value)) == value
    except (TypeError, ValueError):
        return False


def from_query(mapping: Mapping[str, str]) -> tuple[Settings, tuple[str, ...]]:
    """Read the settings of a link, and name the keys whose value could not be read.

    Such a field has its default; nothing is clamped. Keys that are not ours are left alone.
    """
    values, unreadable = {}, []
    for key in mapping:
        if key in _BY_KEY:
            name, read = _BY_KEY[key]
            try:
                values[name] = _bounded(read, mapping[key])
            except ValueError:
                unreadable.append(key)
    return Settings(**values), tuple(unreadable)


def _bounded(read: Callable[[str], Any], value: object) -> Any:
    if not isinstance(value, str) or len(value.encode("utf-8", "replace")) > links.LONGEST_VALUE:
        raise ValueError("a link's value must be a text of at most 64 kB; make it shorter")
    return read(value)


_TEXTS = (
    "sentence",
    "passage",
    "passage_pair",
    "passage_target",
    "against_text",
    "task_table",
    "find",
)
"""Their lengths are the business of whoever reads them, with a sentence of its own."""

_LINKS = tuple((f.name, f.metadata["link"], f.default) for f in fields(Settings))

RANGES = {name: link.limits for name, link, _ in _LINKS if link.limits is not None}
"""The least and the largest number that a field takes."""
_BY_KEY = {link.key: (name, link.read) for name, link, _ in _LINKS}
_VIEW_KEYS = frozenset(link.key for name, link, _ in _LINKS if name in VIEW_FIELDS)
