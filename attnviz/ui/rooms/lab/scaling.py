"""Why ÷ √d, and √ of which d: random vectors of growing width, and the person's own scores."""

from typing import Any

import numpy as np
import streamlit as st

from attnviz.attention import HeadTrace, attend_heads
from attnviz.attention.choices import HeadChoices
from attnviz.attention.metrics import effective_tokens
from attnviz.attention.normalizers import DISTRIBUTIONS
from attnviz.components import Text
from attnviz.components.matrix import MatrixSpec, matrix
from attnviz.figures import code_trials
from attnviz.figures import scaling as figures
from attnviz.lessons.scaling import (
    MEASURES,
    N_KEYS,
    N_TRIALS,
    WIDTHS,
    Measures,
    spread_by_divisor,
)
from attnviz.text.numbers import decimals, table
from attnviz.ui import cached, matrices, session, style, tools
from attnviz.ui.plots import plot

USUAL_WIDTH, USUAL_HEADS = 16, 4
_LEAST_WIDTH, _LEAST_ROW = 900, 400
_PRESENTED = {True: 430, False: None}


def width_explorer() -> None:
    """Draw what random scores do as vectors grow wider, unscaled and divided by √d."""
    t, settings, digits = session.t(), session.settings(), session.settings().digits
    found, width = cached.width_study(settings.seed), chosen_width()
    tools.ask(t("scaling.question"))
    _slider(width)
    style.least_width("plot-widths", _LEAST_WIDTH)
    style.least_width("plot-row", _LEAST_ROW)
    theme, present = session.theme(), settings.present
    per_row = 2 if present else len(MEASURES)
    plot(
        figures.width_curves(found, width, t, theme, digits=digits, per_row=per_row),
        figures.width_curves_alt(found, t, digits=digits),
        "widths",
        natural=present,
    )
    place = WIDTHS.index(width)
    unscaled, scaled = found.unscaled, found.scaled
    said, code = st.columns([8, 1], vertical_alignment="top")
    with said:
        tools.say(
            t(
                "scaling.say",
                d=width,
                spread=decimals(unscaled.spread[place], digits),
                largest=decimals(unscaled.largest[place], digits),
                scaled_spread=decimals(scaled.spread[place], digits),
                scaled_largest=decimals(scaled.largest[place], digits),
            )
        )
    with code:
        tools.lines(
            "scaling",
            lambda: code_trials.scaling_numpy(settings.seed, width, t),
            lambda: code_trials.scaling_package(settings.seed, width, t),
        )
    row, which = st.columns(2, gap="large")
    with row:
        st.markdown(f"**{t('scaling.row_title', d=width, n_keys=N_KEYS)}**")
        plot(
            figures.row_bars(found, width, t, theme, digits=digits, width=_PRESENTED[present]),
            figures.row_bars_alt(found, width, t, digits=digits),
            "row",
            natural=present,
        )
    with which:
        _which_d(width)
    st.caption(t("scaling.note", n_trials=N_TRIALS, n_keys=N_KEYS, seed=settings.seed))
    _table(found.unscaled, found.scaled, width)
    _own_scores()


def chosen_width() -> int:
    """Give the width looked at: the panel's number, where it is one of those listed."""
    amount = session.settings().amount
    return int(amount) if amount in WIDTHS else USUAL_WIDTH


def _slider(width: int) -> None:
    t = session.t()
    session.put("scaling.width", width)
    st.select_slider(
        t("scaling.slider"),
        WIDTHS,
        key="scaling.width",
        width=520,
        on_change=lambda: session.change("scaling", amount=session.got("scaling.width")),
    )


