"""One query against every key, scored in several ways, with what each score reads."""

import numpy as np
import streamlit as st

from attnviz.components import Text
from attnviz.components.matrix import MatrixSpec, matrix
from attnviz.figures import code_rows
from attnviz.figures.labels import subscript
from attnviz.figures.scorings import formula, term_lines
from attnviz.figures.spoken_bench import short_vector
from attnviz.lessons.scored import Scored, in_each_way
from attnviz.scene import DIGITS_TOKENS
from attnviz.text.numbers import number, table
from attnviz.ui import matrices, refusals, session, tools
from attnviz.ui.rooms.lab.normalizers import who_asks

_READS = {"additive": "reads_network", "bilinear": "reads_matrix"}


def score_functions() -> None:
    """Draw the scores of one token in every way, the weights they become, and what they read."""
    t, scene, settings = session.t(), session.scene(), session.settings()
    head, i = scene.trace.head(scene.head), scene.query
    found = in_each_way(head, i, settings.seed)
    tools.ask(t("scorings.title"))
    query = short_vector(head.query[i], t, settings.digits)
    who_asks("scorings.strip", t("scorings.table"), f"q{subscript(i)} = {query}")
    matrix(
        [_scores(found), _weights(found)],
        key="scorings.table",
        label=t("scorings.table"),
        default_readout=t("scorings.readout"),
        on_query=_use,
        size=session.size(),
    )
    refusals.show("scorings")
    said, code = st.columns([8, 1], vertical_alignment="top")
    with said:
        tools.say(_sentence(found))
    with code:
        tools.lines(
            "scorings",
            lambda: code_rows.scorings_numpy(scene, t),
            lambda: code_rows.scorings_package(scene, t),
        )
    _operands(found)
    st.caption(t("scorings.note"))


def _use(row: int) -> None:
    """Score with this function everywhere."""
    found = in_each_way(session.scene().trace.head(session.scene().head), 0, 0)
    name = found[row].name if row < len(found) else ""
    if name in ("dot", "scaled"):
        session.change("scorings", score="dot", scale="none" if name == "dot" else "sqrt_d_k")
    elif name:
        session.change("scorings", score=name)


def _chosen(found: tuple[Scored, ...]) -> int | None:
    """Give the row that is in force: scaled where the settings divide by √d_k."""
    settings, names = session.settings(), [one.name for one in found]
    if settings.score != "dot":
        return names.index(settings.score)
    return {"none": 0, "sqrt_d_k": 1}.get(str(settings.scale))


def _scores(found: tuple[Scored, ...]) -> MatrixSpec:
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    scores = np.array([one.scores for one in found])
    lines = [term_lines(one, scene.query, t, digits) for one in found]
    title = t("scorings.scores_title")
    return MatrixSpec(
        name=[("α", "name"), (str(scene.query + 1), "sub")],
        title=title,
        label=f"α{subscript(scene.query)} {title}",
        kind="scores",
        cells=table(scores, digits),
        exact=scores,
        values=scores.tolist(),
        readouts=lines,
        **_common(found),
    )


def _weights(found: tuple[Scored, ...]) -> MatrixSpec:
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    weights = np.array([one.weights for one in found])
    title = t("scorings.weights_title")
    return MatrixSpec(
        name=[("α′", "name"), (str(scene.query + 1), "sub")],
        title=title,
        label=f"α′{subscript(scene.query)} {title}",
        kind="weights",
        cells=table(weights, digits),
        exact=weights,
        values=weights.tolist(),
        limit=max(1.0, float(weights.max())),
        sums=matrices.sums(weights, digits),
        sign="→",
        **_common(found),
    )


def _common(found: tuple[Scored, ...]) -> dict:
    t, tokens = session.t(), session.scene().tokens
    labels: list[Text] = [t(f"scorings.{one.name}") for one in found]
    return {
        "row_labels": labels,
        "column_labels": matrices.labels(tokens),
        "row_axis": "score",
        "column_axis": "key",
        "row_in_hand": _chosen(found),
        "digits": len(tokens) <= DIGITS_TOKENS,
        "pick_rows": True,
    }


def _operands(found: tuple[Scored, ...]) -> None:
    """Label what each score reads, and how far it can reach."""
    t, digits, n = session.t(), session.settings().digits, session.notation()
    for column, one in zip(st.columns(len(found), gap="small"), found, strict=True):
        with column:
            st.markdown(f"**{t(f'scorings.{one.name}')}**")
            st.latex(formula(one.name, n))
            reach = t("scorings.range_any")
            if one.range is not None:
                least, most = (number(end, digits) for end in one.range)
                reach = t("scorings.range_between", least=least, most=most)
            reads = _READS.get(one.name, "reads_pair")
            st.caption(t("scorings.operands", reads=t(f"scorings.{reads}"), range=reach))


def _sentence(found: tuple[Scored, ...]) -> str:
    t, digits = session.t(), session.settings().digits
    by_name = {one.name: one for one in found}
    said = {}
    for name in ("dot", "cosine"):
        one = by_name[name]
        said[f"{name}_least"] = number(one.scores.min(), digits)
        said[f"{name}_most"] = number(one.scores.max(), digits)
        said[f"{name}_top"] = number(one.weights.max(), digits)
    return t("scorings.say", place=session.scene().query + 1, **said)
