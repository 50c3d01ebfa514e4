"""The graph that is in hand: its nodes, its edges, and the controls that change them."""

from functools import partial

import numpy as np
import streamlit as st

from attnviz.comparisons import graph as lesson
from attnviz.figures.labels import subscript
from attnviz.ui import session
from attnviz.ui.rooms.compare import kept, shown

MOST_LAYERS = 8
NODES, SENTENCE = "nodes", "sentence"
_FLAGS = ("s", "o")  # the sentence in hand; edges of one direction


def source_in_hand() -> str:
    """Tell what the nodes are: 8 drawn ones, or the tokens of the sentence in hand."""
    return SENTENCE if kept.whole("s", range(2), 0) else NODES


def names_in_hand() -> list[str]:
    """Name the nodes: by number, or by token."""
    if source_in_hand() == SENTENCE:
        return list(session.scene().tokens)
    return [str(node + 1) for node in range(lesson.N_NODES)]


def spoken_names() -> list[str]:
    """Name the nodes so that equal tokens stay apart."""
    names = names_in_hand()
    if source_in_hand() == NODES:
        return names
    return [name + subscript(place) for place, name in enumerate(names)]


def drawn_in_hand() -> lesson.Drawn:
    """Give the vectors and scores of the nodes: drawn, or those of the head in hand."""
    draw, scene = session.settings().draw, session.scene()
    if source_in_hand() == NODES:
        return lesson.Drawn.of(lesson.N_NODES, draw)
    scores = scene.trace.head(scene.head).scaled_scores
    return lesson.Drawn.over(scene.trace.encoded_inputs, scores, draw)


def edges_in_hand(n: int) -> np.ndarray:
    """Give the edges: those of the link where they fit, else the lecture's or a chain."""
    cells = session.settings().edges
    if len(cells) == n:
        return lesson.from_cells(cells)
    return lesson.lecture_graph() if source_in_hand() == NODES else lesson.chain(n)


def layers_in_hand() -> int:
    """Give how many layers stand on each other."""
    return int(shown.amount_among(range(1, MOST_LAYERS + 1), 1))


def one_way() -> bool:
    """Tell whether an edge has a direction."""
    return bool(kept.whole("o", range(2), 0))


def controls(n: int, allowed: np.ndarray, layers: int) -> None:
    """Draw what the nodes are, how edges run, how many layers there are, and ways to begin."""
    t, change = session.t(), partial(session.change, "graph")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        shown.choose(
            "graph.source",
            t("graph.source"),
            (NODES, SENTENCE),
            source_in_hand(),
            lambda name: t(f"graph.{name}"),
            lambda name: change(rung=kept.written(_FLAGS, s=int(name == SENTENCE)), edges=()),
        )
        session.put("graph.loops", bool(allowed.diagonal().all()))
        st.toggle(t("graph.loops"), key="graph.loops", on_change=lambda: _loops(allowed))
        session.put("graph.one_way", one_way())
        st.toggle(
            t("graph.one_way"),
            key="graph.one_way",
            on_change=lambda: _turn(allowed),
        )
        shown.slide(
            "graph.layers",
            t("graph.layers"),
            range(1, MOST_LAYERS + 1),
            layers,
            lambda value: change(amount=value),
            width=170,
        )
        for name, edges in (("none", np.eye(n)), ("all", np.ones((n, n)))):
            st.button(
                t(f"graph.{name}"),
                key=f"graph.{name}",
                type="tertiary",
                on_click=change,
                kwargs={"edges": lesson.as_cells(edges.astype(bool))},
            )
        st.button(
            t("graph.start"),
            icon=":material/restart_alt:",
            key="graph.start",
            type="tertiary",
            on_click=change,
            kwargs={"edges": ()},
        )


def _loops(allowed: np.ndarray) -> None:
    changed = allowed.copy()
    np.fill_diagonal(changed, session.got("graph.loops"))
    session.change("graph", edges=lesson.as_cells(changed))


def _turn(allowed: np.ndarray) -> None:
    """Let edges have directions, or join both ways whatever is joined in one."""
    directed = session.got("graph.one_way")
    edges = allowed if directed else allowed | allowed.T
    session.change(
        "graph", rung=kept.written(_FLAGS, o=int(directed)), edges=lesson.as_cells(edges)
    )


def painted(allowed: np.ndarray, cells: tuple[str, ...]) -> None:
    """Take a painted mask over; edges without a direction are painted both ways."""
    edges = lesson.from_cells(cells)
    if not one_way():
        edges = lesson.both_ways(allowed, edges)
    session.change("graph", edges=lesson.as_cells(edges))
