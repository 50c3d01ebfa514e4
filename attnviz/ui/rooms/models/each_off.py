"""Which head is needed: each is switched off in turn, and the model runs once for every one."""

from functools import partial

import numpy as np
import streamlit as st

from attnviz.components.head_grid import head_grid
from attnviz.errors import InputError
from attnviz.figures.code_edits import numpy_worth, package_worth
from attnviz.figures.spoken_edits import (
    agreement_said,
    claim_said,
    order_said,
    share,
    signed,
    worth_said,
)
from attnviz.models.editing.worth import Worth
from attnviz.models.results import Capture
from attnviz.models.worker import MOST_SECONDS
from attnviz.text import Words
from attnviz.text.numbers import decimals
from attnviz.ui import cached_models, controls, refusals, session, tools
from attnviz.ui.cached_models import Asked
from attnviz.ui.rooms.models import asked, folds, grids, named_edits

ORDERS = ("off", "gradient")
"""What the heads can be sorted by; the number of the panel says which, counted from 1."""
MOST_LISTED = 6
_TILE = 3


def draw(capture: Capture) -> None:
    """Offer the runs, show how far they are, and then which head is needed most."""
    t, n_heads = session.t(), sum(layer.n_heads for layer in capture.layers)
    if not shown():
        st.button(
            t("each_off.start", n=n_heads),
            icon=":material/format_list_numbered:",
            key="each_off.start",
            on_click=_show,
        )
        return
    wanted = asked.asked().untouched
    work = cached_models.worth(wanted)
    found = folds.waited(
        work,
        again=partial(cached_models.forget_worth, wanted),
        stop=partial(asked.stop, work),
    )
    if found is not None and found.ended:
        _ended(found, capture, wanted)
    elif found is not None:
        _draw(found, capture)


def shown() -> bool:
    """Tell whether it was asked for."""
    return session.settings().amount in range(1, len(ORDERS) + 1)


def _show() -> None:
    session.change("edit", amount=1, passage=asked.text())


def _order(found: Worth) -> str:
    """Let the person choose what the heads are sorted by, where there is a choice."""
    t, amount = session.t(), session.settings().amount
    if not found.slopes:
        return ORDERS[0]
    shown = 2 if amount == 2 else 1
    controls.segments(
        "amount", t("each_off.sort"), shown, (1, 2), lambda at: t(f"each_off.by.{ORDERS[at - 1]}")
    )
    return ORDERS[shown - 1]


def _names(capture: Capture) -> list[list[str]]:
    return [
        [named_edits.head_name(capture, layer, head) for head in range(own.n_heads)]
        for layer, own in enumerate(capture.layers)
    ]


def _ended(found: Worth, capture: Capture, wanted: Asked) -> None:
    """Say why the runs were given up, and show what the gradient says all the same."""
    t, names = session.t(), _names(capture)
    values = {"seconds": round(MOST_SECONDS)} if found.ended == "models.slow" else {}
    reason = refusals.sentence(InputError(found.ended, **values))
    st.info(refusals.escape(t("each_off.ended", reason=reason)))
    st.button(
        t("models.again"),
        key="fold.again",
        on_click=cached_models.forget_worth,
        args=(wanted,),
    )
    layer, head = found.ranked("gradient")[0]
    slope = float(found.gradient[layer][head])
    of = "moved" if found.loss is None else "loss"
    size = share(slope) if found.loss is None else decimals(slope, 2)
    said = t(f"each_off.first.{of}", head=names[layer][head], slope=size)
    left, right = st.columns([1, 1], gap="medium")
    with left:
        _grid(found, capture, names, "gradient")
    with right:
        st.markdown(worth_table(found, names, t, max(3, session.settings().digits), "gradient"))
    tools.say(said)


