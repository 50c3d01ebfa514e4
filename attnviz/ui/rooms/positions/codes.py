"""Each position code by itself: as a map, as curves, and place against place."""

from dataclasses import replace

import numpy as np
import streamlit as st

from attnviz.attention.positions import PositionSizes
from attnviz.figures import code_portraits as code
from attnviz.figures import positions as figures
from attnviz.lessons.examples import EXAMPLES
from attnviz.lessons.portraits import Portrait, portrait
from attnviz.scene import Scene
from attnviz.settings import MAX_DIMS, POSITION_FIELDS
from attnviz.text.numbers import magnitude, significant
from attnviz.ui import session, tools
from attnviz.ui.rooms.positions import choosing
from attnviz.ui.rooms.positions.code_digits import arguments, code_digits

FEWEST, MOST, USUAL = 4, 128, 32
WIDENABLE = ("none", "sinusoidal", "sinusoidal_tensor2tensor", "learned")
MOST_CURVES = 6


def codes() -> None:
    """Choose a code and see it three ways, with the digits of its first places."""
    t = session.t()
    choosing.question("codes.question")
    _controls()
    name, scene = _looked_at()
    drawn = _portrait(name, scene)
    if session.settings().positions == "none":
        st.caption(t("codes.none", shown=t(f"position.{choosing.SHOWN}")))
    _pictures(name, drawn, scene)
    st.write(_about(name, drawn, scene))
    code_digits(name, drawn, scene)
    tools.say(_spoken(name, drawn))
    tools.lines(
        "codes",
        lambda: code.codes_numpy(name, drawn, scene, t),
        lambda: code.codes_package(name, drawn, scene, t),
    )


def _controls() -> None:
    """Choose the code in force, what it is made with, and how many places are drawn."""
    t, settings = session.t(), session.settings()
    fields = [
        field
        for field in POSITION_FIELDS.get(settings.positions, ())
        if field != "position_vectors"
    ]
    columns = st.columns([2, *(1 for _ in fields), 2], vertical_alignment="bottom")
    with columns[0]:
        choosing.select(
            "codes",
            "positions",
            choosing.known_codes(),
            lambda name: t(f"position.{name}"),
            t("drawer.positions"),
        )
    for column, field in zip(columns[1:], fields, strict=False):
        with column:
            _parameter(field)
    with columns[-1]:
        choosing.slide("codes", t("codes.places"), FEWEST, MOST, USUAL)


def _parameter(field: str) -> None:
    t = session.t()
    if field == "pairs":
        pairs = ("interleaved", "half")
        choosing.select("codes", field, pairs, lambda key: t(f"pairs.{key}"), t("drawer.pairs"))
    elif isinstance(getattr(session.settings(), field), bool):
        choosing.switch("codes", field, t(f"drawer.{field}"))
    else:
        choosing.number("codes", field, t(f"drawer.{field}"))


def _looked_at() -> tuple[str, Scene]:
    """Give the code that is drawn: the one in force, or one to look at where there is none."""
    settings = session.settings()
    if settings.positions == "none":
        return choosing.SHOWN, choosing.variant(positions=choosing.SHOWN)
    return settings.positions, session.scene()


def _portrait(name: str, scene: Scene) -> Portrait:
    """Draw up the code for as many places as are asked for, or as its table has."""
    sizes, n = scene.projections, choosing.amount(FEWEST, MOST, USUAL)
    wide = _wide(name)
    room = PositionSizes(n, n, wide or sizes.d_model, sizes.d_k, sizes.d_v, sizes.n_heads)
    settings = session.settings()
    if name == "example":
        table = EXAMPLES[settings.example].positions(n)
        return portrait(table if table is not None else "none", room, {}, scene.head)
    if name == "learned" and settings.position_vectors and not wide:
        table = np.array(settings.position_vectors, dtype=np.float64)[:n]
        room = replace(room, n_query=len(table), n_key=len(table))
        return portrait(table, room, {}, scene.head)
    return portrait(name, room, arguments(scene.choices, name), scene.head)


def _wide(name: str) -> int:
    """Give the width that is drawn instead of the model's, 0 for the model's own."""
    typed = name == "learned" and bool(session.settings().position_vectors)
    asked = session.settings().width == MAX_DIMS and name in WIDENABLE and not typed
    return MAX_DIMS if asked else 0


