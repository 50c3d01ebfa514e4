"""The scores of one token under every normalizer, with what each makes of them."""

from typing import Any

import numpy as np
import streamlit as st

from attnviz.attention import NORMALIZERS
from attnviz.components import Text
from attnviz.components.matrix import MatrixSpec, matrix
from attnviz.figures import code_rows
from attnviz.figures.labels import subscript
from attnviz.figures.normalized import name_of, normalizer_bars, normalizer_bars_alt
from attnviz.figures.plane import read_values
from attnviz.figures.spoken_bench import or_none, short_vector, written_table
from attnviz.lessons.normalized import NAIVE, Normalized, under_each
from attnviz.scene import DIGITS_TOKENS, WITH_LIMIT
from attnviz.ui import matrices, refusals, session, style, tools
from attnviz.ui.plots import plot

_LEAST_WIDTH = 900


def normalizers() -> None:
    """Draw one token's weights under every normalizer, and what comes of them."""
    t, scene, settings = session.t(), session.scene(), session.settings()
    found, digits = normalized(), settings.digits
    tools.ask(t("normalizers.title"))
    head, i = scene.trace.head(scene.head), scene.query
    scores = short_vector(head.masked_scores[i], t, digits)
    who_asks("normalizers.strip", t("normalizers.strip"), f"α{subscript(i)} = {scores}")
    if not session.alone():
        style.least_width("plot-normalizers", _LEAST_WIDTH)
    plot(
        normalizer_bars(
            found,
            scene.tokens,
            t,
            session.theme(),
            chosen=settings.normalizer,
            digits=digits,
        ),
        normalizer_bars_alt(found, t, digits=digits),
        "normalizers",
    )
    said, code = st.columns([8, 1], vertical_alignment="top")
    with said:
        tools.say(_sentence(found))
    with code:
        tools.lines(
            "normalizers",
            lambda: code_rows.normalizers_numpy(scene, settings, t),
            lambda: code_rows.normalizers_package(scene, settings, t),
        )
    _table(found)
    st.caption(t("normalizers.why"))


def normalized() -> tuple[Normalized, ...]:
    """Give the weights of the token in hand under every normalizer that takes the temperature."""
    scene, settings = session.scene(), session.settings()
    head, i = scene.trace.head(scene.head), scene.query
    return under_each(
        head.masked_scores[i],
        read_values(head, i),
        names=[name for name in NORMALIZERS if settings.temperature or name in WITH_LIMIT],
        temperature=settings.temperature,
        parameters={name: getattr(settings, name) for name in ("alpha", "k", "bias")},
    )


def who_asks(key: str, label: str, says: str) -> None:
    """Choose the token in hand; one line says what is worked on."""
    scene = session.scene()
    matrix(
        [],
        key=key,
        label=label,
        default_readout=says,
        size=session.size(),
        tokens=matrices.labels(scene.tokens),
        tokens_label=session.t()("tokens.asks"),
        query=scene.query,
        on_query=session.ask,
    )


def _table(found: tuple[Normalized, ...]) -> None:
    t = session.t()

    def use(row: int) -> None:
        if row < len(found) and found[row].name != NAIVE:
            session.change("normalizers", normalizer=found[row].name)

    matrix(
        [_weights(found), _entropies(found), _outputs(found)],
        key="normalizers.table",
        label=t("normalizers.table"),
        default_readout=t("normalizers.readout"),
        on_query=use,
        size=session.size(),
    )
    refusals.show("normalizers")


def _weights(found: tuple[Normalized, ...]) -> MatrixSpec:
    """Describe the weights: a normalizer a row in either notation, since this is no map."""
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    table = [one.weights.tolist() for one in found]
    title, notes = t("normalizers.weights_title"), _notes(found)
    sums = [or_none(one.total, t, digits) for one in found]
    return MatrixSpec(
        name=[("α′", "name"), (str(scene.query + 1), "sub")],
        title=title,
        label=f"α′{subscript(scene.query)} {title}",
        kind="weights",
        cells=written_table(table, t, digits),
        exact=table,
        values=np.nan_to_num(np.array(table)).tolist(),
        limit=1.0,
        sums=sums,
        column_labels=matrices.labels(scene.tokens),
        column_axis="key",
        row_readouts=notes,
        readouts=[[note] * len(scene.tokens) for note in notes],
        digits=len(scene.tokens) <= DIGITS_TOKENS,
        **_rows(found),
    )


def _entropies(found: tuple[Normalized, ...]) -> MatrixSpec:
    """Describe how evenly each normalizer shares, where it does share."""
    t, digits, notes = session.t(), session.settings().digits, _notes(found)
    title = t("normalizers.entropy_title")
    table = [(one.entropy, one.effective) for one in found]
    return MatrixSpec(
        name=[("H", "name")],
        title=title,
        label=f"H {title}",
        cells=written_table(table, t, digits),
        exact=table,
        column_labels=[[("H", "name")], [("e", "name"), ("H", "sup")]],
        row_readouts=notes,
        readouts=[[note] * 2 for note in notes],
        **_rows(found),
    )


def _outputs(found: tuple[Normalized, ...]) -> MatrixSpec:
    """Describe the output that each normalizer's weights give."""
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    outputs, notes = [one.output.tolist() for one in found], _notes(found)
    title, width = t("see.output_title"), len(outputs[0])
    return MatrixSpec(
        name=[("b", "name"), (str(scene.query + 1), "sub")],
        title=title,
        label=f"b{subscript(scene.query)} {title}",
        kind="output",
        cells=written_table(outputs, t, digits),
        exact=outputs,
        column_labels=[str(place + 1) for place in range(width)],
        column_title=t("see.features"),
        row_readouts=notes,
        readouts=[[note] * width for note in notes],
        **_rows(found),
    )


def _rows(found: tuple[Normalized, ...]) -> dict[str, Any]:
    """Say what every table has in common: a normalizer a row, the one in force in hand."""
    t, names = session.t(), [one.name for one in found]
    return {
        "row_labels": [name_of(name, t) for name in names],
        "row_axis": "normalizer",
        "row_in_hand": names.index(session.settings().normalizer),
        "pick_rows": True,
    }


def _notes(found: tuple[Normalized, ...]) -> list[Text]:
    """Say of each normalizer whether its weights are a distribution."""
    t, digits = session.t(), session.settings().digits
    notes: list[Text] = []
    for one in found:
        total = or_none(one.total, t, digits)
        verdict = t("normalizers.shared") if one.shared else t("normalizers.not_shared", sum=total)
        notes.append(t("normalizers.row_note", name=name_of(one.name, t), verdict=verdict))
    return notes


def _sentence(found: tuple[Normalized, ...]) -> str:
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    head, i = scene.trace.head(scene.head), scene.query
    real = [one for one in found if one.name != NAIVE]
    shared = [one for one in real if one.shared]
    sharpest = max(shared, key=lambda one: float(one.weights.max()))
    return t(
        "normalizers.say",
        place=i + 1,
        scores=short_vector(head.masked_scores[i], t, digits),
        shared=len(shared),
        count=len(real),
        most=name_of(sharpest.name, t),
        top=or_none(float(sharpest.weights.max()), t, digits),
        naive=short_vector(found[-1].weights, t, digits),
    )
