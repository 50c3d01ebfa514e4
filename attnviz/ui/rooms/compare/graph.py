"""Attention on a graph: who may look is who is joined."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attnviz.comparisons import graph as lesson
from attnviz.comparisons.costs import UNREACHED
from attnviz.components import Text
from attnviz.components.matrix import MatrixSpec, matrix
from attnviz.components.painter import PainterSpec, PainterWords, painter
from attnviz.figures import code_comparisons
from attnviz.figures import graph as figures
from attnviz.scene import DIGITS_TOKENS
from attnviz.text.numbers import number
from attnviz.ui import matrices, refusals, session, tools
from attnviz.ui.plots import plot
from attnviz.ui.rooms.compare import chosen_graph as chosen
from attnviz.ui.rooms.compare import shown

WAYS = ("masked", "zero", "gat", "gat2")
_PRESENTED = 0.8  # as large as all three pictures can be on a projector


def graph() -> None:
    """Draw the graph, its edges to click, and the row of who asks, read in four ways."""
    t, names = session.t(), chosen.names_in_hand()
    n, layers = len(names), chosen.layers_in_hand()
    allowed, drawn = chosen.edges_in_hand(n), chosen.drawn_in_hand()
    query = min(session.settings().query, n - 1)
    found = lesson.Compared.of(drawn, allowed)
    tools.ask(t("graph.question"))
    spoken = chosen.spoken_names()
    values = _values(found, query, layers, spoken)
    shown.answer(_answer(found, query, values))
    shown.arranged(
        lambda: chosen.controls(n, allowed, layers), lambda: _first(found, query, layers)
    )
    tools.say(t("graph.say", **values | {"name": spoken[query]}))
    reach, leaks, ranks = _tables(found, query, layers)
    lost = "graph.unreached" if (found.hops == UNREACHED).any() else "graph.linked"
    reach.markdown(t("graph.reach", **values) + " " + t(lost, **values))
    leaks.markdown(t("graph.leaks", **values))
    with ranks:
        st.markdown(t("graph.ranks", **values))
        tools.lines(
            "graph",
            lambda: code_comparisons.graph_numpy(drawn, allowed, names, t),
            lambda: code_comparisons.graph_package(drawn, allowed, names, t),
        )


def _tables(found: lesson.Compared, query: int, layers: int) -> Sequence[DeltaGenerator]:
    """Draw all weights and all hops beside each other, as many as have room.

    What is given are the places of three paragraphs: beneath the tables, or beside the last one.
    """
    if len(found.allowed) <= lesson.N_NODES:
        left, right = st.columns([2, 1], gap="medium")
        with left:
            _maps(found, query, ("masked", "gat"))
        with right:
            _hops(found, query, layers)
        return st.columns(3, gap="medium")
    for column, way in zip(st.columns(2, gap="medium"), ("masked", "gat"), strict=True):
        with column:
            _maps(found, query, (way,))
    left, right = st.columns(2, gap="medium")
    with left:
        _hops(found, query, layers)
    return right, right, right


def _labels(names: list[str]) -> list[Text]:
    return matrices.labels(names) if chosen.source_in_hand() == chosen.SENTENCE else list(names)


def _values(found: lesson.Compared, query: int, layers: int, names: list[str]) -> dict[str, object]:
    dots, gats, gats_2 = found.orders()
    worst = int(found.leaked.argmax())
    digits = session.settings().digits
    hidden = int((~found.allowed[query]).sum())
    reached = found.reached(query, layers)
    farthest = int(found.hops.max(initial=0))
    return {
        "name": refusals.escape(names[query]),
        "n": len(names),
        "seen": int(found.allowed[query].sum()),
        "edges": figures.edges_between(found),
        "hidden": hidden,
        "leak": _percent(float(found.leaked[query])),
        "worst": refusals.escape(names[worst]),
        "worst_leak": _percent(float(found.leaked[worst])),
        "one": number(1, digits),
        "dots": dots,
        "gats": gats,
        "gats_2": gats_2,
        "layers": layers,
        "reached": int(reached.sum()),
        "needed": farthest,
        "parts": int((found.hops[query] == UNREACHED).sum()),
    }


def _percent(share: float) -> str:
    return f"{number(round(100 * share, 1), 1)} %"


def _answer(found: lesson.Compared, query: int, values: dict[str, object]) -> str:
    t = session.t()
    if not found.allowed.any():
        return t("graph.empty", **values)
    if not found.allowed[query].any():
        return t("graph.alone", **values)
    return t("graph.whole" if found.allowed[query].all() else "graph.answer", **values)


def _first(found: lesson.Compared, query: int, layers: int) -> None:
    """Draw the edges to click, and beside them the graph."""
    t, names, turned = session.t(), chosen.names_in_hand(), session.notation().columns
    asks, asked = ("{column}", "{row}") if turned else ("{row}", "{column}")
    present = session.settings().present
    few = len(names) <= lesson.N_NODES
    beside = [5, 7, 9] if present else [5, 6, 10]
    sizes = beside if few else [1, 1]
    left, right, *row = st.columns(sizes, gap="small", vertical_alignment="center")
    with left:
        painter(
            PainterSpec(
                name=[("M", "name")],
                label=t("graph.edges_label"),
                title=t("graph.edges_title"),
                cells=found.allowed.tolist(),
                labels=_labels(names),
                in_hand=query,
                turned=turned,
            ),
            key="graph_edges",
            words=PainterWords(
                may=t("graph.joined", query=asks, key=asked),
                may_not=t("graph.not_joined", query=asks, key=asked),
            ),
            on_paint=partial(chosen.painted, found.allowed),
            size=_PRESENTED if present else 1.0,
        )
    with right:
        plot(
            figures.node_link(
                found,
                query,
                layers,
                chosen.spoken_names(),
                t,
                session.theme(),
                digits=session.settings().digits,
                both_ways=not chosen.one_way(),
                solid=_named_in_lecture(),
            ),
            figures.node_link_alt(found, query, layers, chosen.spoken_names(), t),
            "graph",
        )
        if not present:
            _lecture(allowed=found.allowed)
    with row[0] if row else right:
        _row(found, query)
    if present:
        _lecture(allowed=found.allowed)


def _lecture(allowed: np.ndarray) -> None:
    """Say which of the edges that are drawn the lecture names, and whether there are others."""
    t, named = session.t(), _named_in_lecture()
    if named is None:
        return
    joined = {(i, j) for i, j in np.argwhere(np.triu(allowed | allowed.T, 1)).tolist()}
    solid = [f"{one + 1}–{other + 1}" for one, other in sorted(joined & named)]
    lines = [t("graph.lecture", edges=t("graph.comma").join(solid))] if solid else []
    lines += [t("graph.added")] if joined - named else []
    if lines:
        st.caption(" ".join(lines))


def _named_in_lecture() -> frozenset[tuple[int, int]] | None:
    """Give the places of the edges that the lecture names; a sentence has none."""
    if chosen.source_in_hand() == chosen.SENTENCE:
        return None
    return frozenset((one - 1, other - 1) for one, other in lesson.LECTURE_EDGES)


def _row(found: lesson.Compared, query: int) -> None:
    """Draw the row of who asks in four ways; a click on a node lets it ask."""
    t, names, digits = session.t(), chosen.names_in_hand(), session.settings().digits
    title = t("graph.row", name=chosen.spoken_names()[query])
    rows = np.stack([getattr(found, way)[query] for way in WAYS])
    hidden = np.tile(~found.allowed[query], (len(WAYS), 1))
    hidden[1] = False
    leaks = [float(found.leaked[query]) if way == "zero" else 0.0 for way in WAYS]
    spec = MatrixSpec(
        name=[("α′", "name")],
        label=title,
        title=title,
        kind="weights",
        cells=[[number(value, digits) for value in row] for row in rows.tolist()],
        exact=rows,
        values=rows.tolist(),
        masked=hidden.tolist(),
        row_labels=[t(f"graph.{way}") for way in WAYS],
        column_labels=_labels(names),
        column_title=t("graph.node"),
        column_in_hand=query,
        pick_columns=True,
        digits=len(names) <= DIGITS_TOKENS,
        sums=[
            t("graph.sum", sum=total, leak=_percent(leak))
            for total, leak in zip(matrices.sums(rows, digits), leaks, strict=True)
        ],
        sum_title=t("graph.sums"),
        readout_template=t("graph.cell", row="{row}", column="{column}", value="{value}"),
    )
    matrix(
        [matrices.laid(spec, session.notation())],
        key="graph_row",
        label=title,
        default_readout=t("graph.point"),
        on_query=session.ask,
        size=_PRESENTED if session.settings().present or len(names) > lesson.N_NODES else 1.0,
    )


def _maps(found: lesson.Compared, query: int, ways: Sequence[str]) -> None:
    t, names = session.t(), chosen.names_in_hand()
    specs = []
    for way in ways:
        spec = matrices.token_by_token(
            getattr(found, way),
            "weights",
            names,
            t,
            session.settings().digits,
            masked=(~found.allowed).tolist(),
            row_in_hand=query,
            readout_template=t("see.cell"),
            pick_rows=True,
            notation=session.notation(),
        )
        title = t(f"graph.{way}_title")
        labels = {"row_labels": _labels(names), "column_labels": _labels(names)}
        plain = {"label": f"{title}, {spec.shape}", "row_title": "", "column_title": ""}
        specs.append(replace(spec, title=title, **labels, **plain))
    matrix(
        specs,
        key=f"graph_{'_'.join(ways)}",
        label=t("graph.maps"),
        default_readout=t("graph.point"),
        on_query=session.ask,
        size=session.size() * 0.78,
    )


def _hops(found: lesson.Compared, query: int, layers: int) -> None:
    """Draw how many layers each node needs to reach each other one."""
    t, names, hops = session.t(), chosen.names_in_hand(), found.hops
    far = hops == UNREACHED
    spec = MatrixSpec(
        name="",
        label=t("graph.hops"),
        title=t("graph.hops"),
        kind="weights",
        cells=[["–" if hop < 0 else str(hop) for hop in row] for row in hops.tolist()],
        exact=[[None if hop < 0 else hop for hop in row] for row in hops.tolist()],
        values=np.where(far, 0.0, hops <= layers).astype(float).tolist(),
        limit=3.0,
        masked=far.tolist(),
        row_labels=_labels(names),
        column_labels=_labels(names),
        row_in_hand=query,
        pick_rows=True,
        digits=len(names) <= DIGITS_TOKENS,
        readout_template=t("graph.hop", row="{row}", column="{column}", value="{value}"),
    )
    matrix(
        [matrices.laid(spec, session.notation())],
        key="graph_hops",
        label=t("graph.hops"),
        default_readout=t("graph.hops_note", layers=layers),
        on_query=session.ask,
        size=session.size() * 0.78,
    )
