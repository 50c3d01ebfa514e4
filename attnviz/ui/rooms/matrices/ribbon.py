"""The ribbon: every matrix from the inputs to the output, each number a row times a column."""

from dataclasses import dataclass

import streamlit as st

from attnviz.attention.ancestry import ancestry
from attnviz.attention.stops import changed_cells
from attnviz.components import plain
from attnviz.components.matrix import Cell, MatrixSpec, matrix
from attnviz.errors import InputError
from attnviz.figures import formulas
from attnviz.figures.products import WEIGHED, Products
from attnviz.figures.shaped import shaped
from attnviz.ui import cached, editing, editors, refusals, session, tools
from attnviz.ui.rooms.matrices.tables import ASKING, TABLES, Changes, Ribbon

EDITED = {"inputs": "vectors", "w_q": "w_q", "w_k": "w_k", "w_v": "w_v", "w_o": "w_o"}
"""The matrices that are typed into in place, and the names of their editors."""


@dataclass(frozen=True)
class Chosen:
    """The matrix that is looked at, and the number in it, if there is one."""

    name: str = ""
    row: int = 0
    column: int | None = None


def ribbon() -> None:
    """Draw every matrix in order; a chosen one opens below, a given one is edited in its place."""
    page, chosen = _page(), _chosen()
    given = chosen.name if chosen.name in EDITED else ""
    strip = Ribbon(page, session.scene(), _held(page, chosen), _changes(), given)
    if given:
        with st.container(key="edited", horizontal=True, gap="small"):
            with st.container(key="editor", width=_width(given)):
                _edit(strip, chosen.name)
            with st.container(key="rest", width="stretch"):
                _strip(strip, chosen)
    else:
        _strip(strip, chosen)
    _stops(strip, chosen)
    _below(page, chosen)
    _say(strip, chosen)


def _page() -> Products:
    scene, digits = session.scene(), session.settings().digits
    return Products(scene.trace, scene.head, session.t(), digits, session.notation())


def _chosen() -> Chosen:
    """Find what the settings point at; a column that a matrix does not have is none."""
    settings, scene = session.settings(), session.scene()
    page = _page()
    name = settings.step if settings.step in page.stops else ""
    if not name and settings.key is not None:
        name = "weights"
    if not name:
        return Chosen(row=scene.query)
    columns = page.stops[name].array.shape[1]
    there = page.stops[name].source == "computed" and settings.key is not None
    return Chosen(name, scene.query, settings.key if there and settings.key < columns else None)


def _held(page: Products, chosen: Chosen) -> dict[str, tuple[int | None, int | None]]:
    """Outline the row and the column that make the chosen number, or else the asking token's."""
    if chosen.column is not None:
        return page.held(chosen.name, chosen.row, chosen.column)
    return {name: (chosen.row, None) for name in page.stops if name in ASKING}


def _changes() -> Changes | None:
    """Compare with the numbers before the last change, where there was one that fits."""
    before, scene = session.before(), session.scene()
    if before is None:
        return None
    try:
        earlier = cached.scene(before, session.language())
    except InputError:
        return None
    return changed_cells(earlier.trace, scene.trace, scene.head)


def _strip(strip: Ribbon, chosen: Chosen) -> None:
    t, tables = session.t(), strip.tables()
    names = list(tables)
    readout = t("ribbon.hint")
    if chosen.column is not None:
        readout = strip.page.line(chosen.name, chosen.row, chosen.column)
    matrix(
        list(tables.values()),
        key="ribbon",
        label=t("ribbon.label"),
        default_readout=readout,
        on_cell=lambda cell: _click(names, list(tables.values()), cell),
        on_query=session.ask,
        chosen=_cell(names, chosen),
        tokens_label=t("tokens.asks"),
        size=_size(strip),
    )


def _size(strip: Ribbon) -> float:
    """Let the whole ribbon stand above the fold of a small laptop."""
    if session.settings().present:
        return 0.88
    if strip.without or session.flag("drawer"):
        return 0.73
    if session.notation().columns:  # tokens side by side are wider than numbers
        return 0.75
    return 0.84 if strip.changes is None else 0.81  # what changed takes some room


def _width(name: str) -> int:
    """Give the pixels that the editor of a matrix takes."""
    columns = editing.shown(session.scene(), EDITED[name]).shape[1]
    return min(420, 72 + 46 * columns + (20 if name == "inputs" else 0))


def _click(names: list[str], tables: list[MatrixSpec], cell: Cell) -> None:
    name = names[cell.table]
    if name in EDITED:
        session.change("cell", step=name, key=None)
        return
    row, column = session.notation().pair(cell.row, cell.column)
    session.change("cell", step=name, query=row, key=column)


