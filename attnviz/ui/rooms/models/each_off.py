"""Which head is needed: each is switched off in turn, and the model runs once for every one."""

import numpy as np
import streamlit as st

from attnviz.components.head_grid import head_grid
from attnviz.figures.code_edits import numpy_worth, package_worth
from attnviz.figures.spoken_edits import order_said, share, worth_said
from attnviz.models.editing.worth import Worth
from attnviz.models.results import Capture
from attnviz.text import Words
from attnviz.text.numbers import decimals
from attnviz.ui import cached_models, refusals, session, tools
from attnviz.ui.rooms.models import asked, folds, grids, named_edits

_SHOWN = 1
"""The number of the panel that stands for: every head is switched off in turn."""
MOST_LISTED = 6
_TILE = 3


def draw(capture: Capture) -> None:
    """Offer the runs, show how far they are, and then which head is needed most."""
    t, n_heads = session.t(), sum(layer.n_heads for layer in capture.layers)
    if session.settings().amount != _SHOWN:
        st.button(
            t("each_off.start", n=n_heads),
            icon=":material/format_list_numbered:",
            key="each_off.start",
            on_click=_show,
        )
        return
    wanted = asked.asked().untouched
    work = cached_models.worth(wanted)
    found = folds.waited(work)
    if found is not None:
        _draw(found, capture)
    elif work.done:
        st.button(
            t("models.again"),
            key="each_off.again",
            on_click=cached_models.forget_worth,
            args=(wanted,),
        )
    else:
        st.button(t("models.stop"), key="each_off.stop", on_click=asked.stop, args=(work,))


def _show() -> None:
    session.change("edit", amount=_SHOWN, passage=asked.text())


def _draw(found: Worth, capture: Capture) -> None:
    t = session.t()
    names = [
        [named_edits.head_name(capture, layer, head) for head in range(len(heads))]
        for layer, heads in enumerate(found.importance)
    ]
    st.markdown(f"**{refusals.escape(worth_said(found, names, t))}**")
    left, right = st.columns([1, 1], gap="medium")
    with left:
        _grid(found, capture, names)
    with right:
        st.markdown(worth_table(found, names, t, max(3, session.settings().digits)))
        st.caption(t("each_off.caution"))
    tools.say(order_said(found, names, t))
    tools.lines(
        "each_off",
        lambda: numpy_worth(found, t),
        lambda: package_worth(asked.model(), capture, t),
    )


def _grid(found: Worth, capture: Capture, names: list[list[str]]) -> None:
    t = session.t()
    most = max(float(heads.max(initial=0.0)) for heads in found.importance)
    value = decimals(most, 2) if found.losses else share(most)
    head_grid(
        [shades(heads, most) for heads in found.importance],
        [(_TILE, _TILE)] * len(found.importance),
        [grids.layer_name(capture, layer) for layer in range(capture.n_layers)],
        [layer.n_heads for layer in capture.layers],
        key="worth_grid",
        label=t("each_off.grid_label"),
        title=t("each_off.grid_loss" if found.losses else "each_off.grid_moved", most=value),
        hint=t("edit.grid_hint"),
        notes=[
            _note(found, layer, head, name, t)
            for layer, heads in enumerate(names)
            for head, name in enumerate(heads)
        ],
        chosen=asked.heads(capture),
        theme=session.theme(),
        on_head=grids.open_head,
        largest=grids.tile_side(capture.n_layers),
        size=session.size(),
    )


def shades(importance: np.ndarray, most: float) -> bytes:
    """Draw each head of a layer as a square: the darker the more it is needed, 0 and less pale."""
    shares = np.clip(importance / most if most > 0 else 0 * importance, 0, 1)
    return np.repeat(np.rint(np.sqrt(shares) * 255).astype(np.uint8), _TILE * _TILE).tobytes()


def _note(found: Worth, layer: int, head: int, name: str, t: Words) -> str:
    moved = share(float(found.moved[layer][head]))
    if not found.losses or found.loss is None:
        return t("each_off.note_moved", head=name, moved=moved)
    grown = float(found.losses[layer][head])
    before, after = decimals(found.loss, 2), decimals(found.loss + grown, 2)
    return t("each_off.note_loss", head=name, before=before, after=after, moved=moved)


def worth_table(found: Worth, names: list[list[str]], t: Words, digits: int) -> str:
    """Write the heads that are needed most as a table."""
    columns = ["head", *(["loss", "grown"] if found.losses else []), "moved"]
    lines = [f"| {' | '.join(t(f'each_off.column.{name}') for name in columns)} |"]
    lines.append("|:--|" + "--:|" * (len(columns) - 1))
    for layer, head in found.ranked()[:MOST_LISTED]:
        cells = [names[layer][head]]
        if found.losses and found.loss is not None:
            grown = float(found.losses[layer][head])
            sign = "+" if grown > 0 else ""
            cells += [decimals(found.loss + grown, digits), sign + decimals(grown, digits)]
        lines.append(f"| {' | '.join([*cells, share(float(found.moved[layer][head]))])} |")
    return "\n".join(lines)
