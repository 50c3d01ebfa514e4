"""A fully connected layer over a window: what it cannot see, and what happens to its weights."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st

from attnviz.comparisons import window
from attnviz.components.matrix import MatrixSpec, matrix
from attnviz.errors import InputError
from attnviz.figures import code_compare
from attnviz.figures import windows as figures
from attnviz.text.numbers import magnitude, number
from attnviz.ui import refusals, session, tools
from attnviz.ui.plots import plot
from attnviz.ui.rooms.compare import shown

KINDS = ("window", "whole")
RADII = tuple(range(1, 21))
LENGTHS = tuple(range(2, 41))
USUAL_RADIUS, USUAL_LENGTH = 5, 11
MADE_FOR = 11
"""The length that the weights over a whole sequence are made for: a window of ±5."""


def window_fc() -> None:
    """Draw which inputs an output depends on, through a window and through self-attention."""
    t, kind = session.t(), kind_in_hand()
    n, radius = shown.amount_among(LENGTHS, USUAL_LENGTH), radius_in_hand()
    place = asking(int(n))
    found = window.Nudged.of(int(n), radius, place, session.settings().draw)
    tools.ask(t("window_fc.question"))
    refused = _refused(int(n)) if kind == "whole" else None
    shown.answer(_answer(int(n), radius, place, kind, refused))
    _controls(int(n), radius, kind)
    _table(found, place, kind, refused)
    tools.say(_sentence(found, int(n), radius, place, kind, refused))
    left, right = st.columns([3, 2], gap="large")
    d_in, d_out = window.D_IN, window.D_OUT
    counts = figures.Counts.of(RADII, d_in, d_out)
    with left:
        plot(
            figures.count_curves(counts, radius, t, session.theme()),
            figures.count_curves_alt(counts, radius, t),
            "weights",
        )
    with right:
        st.markdown(
            t(
                "window_fc.why",
                moved=magnitude(found.moved),
                swapped=number(n),
                radius=radius,
                window=number(window.window_parameters(radius, d_in, d_out)),
                whole=number(window.whole_parameters(int(n), d_in, d_out)),
                attention=number(window.attention_parameters(d_in, d_out, d_out)),
                n=n,
            )
        )
        tools.lines(
            "window_fc",
            lambda: code_compare.window_numpy(int(n), radius, place, session.settings().draw, t),
            lambda: code_compare.window_package(int(n), radius, place, session.settings().draw, t),
        )


def kind_in_hand() -> str:
    """Give which layer is looked at: a window, or one over the whole sequence."""
    target = session.settings().target
    return target if target in KINDS else KINDS[0]


def radius_in_hand() -> int:
    """Give how many frames the window has on either side."""
    return shown.number_of("", RADII, USUAL_RADIUS)


def asking(n: int) -> int:
    """Give the frame whose output is looked at: the one of the link, or the last."""
    key = session.settings().key
    return key if key is not None and key < n else n - 1


def _controls(n: int, radius: int, kind: str) -> None:
    t, change = session.t(), partial(session.change, "window_fc")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        shown.choose(
            "window_fc.kind",
            t("window_fc.kind"),
            KINDS,
            kind,
            lambda name: t(f"window_fc.{name}"),
            lambda name: change(target=name),
        )
        if kind == "window":
            shown.slide(
                "window_fc.radius",
                t("window_fc.radius"),
                RADII,
                radius,
                lambda value: change(rung=str(value)),
                name=lambda value: f"±{value}",
                width=220,
            )
        shown.slide(
            "window_fc.length",
            t("window_fc.length"),
            LENGTHS,
            n,
            lambda value: change(amount=value, key=None),
            width=280,
        )


def _refused(n: int) -> str | None:
    """Say why a layer over a whole sequence gives nothing for another length."""
    inputs = np.zeros((n, window.D_IN))
    try:
        window.through_whole(inputs, window.whole_weights(MADE_FOR, window.D_IN, window.D_OUT, 0))
    except InputError as error:
        return refusals.sentence(error)
    return None


def _answer(n: int, radius: int, place: int, kind: str, refused: str | None) -> str:
    t = session.t()
    if kind == "whole":
        if refused is not None:
            return f"**{refusals.escape(refused)}** {t('window_fc.fine', n=n)}"
        return t("window_fc.whole_fits", n=n, weights=number(_whole_count(n)))
    seen = int(window.in_reach(n, place, radius).sum())
    far = max(place, n - 1 - place)
    name = "window_fc.misses" if seen < n else "window_fc.sees"
    return t(name, place=place + 1, seen=seen, n=n, radius=radius, far=far, hidden=n - seen)


def _whole_count(n: int) -> int:
    return window.whole_parameters(n, window.D_IN, window.D_OUT)


def _table(found: window.Nudged, place: int, kind: str, refused: str | None) -> None:
    t, n, digits = session.t(), len(found.window), session.settings().digits
    top = _through_layer(found, kind, refused)
    rows = [top, found.attention.tolist()]
    cells = [["–" if each is None else number(each, digits) for each in row] for row in rows]
    hidden = [[not each for each in top], [False] * n]
    first = t(f"window_fc.short_{kind}")
    nothing = [t("window_fc.nothing", row=first, n=n, made=MADE_FOR)] * n
    matrix(
        [
            MatrixSpec(
                name="",
                label=t("window_fc.table", place=place + 1),
                title=t("window_fc.table", place=place + 1),
                kind="weights",
                cells=cells,
                exact=rows,
                values=[[each or 0.0 for each in row] for row in rows],
                limit=max(1e-9, *(each or 0.0 for row in rows for each in row)),
                masked=hidden,
                row_labels=[first, t("window_fc.short_attention")],
                column_labels=[str(each + 1) for each in range(n)],
                column_title=t("window_fc.nudged"),
                column_in_hand=place,
                pick_columns=True,
                digits=n <= 12,
                readouts=[nothing] if refused is not None else None,
                readout_template=t(
                    "window_fc.cell", place=place + 1, row="{row}", j="{j}", value="{value}"
                ),
            )
        ],
        key="window_reach",
        label=t("window_fc.table", place=place + 1),
        default_readout=t("window_fc.point"),
        on_query=lambda column: session.change("window_fc", key=column),
        size=session.size(),
    )


def _through_layer(found: window.Nudged, kind: str, refused: str | None) -> Sequence[float | None]:
    """Give how far the output moves by each frame; None where the layer gives nothing."""
    if refused is not None:
        return [None] * len(found.window)
    return (found.whole(MADE_FOR) if kind == "whole" else found.window).tolist()


def _sentence(
    found: window.Nudged, n: int, radius: int, place: int, kind: str, refused: str | None
) -> str:
    t = session.t()
    if kind == "whole" and refused is not None:
        return t("window_fc.say_refused", made=MADE_FOR, n=n)
    reached = n if kind == "whole" else int((found.window > 0).sum())
    return t(
        "window_fc.say",
        place=place + 1,
        reached=reached,
        attended=int((found.attention > 0).sum()),
        n=n,
        radius=radius,
    )