def _cell(names: list[str], chosen: Chosen) -> Cell | None:
    if chosen.column is None or chosen.name not in names:
        return None
    return Cell(names.index(chosen.name), *session.notation().pair(chosen.row, chosen.column))


def _edit(strip: Ribbon, name: str) -> None:
    """Put the editor of a given matrix in its place."""
    t, page = session.t(), strip.page
    editors.matrix(EDITED[name], place="ribbon.")
    n_heads = page.trace.n_heads
    if n_heads > 1 and name in ("w_q", "w_k", "w_v"):
        w = page.trace.projections
        own = page.head if name == "w_q" else w.kv_head(page.head)
        width = page.stops[name].array.shape[1]
        first = own * width + 1
        st.caption(t("ribbon.heads", head=page.head + 1, first=first, last=first + width - 1))
    if mark := strip.mark(name):
        st.caption(mark)


def _stops(strip: Ribbon, chosen: Chosen) -> None:
    """Draw the matrices in a line: choose one without a mouse on its cells."""
    t, names = session.t(), [name for name in strip.page.stops if name != "positions"]
    session.put("control.stop", chosen.name or None)
    with st.container(key="stops"):
        st.segmented_control(
            t("ribbon.stops"),
            names,
            format_func=lambda name: _symbol(strip, name),
            key="control.stop",
            label_visibility="collapsed",
            on_change=lambda: session.change(
                "cell", step=session.got("control.stop") or "", key=None
            ),
        )


def _symbol(strip: Ribbon, name: str) -> str:
    written = _written(strip, name)
    return f"${written}$" if name.startswith("w_") else refusals.escape(written)


def _written(strip: Ribbon, name: str) -> str:
    """Write a symbol in a line of text: W^q, and O1 for the output of head 1."""
    symbol = plain(strip.name(name))
    return f"W^{symbol[1:]}" if name.startswith("w_") else symbol


def _below(page: Products, chosen: Chosen) -> None:
    """Open the chosen matrix down to its row times column."""
    t, digits = session.t(), session.settings().digits
    if not chosen.name:
        return
    title = t(f"ribbon.made.{chosen.name}", **_places(page, chosen))
    if chosen.column is None:
        with st.container(key="made"):
            st.write(title)
            if chosen.name not in EDITED:
                st.latex(shaped(page, chosen.name))
        return
    with st.container(border=True, key="made"):
        st.write(t(f"ribbon.cell.{chosen.name}", **_places(page, chosen)))
        if chosen.name in WEIGHED:
            st.latex(page.latex(chosen.name, chosen.row, chosen.column))
        elif chosen.name in TABLES:
            found = ancestry(page.one, chosen.row, chosen.column)
            written = {"relative": page.one.relative_key is not None, "notation": page.notation}
            lines = formulas.cell_lines(found, page.one.choices, t, digits, **written)
            st.code("\n".join(lines), language=None, wrap_lines=True)
        else:
            st.markdown(refusals.escape(page.line(chosen.name, chosen.row, chosen.column)))


def _places(page: Products, chosen: Chosen) -> dict[str, object]:
    column = 0 if chosen.column is None else chosen.column
    source = "I + E" if page.source == "encoded_inputs" else "I"
    return {
        "row": chosen.row + 1,
        "column": column + 1,
        "source": source,
        "score": page.t(f"score.{page.one.choices.score}"),
        "normalizer": page.t(f"normalizer.{page.one.choices.normalizer}"),
        "n_heads": page.trace.n_heads,
    }


def _say(strip: Ribbon, chosen: Chosen) -> None:
    said, code = st.columns([8, 1], vertical_alignment="top")
    with said:
        tools.say(_sentence(strip, chosen))
    with code:
        tools.code("together")


def _sentence(strip: Ribbon, chosen: Chosen) -> str:
    t, page = session.t(), strip.page
    if strip.changes is not None:
        return _change_said(strip)
    w = page.trace.projections
    sizes = {"n": page.trace.n_query, "d_model": w.d_model, "d_k": w.d_k, "d_v": w.d_v}
    return t("ribbon.say", **sizes)


def _change_said(strip: Ribbon) -> str:
    """Say what changed with the last change and what did not."""
    t, changes = session.t(), strip.changes or {}
    kinds: dict[str, list[str]] = {"moved": [], "same": [], "resized": []}
    for name, found in changes.items():
        kind = "resized" if found is None else "moved" if found.any() else "same"
        kinds[kind].append(_written(strip, name))
    said = [
        t(f"ribbon.reached.{kind}", names=t("say.comma").join(names))
        for kind, names in kinds.items()
        if names
    ]
    return t("say.next").join(said)