def _which_d(width: int) -> None:
    """Compare the divisors: the width of a head, that of the model, and none."""
    t, settings, scene = session.t(), session.settings(), session.scene()
    own = scene.projections
    n_heads = own.n_heads if own.n_heads > 1 else USUAL_HEADS
    spread = float(cached.width_study(settings.seed).unscaled.spread[WIDTHS.index(width)])
    mine = float(cached.width_study(settings.seed, (own.d_k,)).unscaled.spread[0])
    rows = [
        (width, width * n_heads, spread_by_divisor(spread, width, width * n_heads)),
        (own.d_k, own.d_model, spread_by_divisor(mine, own.d_k, own.d_model)),
    ]
    st.markdown(f"**{t('scaling.which_title')}**")
    names = ("d_k", "d_model", "none")
    exact = [[row[2][name] for name in names] for row in rows]
    cells = table(exact, settings.digits)
    labels = [f"{d_k} / {d_model}" for d_k, d_model, _ in rows]
    matrix(
        [
            MatrixSpec(
                name=[("σ", "name")],
                label=t("scaling.which_title"),
                title=t("scaling.which_short"),
                cells=cells,
                exact=exact,
                row_labels=[labels[0], t("scaling.yours", sizes=labels[1])],
                column_labels=[_divisor("k"), _divisor("model"), t("scaling.by_none")],
                row_title="d_k / d_model",
            )
        ],
        key="which_d",
        label=t("scaling.which_title"),
        default_readout=t(
            "scaling.which_says",
            d_k=width,
            n_heads=n_heads,
            d_model=rows[0][1],
            spread=cells[0][0],
            small=cells[0][1],
        ),
        size=session.size(),
    )


def _divisor(of: str) -> Text:
    return ["÷√d", (of, "sub")]


def _table(unscaled: Measures, scaled: Measures, width: int) -> None:
    """Draw the numbers behind the curves; a click on a width chooses it."""
    t, digits = session.t(), session.settings().digits
    hand: dict[str, Any] = {
        "row_labels": [str(each) for each in WIDTHS],
        "column_labels": [t(f"scaling.{name}_short") for name in MEASURES],
        "row_title": "d",
        "row_axis": "width",
        "column_axis": "measure",
        "row_in_hand": WIDTHS.index(width),
        "pick_rows": True,
    }
    tables = []
    for side, measures in (("unscaled", unscaled), ("scaled", scaled)):
        columns = np.array([getattr(measures, name) for name in MEASURES]).T
        cells = [[decimals(value, digits) for value in row] for row in columns.tolist()]
        title = t(f"scaling.{side}_title")
        said = {"name": "", "label": title, "title": title}
        tables.append(MatrixSpec(**said, cells=cells, exact=columns, **hand))
    matrix(
        tables,
        key="width_table",
        label=t("scaling.table"),
        default_readout=t("scaling.table_says"),
        on_query=lambda row: session.change("scaling", amount=WIDTHS[row]),
        size=session.size(),
    )


def _own_scores() -> None:
    """Draw the largest weight of each token of the person's own, with √d_k and without."""
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    d_k = scene.projections.d_k
    sides = {side: _own(scale) for side, scale in (("unscaled", "none"), ("scaled", "sqrt_d_k"))}
    shares = scene.choices.normalizer in DISTRIBUTIONS
    shown = {"largest": [head.weights.max(axis=1) for head in sides.values()]}
    if shares:
        shown["effective"] = [effective_tokens(head.weights) for head in sides.values()]
    spreads = [decimals(_spread(head), digits) for head in sides.values()]
    st.markdown(f"**{t('scaling.own_title')}**")
    hand: dict[str, Any] = {
        "row_labels": matrices.labels(scene.tokens),
        "column_labels": [t("scaling.by_none"), _divisor("k")],
        "row_axis": "query",
        "row_in_hand": scene.query,
        "pick_rows": True,
    }
    matrix(
        [
            MatrixSpec(
                name="",
                label=t(f"scaling.{name}"),
                title=t(f"scaling.{name}"),
                cells=table(np.array(columns).T, digits),
                exact=np.array(columns).T,
                **hand,
            )
            for name, columns in shown.items()
        ],
        key="own_scores",
        label=t("scaling.own_title"),
        default_readout=t("scaling.own_says", d_k=d_k, unscaled=spreads[0], scaled=spreads[1]),
        on_query=session.ask,
        size=session.size(),
    )


def _own(scale: str) -> HeadTrace:
    """Attend with the person's own choices and another scale."""
    scene, own = session.scene(), session.scene().choices
    choices = HeadChoices(own.score, scale, own.normalizer, own.temperature, own.parameters)
    given: dict[str, Any] = {"mask": scene.mask, "positions": scene.positions}
    return attend_heads(scene.inputs, scene.projections, choices, **given).head(scene.head)


def _spread(head: HeadTrace) -> float:
    """Give the standard deviation of the scores that count: those that may be seen."""
    seen = np.isfinite(head.masked_scores)
    return float(head.scaled_scores[seen].std()) if seen.any() else 0.0
