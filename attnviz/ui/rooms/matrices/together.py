"""Pair by pair, or all at once: the same numbers, and no output waits for another."""

from dataclasses import replace

import numpy as np
import streamlit as st

from attnviz.attention.trace import HeadTrace
from attnviz.components.matrix import Cell, MatrixSpec, matrix
from attnviz.figures import formulas
from attnviz.figures.code_matrices import together_numpy, together_package
from attnviz.figures.labels import subscript
from attnviz.figures.products import score_equation
from attnviz.figures.whole import is_product
from attnviz.lessons.one_by_one import alone, one_by_one, work
from attnviz.text.numbers import magnitude, number, vector
from attnviz.ui import matrices, session, tools


def together() -> None:
    """Fill the table of scores one pair at a time, then all at once."""
    t, scene = session.t(), session.scene()
    head = scene.trace.head(scene.head)
    whole = work(head)
    done = _done(whole.pairs)
    tools.ask(t("together.asks", pairs=whole.pairs), small=True)
    _controls(done, whole.pairs)
    tables = _tables(head, done)
    place = divmod(done - 1, head.n_key) if done else None
    matrix(
        tables,
        key="pairs",
        label=t("together.label", done=done, pairs=whole.pairs),
        default_readout=_equation(head, place),
        on_cell=lambda cell: _to(tables, cell, head.n_key),
        chosen=None if place is None else _cell(place),
        size=session.size() * 0.95,
    )
    one, all_ = st.columns(2, gap="medium")
    with one:
        _one_by_one(head, done)
    with all_:
        _at_once(head)
    _say_and_code(head)


def _done(pairs: int) -> int:
    """Read how many pairs are done; at first, up to the asking token's own row."""
    amount = session.settings().amount
    if amount is not None and 0 <= amount <= pairs and float(amount).is_integer():
        return int(amount)
    scene = session.scene()
    return min(pairs, scene.query * len(scene.tokens) + 1)


def _controls(done: int, pairs: int) -> None:
    t = session.t()
    session.put("control.pairs", done)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="filling"):
        st.slider(
            t("together.done"),
            0,
            pairs,
            key="control.pairs",
            on_change=lambda: _fill(session.got("control.pairs")),
        )
        st.button(
            t("together.next"),
            icon=":material/skip_next:",
            disabled=done == pairs,
            on_click=_fill,
            args=(done + 1,),
        )
        st.button(
            t("together.all"),
            icon=":material/done_all:",
            type="primary",
            on_click=_fill,
            args=(pairs,),
        )


def _fill(done: int) -> None:
    session.change("amount", amount=done)


def _cell(place: tuple[int, int]) -> Cell:
    return Cell(2, *session.notation().pair(*place))


def _to(tables: list[MatrixSpec], cell: Cell, n_key: int) -> None:
    """Go on to the pair that was clicked."""
    query, key = (tables[cell.table].on_axis(axis, cell) for axis in ("query", "key"))
    if cell.table == 2 and query is not None and key is not None:
        _fill(query * n_key + key + 1)


def _tables(head: HeadTrace, done: int) -> list[MatrixSpec]:
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    query, key = divmod(done - 1, head.n_key) if done else (None, None)
    n, fit = session.notation(), scene.digits_fit
    asked = {"row_axis": "query", "row_in_hand": query, "notation": n}
    answered = {"row_axis": "key", "row_in_hand": key, "notation": n}
    limit = float(np.abs(head.scores).max()) or 1.0
    scores = matrices.token_by_token(
        head.scores,
        "scores",
        scene.tokens,
        t,
        digits,
        readouts=formulas.score_equations(head, digits) if fit else None,
        readout_template="" if fit else n.words(t)("see.score_cell"),
        limit=limit,
        legend=(number(-limit, digits), number(limit, digits)),
        sign="→",
    )
    left = np.arange(head.scores.size).reshape(head.scores.shape) >= done
    cells = [
        ["·" if waits else text for text, waits in zip(*row, strict=True)]
        for row in zip(scores.cells, left.tolist(), strict=True)
    ]
    filled_shape = scores.shape.strip("()")
    filled = replace(
        scores,
        cells=cells,
        values=np.where(left, 0.0, head.scores).tolist(),
        name=[("A", "name")],
        label=f"A, {t('see.scores_title')}, {filled_shape}",
    )
    queries = matrices.vectors(head.query, "q", "query", scene.tokens, t, digits, **asked)
    keys = matrices.vectors(head.key, "k", "key", scene.tokens, t, digits, **answered)
    queries = replace(_small(queries, head.query), name=[("Q", "name query")])
    keys = replace(_small(keys, head.key), name=[("K", "name key")])
    return [queries, keys, matrices.laid(filled, n)]


def _small(spec: MatrixSpec, array: np.ndarray) -> MatrixSpec:
    """Leave out the digits where many tokens stand below each other."""
    if session.scene().digits_fit:
        return spec
    return replace(spec, digits=False, values=session.notation().laid(array).tolist())


def _equation(head: HeadTrace, place: tuple[int, int] | None) -> str:
    if place is None:
        return session.t()("together.nothing")
    return score_equation(head, *place, session.settings().digits)


def _one_by_one(head: HeadTrace, done: int) -> None:
    t, part, whole = session.t(), work(head, done), work(head)
    st.markdown(t("together.one_by_one"))
    st.markdown(
        t(
            "together.counted",
            done=part.pairs,
            pairs=whole.pairs,
            multiplications=part.multiplications,
            all_multiplications=whole.multiplications,
            additions=part.additions,
            all_additions=whole.additions,
        )
    )


def _at_once(head: HeadTrace) -> None:
    t, whole = session.t(), work(head)
    n = session.notation()
    product = is_product(head) and head.choices.score == "dot"
    symbol = r"K^{\top} Q" if n.columns else r"Q K^{\top}"
    st.markdown(t("together.at_once" if product else "together.at_once_other", product=symbol))
    difference = float(np.abs(one_by_one(head) - head.scores).max())
    st.markdown(
        t(
            "together.product" if product else "together.pairs",
            n=head.n_query,
            terms=whole.terms,
            multiplications=whole.multiplications,
            difference=magnitude(difference),
        )
    )


def _say_and_code(head: HeadTrace) -> None:
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    i = scene.query
    row = alone(head, i)
    apart = float(np.abs(row - head.output[i]).max())
    said = t(
        "together.alone",
        i=subscript(i),
        place=i + 1,
        vector=vector(row.tolist(), digits),
        difference=magnitude(apart),
        n=head.n_query,
    )
    tools.say(said)
    if head.choices.score == "dot" and head.relative_key is None:
        tools.lines(
            "together", lambda: together_numpy(scene, t), lambda: together_package(scene, t)
        )
    else:
        tools.code("scores")