def _pictures(name: str, drawn: Portrait, scene: Scene) -> None:
    """Draw the three pictures side by side."""
    t, theme, n = session.t(), session.theme(), session.notation()
    what = (
        "bias" if drawn.kind == "bias" else "distances" if drawn.kind == "distances" else "vectors"
    )
    places = drawn.places + 1 if what == "vectors" else drawn.places
    across = t("codes.position" if what == "vectors" else "codes.distance")
    chosen, near = _some(drawn), _near(drawn)
    table, places = drawn.table[near], places[near]
    titles = {
        part: t(f"codes.{what}_{part}", head=scene.head + 1)
        for part in ("curves", "pairs", *(() if what == "bias" else ("map",)))
    }
    names, count = _names(drawn), table.shape[1]
    if len(chosen) < count:
        titles["curves"] = t(f"codes.{what}_some", shown=len(chosen), count=count)
    if drawn.kind == "turns":
        titles["pairs"] = t("codes.turns_pairs")
    shown = [
        (
            "codes.curves",
            figures.code_curves(
                table[:, chosen],
                places,
                [names[column] for column in chosen],
                (titles["curves"], across),
                theme,
            ),
            figures.code_alt(table[:, chosen], places, t, titles["curves"]),
        ),
        (
            "codes.pairs",
            figures.pair_map(
                drawn.map, (titles["pairs"], t("codes.i"), t("codes.j")), theme, notation=n
            ),
            figures.code_alt(drawn.map, np.arange(1.0, len(drawn.map) + 1), t, titles["pairs"]),
        ),
    ]
    if what != "bias":
        heat = (titles["map"], across, t("see.features"))
        figure = figures.code_map(table, places, heat, theme, notation=n)
        shown.insert(0, ("codes.map", figure, figures.code_alt(table, places, t, titles["map"])))
    choosing.pictures(*shown)
    if name in WIDENABLE:
        _width(name, drawn)


def _width(name: str, drawn: Portrait) -> None:
    """Say how wide the picture is, and offer a wider one to look at."""
    t, wide = session.t(), _wide(name)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        d_model = session.scene().projections.d_model
        said = t("codes.wider", d=drawn.table.shape[1], d_model=d_model) if wide else ""
        st.caption(said or t("codes.as_wide", d=d_model), width="stretch")
        if d_model < MAX_DIMS:
            st.button(
                t("codes.narrow", d=d_model) if wide else t("codes.widen", d=MAX_DIMS),
                on_click=session.change,
                args=("codes",),
                kwargs={"width": 0 if wide else MAX_DIMS},
            )


def _near(drawn: Portrait) -> slice:
    """Leave out distances that lie far beyond the last one told apart."""
    if drawn.kind != "distances":
        return slice(None)
    middle, reach = len(drawn.table) // 2, session.settings().clip + 4
    return slice(max(0, middle - reach), middle + reach + 1)


def _some(drawn: Portrait) -> list[int]:
    """Choose the features whose curves can be told apart, evenly; heads are all shown."""
    count = drawn.table.shape[1]
    if drawn.kind == "bias" or count <= MOST_CURVES:
        return list(range(count))
    return np.linspace(0, count - 1, MOST_CURVES).round().astype(int).tolist()


def _names(drawn: Portrait) -> list[str]:
    t = session.t()
    said = "figure.head" if drawn.kind == "bias" else "codes.feature"
    return [t(said, head=c + 1, feature=c + 1) for c in range(drawn.table.shape[1])]


def _about(name: str, drawn: Portrait, scene: Scene) -> str:
    """Say what this code is, and whether place against place depends on the distance alone."""
    t, settings = session.t(), session.settings()
    first, second = (
        (1, 2) if settings.pairs == "interleaved" else (1, scene.projections.d_k // 2 + 1)
    )
    said = t(
        f"codes.about_{name}",
        base=significant(settings.base),
        clip=settings.clip,
        rows=len(drawn.table),
        seed=settings.seed,
        first=first,
        second=second,
    )
    small = drawn.by_distance
    law = t("codes.toeplitz" if small else "codes.not_toeplitz", spread=magnitude(drawn.spread))
    odd = name.startswith("sinusoidal") and drawn.table.shape[1] % 2
    return t("say.next").join([said, law, *([t("codes.odd")] if odd and not small else [])])


def _spoken(name: str, drawn: Portrait) -> str:
    t = session.t()
    law = "say_by_distance" if drawn.by_distance else "say_not_by_distance"
    said = t("codes.say", code=t(f"position.{name}"), n=len(drawn.map))
    return t("say.next").join([said, t(f"codes.{law}")])