def _draw(found: Worth, capture: Capture) -> None:
    t, names = session.t(), _names(capture)
    st.markdown(f"**{refusals.escape(worth_said(found, names, t))}**")
    st.markdown(refusals.escape(agreement_said(found, names, t)))
    order = _order(found)
    left, right = st.columns([1, 1], gap="medium")
    with left:
        _grid(found, capture, names, order)
    with right:
        st.markdown(worth_table(found, names, t, max(3, session.settings().digits), order))
        st.caption(t("each_off.caution"))
        if found.slopes:
            st.caption(claim_said(found, t))
    tools.say(order_said(found, names, t))
    tools.lines(
        "each_off",
        lambda: numpy_worth(found, t),
        lambda: package_worth(asked.model(), capture, t),
    )


def _grid(found: Worth, capture: Capture, names: list[list[str]], order: str) -> None:
    t = session.t()
    values = found.gradient if order == "gradient" else found.importance
    most = max(float(heads.max(initial=0.0)) for heads in values)
    has_loss = found.loss is not None
    of = f"{order}_loss" if has_loss else f"{order}_moved"
    head_grid(
        [shades(heads, most) for heads in values],
        [(_TILE, _TILE)] * len(values),
        [grids.layer_name(capture, layer) for layer in range(capture.n_layers)],
        [layer.n_heads for layer in capture.layers],
        key="worth_grid",
        label=t("each_off.grid_label"),
        title=t(f"each_off.grid.{of}", most=decimals(most, 2) if has_loss else share(most)),
        hint=t("edit.grid_hint"),
        notes=[
            _note(found, layer, head, name, t)
            for layer, heads in enumerate(names)
            for head, name in enumerate(heads)
        ],
        chosen=asked.heads(capture),
        theme=session.theme(),
        on_head=grids.open_head,
        largest=grids.LARGEST,
        tallest=grids.TALLEST,
        size=session.size(),
    )


def shades(importance: np.ndarray, most: float) -> bytes:
    """Draw each head of a layer as a square: the stronger the more it is needed."""
    shares = np.clip(importance / most if most > 0 else 0 * importance, 0, 1)
    return np.repeat(np.rint(np.sqrt(shares) * 255).astype(np.uint8), _TILE * _TILE).tobytes()


def _note(found: Worth, layer: int, head: int, name: str, t: Words) -> str:
    if found.ended:
        return t("each_off.note_ended", head=name, slope=decimals(found.slopes[layer][head], 3))
    moved = share(float(found.moved[layer][head]))
    if not found.losses or found.loss is None:
        said = t("each_off.note_moved", head=name, moved=moved)
        if not found.slopes:
            return said
        slope = share(float(found.slopes[layer][head]))
        return t("edit.then", before=said, more=t("each_off.note_speed", slope=slope))
    grown = float(found.losses[layer][head])
    before, after = decimals(found.loss, 2), decimals(found.loss + grown, 2)
    said = t("each_off.note_loss", head=name, before=before, after=after, moved=moved)
    if not found.slopes:
        return said
    foreseen = signed(-float(found.slopes[layer][head]), 2)
    return t("edit.then", before=said, more=t("each_off.note_slope", foreseen=foreseen))


def worth_table(
    found: Worth, names: list[list[str]], t: Words, digits: int, order: str = ORDERS[0]
) -> str:
    """Write the heads that come first as a table: what switching off does, and what the slope says.

    Where there is a loss, −∂loss/∂ξ is by how much it would grow if it went on as it begins.
    """
    columns = ["head", *(["grown"] if found.losses else [])]
    columns += ["foreseen"] if found.slopes and found.loss is not None else []
    columns += ["moved"] if found.moved else []
    columns += ["speed"] if found.slopes and found.loss is None else []
    lines = [f"| {' | '.join(t(f'each_off.column.{name}') for name in columns)} |"]
    lines.append("|:--|" + "--:|" * (len(columns) - 1))
    for layer, head in found.ranked(order)[:MOST_LISTED]:
        numbers = {"head": names[layer][head]}
        if found.moved:
            numbers["moved"] = share(float(found.moved[layer][head]))
        if found.losses:
            numbers["grown"] = signed(float(found.losses[layer][head]), digits)
        if found.slopes:
            slope = float(found.slopes[layer][head])
            numbers |= {"foreseen": signed(-slope, digits), "speed": share(slope)}
        lines.append(f"| {' | '.join(numbers[name] for name in columns)} |")
    return "\n".join(lines)
