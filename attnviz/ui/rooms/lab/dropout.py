"""Attention dropout: rows stop adding up, yet do so on average; a wrong factor can hide."""

from dataclasses import replace

import numpy as np
import streamlit as st

from attnviz.attention.normalizers import DISTRIBUTIONS
from attnviz.components.matrix import MatrixSpec, matrix
from attnviz.errors import InputError
from attnviz.figures import code_trials
from attnviz.figures import dropout as figures
from attnviz.lessons.dropout import RESCALINGS, dropped, expected_sum, kept_cells
from attnviz.text.numbers import decimals, number, significant
from attnviz.ui import matrices, refusals, session, tools
from attnviz.ui.plots import plot

USUAL, HIDING = 0.2, 0.5
N_DRAWS = 1000
_MOST_DRAWS = 10_000
_SIDE_BY_SIDE = 4  # tokens


def attention_dropout() -> None:
    """Draw the weights, one draw of dropout, and the row sums of many."""
    t, scene, share = session.t(), session.scene(), chosen_share()
    weights = scene.trace.head(scene.head).weights
    draw, i = draw_in_hand(), scene.query
    kept = kept_cells(weights.shape, share, draw, N_DRAWS)
    sums = dropped(weights[i], kept[:, i], share).sum(axis=-1)
    before = float(weights[i].sum())
    tools.ask(t("dropout.question"))
    _controls(share, draw)
    present = session.settings().present
    beside = len(scene.tokens) <= _SIDE_BY_SIDE and not present
    maps, picture = st.columns([3, 2], gap="medium") if beside else (st.container(), st.container())
    with maps:
        _maps(weights, kept[0], share, beside)
    with picture:
        title = t("dropout.sums_title", row=i + 1, n=number(N_DRAWS))
        st.markdown(f"**{title}**")
        digits, theme = session.settings().digits, session.theme()
        plot(
            figures.sum_histogram(
                sums, before, t, theme, digits=digits, width=640 if present else None
            ),
            figures.sum_histogram_alt(sums, before, t, digits=digits),
            "row_sums",
            natural=present,
        )
    _factors(weights[i], kept[:, i], share)
    said, code = st.columns([8, 1], vertical_alignment="top")
    with said:
        tools.say(_sentence(sums, before, share))
    with code:
        tools.lines(
            "dropout",
            lambda: code_trials.dropout_numpy(scene, share, draw, N_DRAWS, t),
            lambda: code_trials.dropout_package(scene, share, draw, N_DRAWS, t),
        )


def chosen_share() -> float:
    """Give the share that is dropped: the panel's number, where it is from 0 up to 1."""
    amount = session.settings().amount
    return float(amount) if amount is not None and 0 <= amount < 1 else USUAL


def draw_in_hand() -> int:
    """Give which draw is shown, from 0."""
    return session.settings().draw % _MOST_DRAWS


def _take_share() -> None:
    share = session.got("dropout.share")
    if share is not None and not 0 <= share < 1:
        session.refuse("dropout", InputError("dropout.share", got=number(share)))
    else:
        session.accept("dropout")
        session.change("dropout", amount=share)


def _controls(share: float, draw: int) -> None:
    t, amount = session.t(), session.settings().amount
    session.put("dropout.share", share)
    with st.container(key="dropout-controls", horizontal=True, vertical_alignment="bottom"):
        st.number_input(
            t("dropout.share"),
            value=None,
            step=0.1,
            format="%.10g",
            key="dropout.share",
            width=260,
            help=t("dropout.share_help"),
            on_change=_take_share,
        )
        st.button(
            t("dropout.again"),
            icon=":material/casino:",
            on_click=lambda: session.change("dropout", draw=(draw + 1) % _MOST_DRAWS),
        )
        st.caption(t("dropout.draw", draw=draw + 1), width="content")
    refusals.show("dropout")
    if amount is not None and amount != share:
        said = refusals.sentence(InputError("dropout.share", got=number(amount)))
        st.caption(f"{refusals.escape(said)} {t('dropout.instead', share=significant(share))}")


def _maps(weights: np.ndarray, kept: np.ndarray, share: float, beside: bool) -> None:
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    after = dropped(weights, kept, share)
    limit = max(1.0, float(weights.max()), float(after.max()))
    tables = [_map(weights, "before", None, limit), _map(after, "after", ~kept, limit)]
    matrix(
        tables,
        key="dropout_maps",
        label=t("dropout.maps"),
        default_readout=t(
            "dropout.readout",
            row=scene.query + 1,
            before=number(round(float(weights[scene.query].sum()), 9), digits),
            after=number(round(float(after[scene.query].sum()), 9), digits),
            factor=number(RESCALINGS["kept"](share), digits),
            share=significant(share),
        ),
        on_query=session.ask,
        size=session.size() * (0.88 if beside else 1),
    )


def _map(weights: np.ndarray, name: str, hidden: np.ndarray | None, limit: float) -> MatrixSpec:
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    spec = matrices.token_by_token(
        weights,
        "weights",
        scene.tokens,
        t,
        digits,
        sums=matrices.sums(weights, digits),
        masked=None if hidden is None else hidden.tolist(),
        limit=limit,
        row_in_hand=scene.query,
        readout_template=t("see.cell"),
        pick_rows=True,
        notation=session.notation(),
    )
    title = t(f"dropout.{name}_title")
    shown = replace(spec, title=title, label=f"{title}, {spec.shape}")
    return replace(shown, row_title="") if name == "after" else shown


def _factors(row: np.ndarray, kept: np.ndarray, share: float) -> None:
    """Compare what the rest may be multiplied by: the right factor, the known slip, and nothing."""
    t, digits = session.t(), session.settings().digits
    rows = []
    for name, factor in RESCALINGS.items():
        mean = float(dropped(row, kept, share, name).sum(axis=-1).mean())
        numbers = (factor(share), expected_sum(row, share, name), mean)
        rows.append([*numbers, expected_sum(row, HIDING, name)])
    columns = [t(f"dropout.{name}") for name in ("factor", "expected", "drawn")]
    columns.append(f"p = {significant(HIDING)}")
    st.markdown(f"**{t('dropout.factors_title', share=significant(share))}**")
    matrix(
        [
            MatrixSpec(
                name="",
                label=t("dropout.factors_title", share=significant(share)),
                cells=[[decimals(round(x, 9), digits) for x in each] for each in rows],
                exact=rows,
                row_labels=[t(f"dropout.by_{name}") for name in RESCALINGS],
                column_labels=columns,
                column_title=t("dropout.factor_columns", hiding=significant(HIDING)),
                row_in_hand=0,
            )
        ],
        key="dropout_factors",
        label=t("dropout.factors_title", share=significant(share)),
        default_readout=t("dropout.slip", hiding=significant(HIDING)),
        size=session.size(),
    )


def _sentence(sums: np.ndarray, before: float, share: float) -> str:
    t, digits, i = session.t(), session.settings().digits, session.scene().query
    shares = session.scene().choices.normalizer in DISTRIBUTIONS and before > 0
    return t(
        "dropout.say" if shares else "dropout.say_weights",
        row=i + 1,
        share=number(100 * share, 1),
        least=number(round(float(sums.min()), 9), digits),
        most=number(round(float(sums.max()), 9), digits),
        mean=number(round(float(sums.mean()), 9), digits),
        before=number(round(before, 9), digits),
        n=number(len(sums)),
    )
