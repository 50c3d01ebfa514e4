"""One moment of the film: what the model can do by then, and where two of its heads look."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from attnviz.components.heat_canvas import HeatMap, heat_canvas
from attnviz.components.matrix import matrix
from attnviz.figures.film import Pair, Shown, head_name
from attnviz.models.induction.film import Moment
from attnviz.models.induction.replayed import Replay, signs_twice
from attnviz.models.views import packed
from attnviz.text.numbers import decimals, number
from attnviz.ui import matrices, session, tools
from attnviz.ui.heats import heat_words

KINDS = ("previous", "induction")
_SIGNS = {" ": "␣", "\n": "↵"}
_SQUARES = 24  # tokens that are drawn as squares which can be pointed at
_TALLEST = 330  # pixels of a map of more tokens


def text() -> str:
    """Give the text that is read: the person's own, or random signs twice."""
    settings = session.settings()
    return settings.against_text or signs_twice(settings.draw)


def place(film: Sequence[Moment]) -> int:
    """Find the moment that is looked at: the last, unless the link says another."""
    steps, asked = [moment.step for moment in film], session.settings().amount
    return steps.index(int(asked)) if asked in steps else len(steps) - 1


def look(film: Sequence[Moment]) -> Shown:
    """Read which heads are looked at: the best of the last moment, unless the link says others."""
    settings = session.settings()
    best = [_best(getattr(film[-1], kind)) for kind in KINDS]
    asked = settings.heads_shown if len(settings.heads_shown) == len(KINDS) else best
    previous, induction = (
        pair if pair in pairs(film) else own for pair, own in zip(asked, best, strict=True)
    )
    return Shown(previous=previous, induction=induction)


def pairs(film: Sequence[Moment]) -> list[Pair]:
    """List every head of the model."""
    return [(layer, head) for layer, own in enumerate(film[0].previous) for head in range(len(own))]


def _best(scores: Sequence[Sequence[float]]) -> Pair:
    each = {(i, j): score for i, own in enumerate(scores) for j, score in enumerate(own)}
    return max(each, key=lambda pair: each[pair])


def draw(film: Sequence[Moment], moment: Moment, seen: Replay) -> None:
    """Draw the scores of both heads at a moment, their maps, and the sentence that reads them."""
    shown = look(film)
    st.markdown(_status(moment, shown, seen))
    for kind, column in zip(KINDS, st.columns(len(KINDS), gap="small"), strict=True):
        with column:
            _map(moment, seen, kind, getattr(shown, kind))
    tools.say(said(film, moment, seen))


def _status(moment: Moment, shown: Shown, seen: Replay) -> str:
    """Say in one line what the model can do at this moment."""
    said = [
        f"{_titled(kind, getattr(shown, kind))} {_score(moment, shown, kind)}" for kind in KINDS
    ]
    return " · ".join([*said, _known(seen)])


def _titled(kind: str, pair: Pair) -> str:
    return f"{head_name(pair)} {session.t()(f'film.{kind}')}"


def _score(moment: Moment, shown: Shown, kind: str) -> str:
    layer, head = getattr(shown, kind)
    return decimals(getattr(moment, kind)[layer][head], 2)


def _known(seen: Replay) -> str:
    """Say how much of the second copy was known before it came."""
    t, found = session.t(), seen.copies
    if found is None:
        return t("film.no_copies")
    # nothing of its copy foretells the first sign
    right = seen.right[found.second : found.second + found.length - 1]
    return t("film.known", k=int(right.sum()), n=len(right))


def _map(moment: Moment, seen: Replay, kind: str, pair: Pair) -> None:
    """Draw who looks where in one head."""
    signs, title = [_SIGNS.get(sign, sign) for sign in seen.signs], _titled(kind, pair)
    key = f"film_{kind}_{moment.step}"
    if len(signs) <= _SQUARES:
        _squares(seen.weights[pair], signs, title, key)
    else:
        _canvas(seen.weights[pair], signs, title, key)


def _squares(array: np.ndarray, signs: Sequence[str], title: str, key: str) -> None:
    """Draw a map as squares that can be pointed at."""
    t, notation = session.t(), session.notation()
    table = matrices.token_by_token(array, "weights", signs, t, 2, notation=notation)
    matrix(
        [replace(table, title=title, digits=False)],
        key=key,
        label=title,
        default_readout=t("train.weights_hint"),
        size=0.85,
    )


def _canvas(array: np.ndarray, signs: Sequence[str], title: str, key: str) -> None:
    """Draw a large map on a canvas; what is pointed at in one is looked at in all."""
    n = len(signs)
    tops, cells = packed(array)
    ranges = np.stack([np.zeros(n), np.arange(n)], axis=1).astype(np.int32)
    st.caption(title)
    heat_canvas(
        HeatMap(
            label=title, queries=signs, keys=signs, tops=tops, cells=cells, ranges=ranges.tobytes()
        ),
        key=key,
        group="film",
        words=heat_words(),
        theme=session.theme(),
        text=text(),
        turned=session.notation().columns,
        tallest=_TALLEST,
    )


def said(film: Sequence[Moment], moment: Moment, seen: Replay) -> str:
    """Say in a sentence what the heads that are looked at do at a moment."""
    shown = look(film)
    return session.t()(
        "film.say",
        step=number(moment.step),
        previous=head_name(shown.previous),
        previous_score=_score(moment, shown, "previous"),
        induction=head_name(shown.induction),
        induction_score=_score(moment, shown, "induction"),
        known=_known(seen),
    )
