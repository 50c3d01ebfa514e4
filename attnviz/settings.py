"""Everything a person has chosen, as one frozen object, and its short form in a link.

Each field stands with its default, its key in a link, and what a link may say for it. Choices are
written by the keys of the engine's tables, so a link reads the same in every language.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, urlencode

from attnviz.attention.masks import MASKS
from attnviz.attention.normalizers import NORMALIZERS
from attnviz.attention.positions import POSITIONS
from attnviz.attention.scores import SCORES

MAX_TOKENS = 64
MAX_HEADS = 8
MAX_DIMS = 16
MAX_CHARACTERS = 2_000
MAX_PASSAGE = 50_000  # characters for a real model
MAX_PLACES = 32_768  # tokens that a real model may read
MAX_MODEL_LAYERS, MAX_MODEL_HEADS = 256, 256
MAX_HEADS_SHOWN = 16
LARGEST_NUMBER = 1e6
SMALLEST_TEMPERATURE, LARGEST_TEMPERATURE = 1e-3, 1e3  # or 0, the limit

NOTATIONS = ("row", "column")
W_SOURCES = ("example", "identity", "random", "typed")
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

VIEW_FIELDS = frozenset(
    {
        "language",
        "query",
        "key",
        "head",
        "step",
        "digits",
        "notation",
        "present",
        "predict",
        "panel",
        "axis",
        "rung",
        "joining",
        "dropped",
        "wiring",
        "target",
        "order",
        "combining",
        "experiment",
        "other",
        "amount",
        "moves",
        "width",
        "draw",
        "model",
        "passage",
        "passage_pair",
        "passage_target",
        "heads_shown",
        "mixing",
        "unit",
        "part",
        "specials",
        "colours",
        "overflow",
        "window",
        "find",
        "reading",
        "hidden",
        "sorting",
        "head_type",
    }
)
"""The fields that choose what is looked at; all others decide numbers."""

Table = tuple[tuple[float | int, ...], ...]
Move = tuple[str, int, float, float]
"""An arrow that was dragged: "q", "k" or "v", whose it is, and where its tip is now."""

_LONGEST_VALUE = 65_536
_WHOLE = re.compile(r"-?[0-9]{1,10}")
_REAL = re.compile(r"-?(?:[0-9]{1,25}(?:\.[0-9]{0,25})?|\.[0-9]{1,25})(?:e[+-]?[0-9]{1,3})?", re.I)
_NAME = re.compile(r"[a-z0-9_]{1,40}")
_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_./-]{0,99}")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}")


@dataclass(frozen=True)
class _Link:
    """How one field is written in a link; `read` raises ValueError for what it cannot take."""

    key: str
    read: Callable[[str], Any]
    write: Callable[[Any], str]
    limits: tuple[float | int, float | int] | None = None


def _field(
    default: Any,
    key: str,
    read: Callable[[str], Any],
    write: Callable = str,
    limits: tuple[float | int, float | int] | None = None,
) -> Any:
    return field(default=default, metadata={"link": _Link(key, read, write, limits)})


def _require(holds: object, text: str) -> None:
    if not holds:
        raise ValueError(f"a link's value must be one that its field can take, got {text!r}")


def _read_whole(text: str, low: int, high: int) -> int:
    _require(_WHOLE.fullmatch(text) and low <= int(text) <= high, text)
    return int(text)


def _read_real(text: str, low: float = -LARGEST_NUMBER, high: float = LARGEST_NUMBER) -> float:
    _require(_REAL.fullmatch(text) and low <= float(text) <= high, text)
    return float(text)


def _read_temperature(text: str) -> float:
    number = _read_real(text)
    _require(number == 0 or SMALLEST_TEMPERATURE <= number <= LARGEST_TEMPERATURE, text)
    return number


def _write_real(value: float | int | str) -> str:
    return value if isinstance(value, str) else repr(value + 0.0).removesuffix(".0")


def _write_short(value: float | int) -> str:
    text = _write_real(value)
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def _whole(default: int | None, key: str, low: int, high: int) -> Any:
    return _field(default, key, lambda text: _read_whole(text, low, high), limits=(low, high))


def _real(default: object, key: str, low: float, high: float, *words: str) -> Any:
    def read(text: str) -> float | str:
        return text if text in words else _read_real(text, low, high)

    return _field(default, key, read, _write_real, (float(low), float(high)))


def _word(default: str, key: str, allowed: Callable[[str], object]) -> Any:
    def read(text: str) -> str:
        _require(allowed(text), text)
        return text

    return _field(default, key, read)


def _choice(default: str, key: str, options: Iterable[str]) -> Any:
    return _word(default, key, frozenset(options).__contains__)


def _flag(default: bool, key: str) -> Any:
    def read(text: str) -> bool:
        _require(text in ("0", "1"), text)
        return text == "1"

    return _field(default, key, read, lambda on: "1" if on else "0")


def _tokens(key: str) -> Any:
    # A token may hold any character: inside it, \ is written \- and | is written \!.

    def read(text: str) -> tuple[str, ...]:
        found = tuple(p.replace(r"\!", "|").replace(r"\-", "\\") for p in text.split("|"))
        _require(all(found) and len(found) <= MAX_TOKENS, text)
        return found

    def write(tokens: tuple[str, ...]) -> str:
        return "|".join(token.replace("\\", r"\-").replace("|", r"\!") for token in tokens)

    return _field((), key, read, write)


def _table(key: str, rows: int, columns: int) -> Any:
    def read(text: str) -> Table:
        table = tuple(tuple(map(_read_real, row.split(","))) for row in text.split(";"))
        fits = len(table) <= rows and len(table[0]) <= columns
        _require(fits and len(set(map(len, table))) == 1, text)
        return table

    def write(table: Table) -> str:
        return ";".join(",".join(map(_write_short, row)) for row in table)

    return _field((), key, read, write)


def _places(default: tuple[int, ...], key: str, below: int = MAX_TOKENS) -> Any:
    def read(text: str) -> tuple[int, ...]:
        places = text.split(",") if text else []
        _require(len(places) <= below, text)
        return tuple(_read_whole(place, 0, below - 1) for place in places)

    return _field(default, key, read, lambda places: ",".join(map(str, places)))


def _heads_of_layers(key: str) -> Any:
    def read(text: str) -> tuple[tuple[int, int], ...]:
        pairs = tuple(tuple(pair.split(".")) for pair in text.split(","))
        _require(len(set(pairs)) == len(pairs) <= MAX_HEADS_SHOWN, text)
        _require({len(pair) for pair in pairs} == {2}, text)
        bounds = (MAX_MODEL_LAYERS, MAX_MODEL_HEADS)
        return tuple(
            (_read_whole(layer, 0, bounds[0] - 1), _read_whole(head, 0, bounds[1] - 1))
            for layer, head in pairs
        )

    def write(pairs: tuple[tuple[int, int], ...]) -> str:
        return ",".join(f"{layer}.{head}" for layer, head in pairs)

    return _field((), key, read, write)


def _moves(key: str) -> Any:
    def read(text: str) -> tuple[Move, ...]:
        moves = tuple(map(_read_move, text.split(";")))
        _require(len({move[:2] for move in moves}) == len(moves) <= 3 * MAX_TOKENS, text)
        return moves

    def write(moves: tuple[Move, ...]) -> str:
        return ";".join(
            f"{symbol}{token}:{_write_short(x)},{_write_short(y)}" for symbol, token, x, y in moves
        )

    return _field((), key, read, write)


def _read_move(text: str) -> Move:
    found = re.fullmatch(r"([qkv])([0-9]{1,2}):([^,;]*),([^,;]*)", text)
    _require(found, text)
    symbol, token, x, y = found.groups() if found else ("", "", "", "")
    return symbol, _read_whole(token, 0, MAX_TOKENS - 1), _read_real(x), _read_real(y)


def _nested(key: str) -> Any:
    """Hold settings inside settings: what another view has different, written as its own link."""

    def read(text: str) -> str:
        pairs = dict(parse_qsl(text, keep_blank_values=True))
        inner, unreadable = from_query(pairs)
        _require(not unreadable and key not in pairs, text)
        return urlencode(inner.to_query())

    return _field("", key, read)


def _cells(key: str) -> Any:
    def read(text: str) -> tuple[str, ...]:
        rows = tuple(text.split("."))
        _require(len(rows) <= MAX_TOKENS and set(text) <= set("01."), text)
        _require({len(row) for row in rows} == {len(rows)}, text)
        return rows

    return _field((), key, read, ".".join)


@dataclass(frozen=True)
class Settings:
    """All that a person has chosen. Every field has a default; tuples only, so that it hashes.

    What is looked at:
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
    "_up" the least first; head_type: of HEAD_TYPES, only such heads are listed.

    Tokens and their vectors:
    example: key of the preset; sentence: "" shows the preset's own tokens; split: how Chinese is
    cut; pieces: tokens cut by hand, before any split; vectors: typed token vectors, a row each.

    Sizes and matrices:
    n_heads, d_model, d_k, d_v: 0 is the example's (d_model: or the width of the typed vectors);
    n_kv_heads: sets of keys and values, 0 is one for each head; w_source: where matrices come
    from; seed: of everything random; w_q, w_k, w_v: typed, (d_model, heads · d), heads side by
    side; w_o: typed, (n_heads · d_v, d_model). Typed matrices count while w_source is "typed" and
    are kept while it is not; one that is not typed is the example's.

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

    language: str = _word("", "lang", _LANGUAGE.fullmatch)
    query: int = _whole(1, "q", 0, MAX_PLACES - 1)
    key: int | None = _whole(None, "key", 0, MAX_PLACES - 1)
    head: int = _whole(0, "head", 0, MAX_HEADS - 1)
    step: str = _word("", "step", _NAME.fullmatch)
    digits: int = _whole(2, "digits", 2, 4)
    notation: str = _choice("row", "notation", NOTATIONS)
    present: bool = _flag(False, "present")
    predict: bool = _flag(False, "predict")
    panel: str = _word("", "panel", _NAME.fullmatch)

    axis: str = _choice("key", "axis", AXES)
    rung: str = _word("", "rung", _NAME.fullmatch)
    joining: str = _choice("learned", "join", JOININGS)
    dropped: tuple[int, ...] = _places((), "drop")
    wiring: str = _choice("separate", "wiring", WIRINGS)
    target: str = _word("", "target", _NAME.fullmatch)
    order: tuple[int, ...] = _places((), "order")
    combining: str = _choice("add", "combine", COMBININGS)
    experiment: str = _word("", "exp", _NAME.fullmatch)
    other: str = _nested("b")
    amount: float | int | None = _real(None, "amount", -LARGEST_NUMBER, LARGEST_NUMBER)
    moves: tuple[Move, ...] = _moves("move")
    width: int = _whole(0, "width", 0, MAX_DIMS)
    draw: int = _whole(0, "draw", 0, 9_999)

    model: str = _word("", "model", lambda name: _MODEL.fullmatch(name) and ".." not in name)
    passage: str = _word("", "t", lambda text: len(text) <= MAX_PASSAGE)
    passage_pair: str = _word("", "t2", lambda text: len(text) <= MAX_PASSAGE)
    passage_target: str = _word("", "t3", lambda text: len(text) <= MAX_PASSAGE)
    heads_shown: tuple[tuple[int, int], ...] = _heads_of_layers("lh")
    mixing: str = _choice("each", "mix", MIXINGS)
    unit: str = _choice("pieces", "unit", UNITS)
    part: str = _choice("all", "part", PARTS)
    specials: bool = _flag(True, "special")
    colours: str = _choice("linear", "colours", COLOURS)
    overflow: str = _choice("cut", "long", OVERFLOWS)
    window: int = _whole(0, "win", 0, MAX_PLACES)
    find: str = _word("", "find", lambda text: len(text) <= 100)
    reading: str = _word("", "reading", _NAME.fullmatch)
    hidden: tuple[int, ...] = _places((), "hide", MAX_PLACES)
    sorting: str = _word("", "sort", _NAME.fullmatch)
    head_type: str = _word("", "type", _NAME.fullmatch)

    example: str = _word("hero", "ex", _NAME.fullmatch)
    sentence: str = _word("", "text", lambda text: len(text) <= MAX_CHARACTERS)
    split: str = _choice("words", "split", SPLITS)
    pieces: tuple[str, ...] = _tokens("tok")
    vectors: tuple[tuple[float | int, ...], ...] = _table("in", MAX_TOKENS, MAX_DIMS)

    n_heads: int = _whole(0, "heads", 0, MAX_HEADS)
    n_kv_heads: int = _whole(0, "kv", 0, MAX_HEADS)
    d_model: int = _whole(0, "d", 0, MAX_DIMS)
    d_k: int = _whole(0, "dk", 0, MAX_DIMS)
    d_v: int = _whole(0, "dv", 0, MAX_DIMS)
    w_source: str = _choice("example", "w", W_SOURCES)
    seed: int = _whole(0, "seed", 0, 2**31 - 1)
    w_q: tuple[tuple[float | int, ...], ...] = _table("wq", MAX_DIMS, MAX_HEADS * MAX_DIMS)
    w_k: tuple[tuple[float | int, ...], ...] = _table("wk", MAX_DIMS, MAX_HEADS * MAX_DIMS)
    w_v: tuple[tuple[float | int, ...], ...] = _table("wv", MAX_DIMS, MAX_HEADS * MAX_DIMS)
    w_o: tuple[tuple[float | int, ...], ...] = _table("wo", MAX_HEADS * MAX_DIMS, MAX_DIMS)

    score: str = _choice("dot", "score", tuple(SCORES))
    scale: str | float | int = _real("none", "scale", -1e3, 1e3, "none", "sqrt_d_k")
    temperature: float | int = _field(
        1.0, "temp", _read_temperature, _write_real, (0.0, LARGEST_TEMPERATURE)
    )
    normalizer: str = _choice("softmax", "norm", tuple(NORMALIZERS))
    alpha: float | int = _real(1.5, "alpha", 1.0, 10.0)
    k: int = _whole(2, "top", 1, MAX_TOKENS)
    bias: float | int | None = _real(None, "bias", -100.0, 100.0)

    mask: str = _choice("everyone", "mask", tuple(MASKS))
    align: str = _choice("lower_right", "align", ("lower_right", "upper_left"))
    radius: int = _whole(1, "radius", 0, MAX_TOKENS)
    steps: int = _whole(1, "steps", 0, MAX_TOKENS)
    gap: int = _whole(2, "gap", 1, MAX_TOKENS)
    block_size: int = _whole(2, "block", 1, MAX_TOKENS)
    global_tokens: tuple[int, ...] = _places((0,), "global")
    padding: int = _whole(1, "pad", 0, MAX_TOKENS)
    cells: tuple[str, ...] = _cells("cells")
    self_loops: bool = _flag(True, "loops")

    positions: str = _choice("none", "pos", (*POSITIONS, "example"))
    position_vectors: tuple[tuple[float | int, ...], ...] = _table("pv", MAX_TOKENS, MAX_DIMS)
    base: float | int = _real(10_000.0, "base", 1.0, LARGEST_NUMBER)
    pairs: str = _choice("interleaved", "pairs", ("interleaved", "half"))
    symmetric: bool = _flag(True, "sym")
    n_buckets: int = _whole(8, "buckets", 2, 64)
    max_distance: int = _whole(16, "far", 2, 256)
    bidirectional: bool = _flag(True, "both")
    clip: int = _whole(2, "clip", 0, MAX_TOKENS)

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


def _takes(link: _Link, value: object) -> bool:
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
    if not isinstance(value, str) or len(value.encode("utf-8", "replace")) > _LONGEST_VALUE:
        raise ValueError("a link's value must be a text of at most 64 kB; make it shorter")
    return read(value)


_TEXTS = ("sentence", "passage", "passage_pair", "passage_target", "find")
"""Their lengths are the business of whoever reads them, with a sentence of its own."""

_LINKS = tuple((f.name, f.metadata["link"], f.default) for f in fields(Settings))

RANGES = {name: link.limits for name, link, _ in _LINKS if link.limits is not None}
"""The least and the largest number that a field takes."""
_BY_KEY = {link.key: (name, link.read) for name, link, _ in _LINKS}
_VIEW_KEYS = frozenset(link.key for name, link, _ in _LINKS if name in VIEW_FIELDS)
