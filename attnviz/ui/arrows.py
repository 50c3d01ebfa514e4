"""The plane on a page: the arrows of the head in hand, dragged or not, and the way back."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from attnviz.attention import HeadTrace
from attnviz.attention.normalizers import DISTRIBUTIONS
from attnviz.attention.parts import NEARLY_SOFTMAX
from attnviz.components.plane import Arrow, Column, Law, PlaneSpec, Row, Shown, Symbol, plane
from attnviz.figures.labels import pair
from attnviz.lessons.importance import Importance
from attnviz.settings import LARGEST_NUMBER, Move
from attnviz.ui import session

_SYMBOLS: dict[Shown, tuple[Symbol, ...]] = {"scores": ("q", "k"), "values": ("v",)}
_LIVE = frozenset(
    {"softmax", "hardmax", "relu", "relu_sum", "relu_length", "sigmoid", "softmax1", "topk"}
)
_SPARE = 1.25  # how much longer the bars may become while an arrow is dragged


@dataclass(frozen=True, eq=False)
class _Vectors:
    """What one query reads: relative positions, if there are any, move each k and v."""

    q: np.ndarray
    k: np.ndarray
    v: np.ndarray


def head(symbols: str = "qkv") -> HeadTrace:
    """Give the head in hand with the arrows of these symbols where they were dragged to."""
    scene = session.scene()
    return scene.dragged(moves(symbols), scene.head)


def draw(
    name: str,
    moved: HeadTrace,
    planes: Sequence[Shown],
    columns: Sequence[Column],
    found: Importance | None = None,
    rest: int = 0,
) -> None:
    """Draw planes of a head, and columns of its numbers; `found` adds what each key changes.

    `rest` is the key without which b is drawn as well, unless another arrow is in hand.
    """
    t, scene, settings = session.t(), session.scene(), session.settings()
    i, before = scene.query, scene.trace.head(scene.head)
    read, home = _read(moved, i), _read(before, i)
    symbols: list[Symbol] = [symbol for shown in planes for symbol in _SYMBOLS[shown]]
    longest = max(1e-9, *_lengths(moved, read, i), *(found.effects.tolist() if found else ()))
    spec = PlaneSpec(
        label=t("plane.label", token=scene.tokens[i]),
        arrows=[
            _arrow(symbol, token, moved, read, home)
            for symbol in symbols
            for token in ([i] if symbol == "q" else range(len(scene.tokens)))
        ],
        captions={
            "scores": t("plane.scores"),
            "values": t("plane.values_without" if found else "plane.values"),
        },
        row=_row(moved, read, i, found),
        law=_law(moved, i),
        place=i,
        tokens=scene.tokens,
        tokens_title=t("plane.tokens"),
        titles={
            column: (t(f"plane.{column}_sign"), t(f"plane.{column}_head")) for column in columns
        },
        names={
            "scores": [f"α{pair(i, j)}" for j in range(len(scene.tokens))],
            "weights": [f"α′{pair(i, j)}" for j in range(len(scene.tokens))],
        },
        output=f"b{session.notation().index(i)}",
        home=before.output[i].tolist(),
        unknown=t("plane.unknown"),
        digits=settings.digits,
        rest=rest,
        longest=_SPARE * longest,
    )
    plane(
        spec,
        key=f"plane.{name}",
        on_moves=lambda tips: _take(tips, i),
        size=session.size(),
    )


def put_back(name: str, symbols: str = "qkv") -> None:
    """Offer to put these arrows back, and say which of them stand elsewhere."""
    t, moved = session.t(), moves(symbols)
    others = tuple(move for move in session.settings().moves if move[0] not in symbols)
    back, said = st.columns([1, 3], vertical_alignment="center")
    with back:
        st.button(
            t("plane.put_back"),
            icon=":material/undo:",
            key=f"put_back.{name}",
            disabled=not moved,
            on_click=session.change,
            args=("moves",),
            kwargs={"moves": others},
        )
    with said:
        n = session.notation()
        names = ", ".join(f"{symbol}{n.index(token)}" for symbol, token, *_ in moved)
        st.caption(t("plane.moved", names=names) if moved else t("plane.hint"))


def put(symbol: str, token: int, tip: Sequence[float]) -> None:
    """Put one arrow somewhere."""
    _keep({(symbol, token): (float(tip[0]), float(tip[1]))})


def needs_plane(what: str) -> None:
    """Say why there is no plane: it has two features."""
    sizes = session.scene().projections
    st.caption(session.t()("plane.needs", name=what, got=getattr(sizes, what)))


def moves(symbols: str = "qkv") -> list[Move]:
    """List where arrows of these symbols were dragged to, of those that are there."""
    scene = session.scene()
    sizes = {"q": scene.projections.d_k, "k": scene.projections.d_k, "v": scene.projections.d_v}
    dragged = session.settings().moves
    there = [move for move in dragged if move[0] in symbols and move[1] < len(scene.tokens)]
    return [move for move in there if sizes[move[0]] == 2]


def _take(dragged: Sequence[Move], query: int) -> None:
    """Keep where arrows were dragged to; what positions add to one is not its own."""
    scene = session.scene()
    trace = scene.trace.head(scene.head)
    added = {"k": trace.relative_key, "v": trace.relative_value}
    tips = {}
    for symbol, token, x, y in dragged:
        table = added.get(symbol)
        offset = (0.0, 0.0) if table is None else table[query, token].tolist()
        tips[symbol, token] = (x - offset[0], y - offset[1])
    _keep(tips)


def _keep(tips: dict[tuple[str, int], tuple[float, float]]) -> None:
    within = {of: tip for of, tip in tips.items() if max(map(abs, tip)) <= LARGEST_NUMBER}
    kept = {(symbol, token): tip for symbol, token, *tip in session.settings().moves} | within
    session.change("moves", moves=tuple((*of, *tip) for of, tip in sorted(kept.items())))


def _read(trace: HeadTrace, query: int) -> _Vectors:
    keys, values = trace.key, trace.value
    if trace.relative_key is not None:
        keys = keys + trace.relative_key[query]
    if trace.relative_value is not None:
        values = values + trace.relative_value[query]
    return _Vectors(trace.query[query], keys, values)


def _arrow(symbol: Symbol, token: int, trace: HeadTrace, read: _Vectors, home: _Vectors) -> Arrow:
    t, scene = session.t(), session.scene()
    added = trace.relative_key if symbol == "k" else trace.relative_value if symbol == "v" else None
    name = f"{symbol}{session.notation().index(token)}"
    tips = [getattr(each, symbol) for each in (read, home)]
    tip, before = (table if symbol == "q" else table[token] for table in tips)
    return Arrow(
        symbol=symbol,
        token=token,
        name=name if added is None else f"{name} + r",
        label=t(f"plane.{symbol}", name=name, token=scene.tokens[token], place=token + 1),
        tip=tip.tolist(),
        home=before.tolist(),
        hidden=symbol != "q" and bool(np.isneginf(trace.masked_scores[scene.query, token])),
    )


def _row(trace: HeadTrace, read: _Vectors, query: int, found: Importance | None) -> Row:
    masked = trace.masked_scores[query].tolist()
    return Row(
        query=read.q.tolist(),
        keys=read.k.tolist(),
        values=read.v.tolist(),
        scores=trace.scores[query].tolist(),
        masked=[score if np.isfinite(score) else None for score in masked],
        weights=trace.weights[query].tolist(),
        output=trace.output[query].tolist(),
        without=None if found is None else found.without.tolist(),
    )


def _lengths(trace: HeadTrace, read: _Vectors, query: int) -> list[float]:
    return np.linalg.norm(trace.weights[query][:, None] * read.v, axis=1).tolist()


def _law(trace: HeadTrace, query: int) -> Law:
    """Describe the choices as the browser computes them, and what only Python does."""
    choices, n_key = trace.choices, trace.n_key
    own = choices.arguments("normalizer")
    name, temperature = choices.normalizer, choices.temperature
    if temperature == 0 and name != "topk":
        name = "hardmax"
    if name == "entmax" and own.get("alpha", 1.5) - 1 < NEARLY_SOFTMAX:
        name = "softmax"
    offset = own.get("bias")
    bias = np.zeros(n_key) if trace.bias is None else trace.bias[query]
    return Law(
        score="dot" if choices.score == "dot" else "",
        normalizer=name if name in _LIVE else "",
        scale=trace.scale,
        bias=bias.tolist(),
        temperature=temperature,
        shares=choices.normalizer in DISTRIBUTIONS and bool(trace.weights[query].any()),
        k=own.get("k", 2),
        offset=-float(np.log(n_key)) if offset is None else float(offset),
    )
