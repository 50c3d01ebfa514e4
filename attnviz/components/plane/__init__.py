"""Vectors with two features as arrows on a plane: drag a tip, and the row in hand follows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from attnviz.components import Number, listener, note, packed, part
from attnviz.components.plane.frames import HIGH, WIDE, Frame, frame_of

Shown = Literal["scores", "values"]
Symbol = Literal["q", "k", "v"]
Column = Literal["scores", "weights", "lengths", "effects"]
Move = tuple[str, int, float, float]
Tip = Sequence[Number]

LARGEST = 1e6
MOST_NAMED = 12  # of more tokens, only the arrow in hand has its name
_SYMBOLS: dict[Symbol, str] = {"q": "query", "k": "key", "v": "value"}
_HANDLE = 20  # pixels around a tip that take hold of it
_mount = part("plane")


@dataclass(frozen=True, kw_only=True)
class Arrow:
    """A vector that can be dragged: whose it is, where its tip is, and where it was before.

    `label` is read aloud; a `hidden` one may not be seen by the query.
    """

    symbol: Symbol
    token: int
    name: str
    label: str
    tip: Tip
    home: Tip
    hidden: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class Row:
    """All numbers of the query in hand; a score that the mask hides is None in `masked`.

    `without` are the outputs when each key is left out, None where nobody asks for them.
    """

    query: Tip
    keys: Sequence[Tip]
    values: Sequence[Tip]
    scores: Sequence[Number]
    masked: Sequence[Number | None]
    weights: Sequence[Number]
    output: Tip
    without: Sequence[Tip] | None = None


@dataclass(frozen=True, kw_only=True)
class Law:
    """What the browser needs to compute the row itself; "" is what only Python computes.

    masked = scores · scale + bias; `offset` is added by sigmoid, `k` keys are kept by topk.
    """

    score: Literal["dot", ""]
    normalizer: str
    scale: Number
    bias: Sequence[Number]
    temperature: Number
    shares: bool  # the weights add up to 1, so b lies between the values
    k: int = 1
    offset: Number = 0


@dataclass(frozen=True, eq=False, kw_only=True)
class PlaneSpec:
    """Arrows, the numbers beside them, and every word; `output` names b, `names` each score.

    `titles` are the heads of the columns that are shown: a symbol and a few words. `rest` is the
    key without which b is drawn as well.
    """

    label: str
    arrows: Sequence[Arrow]
    captions: Mapping[Shown, str]
    row: Row
    law: Law
    place: int  # of the query
    tokens: Sequence[str]
    tokens_title: str
    titles: Mapping[Column, tuple[str, str]]
    names: Mapping[Literal["scores", "weights"], Sequence[str]]
    output: str
    home: Tip  # b before anything was dragged
    unknown: str
    digits: int = 2
    rest: int = 0
    longest: Number = 1  # the number at the end of the bars of lengths and effects

    def as_data(self) -> dict[str, object]:
        """Write it as the browser reads it."""
        frames: dict[Shown, Frame] = {
            plane: frame_of(*self._seen(plane, arrows)) for plane, arrows in self._planes().items()
        }
        planes = {
            symbol: frames[_plane(symbol)].as_data()
            for symbol in _SYMBOLS
            if _plane(symbol) in frames
        }
        bars = {"weights": 1.0} | dict.fromkeys(("scores", "lengths", "effects"), self.longest)
        allowed = [j for j, score in enumerate(self.row.masked) if score is not None]
        most = max([1.0, *self.row.weights])
        return {
            "tree": self._tree(frames),
            "planes": planes,
            "box": [WIDE, HIGH],
            "tips": {_id(one): list(one.tip) for one in self.arrows},
            "names": {_id(one): one.name for one in self.arrows}
            | {key: list(names) for key, names in self.names.items()}
            | {"b": self.output},
            "query": self.place,
            "row": {name: getattr(self.row, name) for name in Row.__dataclass_fields__},
            "law": {name: getattr(self.law, name) for name in Law.__dataclass_fields__},
            "inside": allowed,
            "columns": list(self.titles),
            "most": bars | {"weights": most},
            "unknown": self.unknown,
            "digits": self.digits,
            "few": len(self.tokens) <= MOST_NAMED,
            "rest": self.rest,
        }

    def _seen(self, plane: Shown, arrows: Sequence[Arrow]) -> tuple[list[Tip], list[Tip]]:
        """List what must be seen as it was before anything was dragged, and as it is now."""
        homes, tips = [one.home for one in arrows], [one.tip for one in arrows]
        if plane == "values":  # b lies beyond them where the weights add up to more than 1
            return [*homes, self.home], [*tips, self.row.output]
        return homes, tips

    def _planes(self) -> dict[Shown, list[Arrow]]:
        found: dict[Shown, list[Arrow]] = {}
        for one in self.arrows:
            found.setdefault(_plane(one.symbol), []).append(one)
        return found

    def _tree(self, frames: Mapping[Shown, Frame]) -> list:
        """Describe the page: tag, class, attributes, and what is inside."""
        pictures = [
            [
                "figure",
                "",
                {},
                ["figcaption", "", {}, self.captions[plane]],
                self._picture(plane, frames[plane], arrows),
            ]
            for plane, arrows in self._planes().items()
        ]
        readout = ["p", "readout", {"id": "readout", "aria-live": "polite"}]
        group = {"role": "group", "aria-label": self.label}
        return [["div", "board", group, *pictures, self._numbers()], readout]

    def _picture(self, plane: Shown, frame: Frame, arrows: Sequence[Arrow]) -> list:
        drawn = [self._arrow(one) for one in arrows]
        if plane == "values":
            drawn = [*self._sum(), *drawn, _arrow("output", "b", self.output)]
            if self.law.shares and any(score is not None for score in self.row.masked):
                drawn.insert(0, ["path", "value area", {"id": "area"}])
        box = {"viewBox": f"0 0 {WIDE} {HIGH}"}
        return ["svg", "", box, *frame.tree(), *drawn]

    def _sum(self) -> list[list]:
        """Describe the shares tip to tail, and b without one of the keys."""
        parts = [_arrow("value part", f"part{j}") for j in range(len(self.tokens))]
        if self.row.without is None:
            return parts
        return [*parts, _arrow("output rest", "rest"), ["circle", "output spot", _spot()]]

    def _arrow(self, one: Arrow) -> list:
        kind = f"{_SYMBOLS[one.symbol]}{' hidden' if one.hidden else ''}"
        grip = {"r": _HANDLE, "tabindex": 0, "role": "slider", "aria-label": one.label}
        return [*_arrow(kind, _id(one), one.name), ["circle", "grip", grip]]

    def _numbers(self) -> list:
        heads = [
            [
                "th",
                _KINDS[key],
                {"scope": "col"},
                ["span", "symbol", {}, sign],
                ["small", "", {}, words],
            ]
            for key, (sign, words) in self.titles.items()
        ]
        first = ["th", "", {"scope": "col"}, ["small", "", {}, self.tokens_title]]
        rows = [
            [
                "tr",
                "",
                {"id": f"row{j}"},
                [
                    "th",
                    "row",
                    {"scope": "row"},
                    ["bdi", "", {}, token],
                    ["sub", "quiet", {}, str(j + 1)],
                ],
                *(_cell(key, j) for key in self.titles),
            ]
            for j, token in enumerate(self.tokens)
        ]
        table = ["table", "", {}, ["thead", "", {}, ["tr", "", {}, first, *heads]]]
        return ["div", "numbers", {}, [*table, ["tbody", "", {}, *rows]]]


_KINDS: dict[Column, str] = {
    "scores": "",
    "weights": "",
    "lengths": "value",
    "effects": "output",
}


def _cell(key: Column, place: int) -> list:
    bar = "" if key != "scores" else "none"
    return ["td", _KINDS[key], {"id": f"{key}{place}"}, ["span", "", {}], ["i", bar, {}]]


def _arrow(kind: str, name: str, text: str = "") -> list:
    inside = [["path", "line", {}], ["path", "head", {}]]
    return ["g", kind, {"id": name}, *inside, *([["text", "name", {}, text]] if text else [])]


def _spot() -> dict[str, object]:
    return {"id": "spot", "r": 6}


def _id(one: Arrow) -> str:
    return f"{one.symbol}{one.token}"


def _plane(symbol: Symbol) -> Shown:
    return "values" if symbol == "v" else "scores"


def plane(
    spec: PlaneSpec,
    *,
    key: str,
    on_moves: Callable[[list[Move]], None],
    size: Number = 1.0,
) -> None:
    """Draw the arrows, and beside them the row in hand.

    Dragging a tip, or the arrow keys on it, stays in the browser. Once it is let go, `on_moves`
    gets where the dragged tips are now, before the page runs again.
    """
    note(key, spec)
    there = {(one.symbol, one.token) for one in spec.arrows}

    def moved(value: object) -> None:
        found = [move for move in _moves(value) if move[:2] in there]
        if found:
            on_moves(found)

    state = st.session_state.get(key)
    heard = _serial(state.get("moves") if state else None)
    data = spec.as_data() | {"heard": heard, "size": size}
    _mount(key=key, data=packed(data), on_moves_change=listener(key, "moves", moved))


def _serial(value: object) -> int:
    serial = value[0] if isinstance(value, list | tuple) and value else 0
    return serial if isinstance(serial, int) else 0


def _moves(value: object) -> list[Move]:
    """Read what a browser sends: it is checked, not believed."""
    if not isinstance(value, list | tuple) or len(value) != 2 or not isinstance(value[1], list):
        return []
    moves = (one for one in value[1] if _is_move(one))
    return [(symbol, token, float(x), float(y)) for symbol, token, x, y in moves]


def _is_move(one: object) -> bool:
    if not isinstance(one, list) or len(one) != 4:
        return False
    symbol, token, *tip = one
    whole = isinstance(token, int) and not isinstance(token, bool)
    return symbol in _SYMBOLS and whole and all(map(_is_number, tip))


def _is_number(value: object) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return math.isfinite(value) and abs(value) <= LARGEST
