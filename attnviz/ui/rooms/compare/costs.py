"""One table: what a layer of each kind costs, what waits for what, and how far it is end to end."""

from collections.abc import Sequence

import streamlit as st

from attnviz.comparisons.costs import LAYERS, UNREACHED, Cost, all_layers, cheapest
from attnviz.errors import InputError
from attnviz.figures import code_comparisons
from attnviz.figures import costs as figures
from attnviz.text.numbers import significant
from attnviz.ui import refusals, session, tools
from attnviz.ui.plots import plot
from attnviz.ui.rooms.compare import kept, shown
from attnviz.ui.rooms.compare.measuring import measuring

RANGES = {"n": (1, 1_000_000), "d": (1, 16_384), "k": (1, 99), "r": (1, 9_999)}
USUAL = {"n": 100, "d": 512, "k": 3, "r": 21}
ODD = ("k", "r")
WORK = {"attention": "n²·d", "rnn": "n·d²", "cnn": "k·n·d²", "restricted": "r·n·d"}
FLOPS = {
    "attention": "8nd² + 4n²d",
    "rnn": "4nd²",
    "cnn": "2·{taps}·d²",
    "restricted": "8nd² + 4·{scores}·d",
}

PATH = {
    "attention": "",
    "rnn": "n − 1 = ",
    "cnn": "⌈(n−1)/⌊k/2⌋⌉ = ",
    "restricted": "⌈(n−1)/⌊r/2⌋⌉ = ",
}
COLUMNS = ("work", "flops", "stored", "steps", "path")
"""Of the table; on a projector, where not all have room, one is left out."""


def costs() -> None:
    """Draw the table for the sizes in hand, the work over length, and what is measured here."""
    t, sizes = session.t(), sizes_in_hand()
    n, d, kernel, neighbours = sizes.values()
    found = all_layers(n, d, kernel, neighbours)
    least, least_flops = cheapest(found), cheapest(found, "flops")
    rival = "less" if n < d else "more" if n > d else "same"
    values = {
        "n": _whole(n),
        "d": _whole(d),
        "least": _names(least),
        "work": _whole(found[least[0]].work),
        "least_flops": _names(least_flops),
        "flops": _whole(found[least_flops[0]].flops),
        "attention": _whole(found["attention"].work),
        "rnn": _whole(found["rnn"].work),
        "attention_flops": _whole(found["attention"].flops),
        "rnn_flops": _whole(found["rnn"].flops),
    }
    tools.ask(t("costs.question"))
    said = (t(f"costs.{name}", **values) for name in ("answer", rival, "in_all"))
    shown.answer(" ".join(said))
    shown.arranged(lambda: _controls(sizes), lambda: _table(found, sizes))
    tools.say(t("costs.say", **values))
    curve, words = st.columns([3, 2], gap="large")
    with curve:
        plot(
            figures.work_curves(n, d, kernel, neighbours, t, session.theme()),
            figures.work_curves_alt(n, d, kernel, neighbours, t),
            "work",
        )
    with words:
        st.markdown(t("costs.how", **values))
        tools.lines(
            "costs",
            lambda: code_comparisons.costs_numpy(n, d, kernel, neighbours, t),
            lambda: code_comparisons.costs_package(n, d, kernel, neighbours, t),
        )
    measuring("costs", LAYERS, d, kernel, neighbours)


def _names(layers: Sequence[str]) -> str:
    t = session.t()
    return t("measured.join").join(t(f"costs.{name}") for name in layers)


def sizes_in_hand() -> dict[str, int]:
    """Give n, d, k and r: those of the link that are in range, and odd where they must be."""
    return {
        letter: kept.whole(letter, range(low, high + 1, 2 if letter in ODD else 1), USUAL[letter])
        for letter, (low, high) in RANGES.items()
    }


def _controls(sizes: dict[str, int]) -> None:
    t = session.t()
    refused = session.refusal("costs") is not None
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        for letter, value in sizes.items():
            if not refused:
                session.put(f"costs.{letter}", value)
            st.number_input(
                t(f"costs.size_{letter}"),
                value=None,
                step=2 if letter in ODD else 1,
                format="%d",
                key=f"costs.{letter}",
                width=240 if session.settings().present else 165,
                on_change=_take,
            )
    refusals.show("costs")


def _take() -> None:
    """Take all four sizes over, or say which one cannot be."""
    typed = {letter: session.got(f"costs.{letter}") for letter in RANGES}
    sizes = {
        letter: USUAL[letter] if value is None else int(value) for letter, value in typed.items()
    }
    for letter, value in sizes.items():
        low, high = RANGES[letter]
        if not low <= value <= high:
            error = InputError("costs.range", letter=letter, got=value, least=low, most=high)
            return session.refuse("costs", error, str(value))
        if letter in ODD and value % 2 == 0:
            error = InputError("costs.odd", letter=letter, got=value, below=value - 1)
            return session.refuse("costs", error, str(value))
    return kept.keep("costs", tuple(RANGES), **sizes)


def _whole(count: int) -> str:
    """Write a count with all its digits, in groups of three."""
    return f"{count:,}".replace(",", "\u202f")


def _table(found: dict[str, Cost], sizes: dict[str, int]) -> None:
    t = session.t()
    columns = [name for name in COLUMNS if name != "flops" or not session.settings().present]
    head = ["", *(t(f"costs.{name}") for name in columns)]
    least = {column: cheapest(found, column) for column in columns}
    rows = [
        [t(f"costs.{name}"), *(_marked(cells[each], name in least[each]) for each in columns)]
        for name, cost in found.items()
        for cells in (_row(name, cost, sizes),)
    ]
    lines = [head, [":---", *["---:"] * len(columns)], *rows]
    with st.container(key="counts-costs"):
        st.markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))
    st.caption(t("costs.least"))


def _marked(cell: str, least: bool) -> str:
    return f"**{cell} ↓**" if least else cell


def _row(name: str, cost: Cost, sizes: dict[str, int]) -> dict[str, str]:
    """Write one layer's cells, by column."""
    t, d = session.t(), sizes["d"]
    taps = cost.flops // (2 * d * d)
    scores = cost.stored // 4
    flops = FLOPS[name].format(taps=_whole(taps), scores=_whole(scores))
    formula = "n·n·d" if name == "restricted" and sizes["r"] > sizes["n"] else WORK[name]
    work = f"{formula} = {_whole(cost.work)}"
    dilated = ""
    if cost.dilated is not None:
        dilated = f" ({t('costs.dilated')} ⌈logₖ n⌉ = {_path(cost.dilated)})"
    cells = (
        work,
        f"{flops} = {_whole(cost.flops)}",
        _bytes(cost.stored),
        f"n = {_whole(cost.steps)}" if name == "rnn" else "1",
        PATH[name] + _path(cost.path) + dilated,
    )
    return dict(zip(COLUMNS, cells, strict=True))


def _path(path: int) -> str:
    return "∞" if path == UNREACHED else _whole(path)


def _bytes(count: int) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{significant(count / size)} {unit}"
    return f"{count} B"
