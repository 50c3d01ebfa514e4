"""Two equal tokens: whether their outputs are equal, and what could make them differ."""

from typing import Any

import numpy as np
import streamlit as st

from attnviz.components import Text
from attnviz.components.matrix import Kind, MatrixSpec, matrix
from attnviz.errors import InputError
from attnviz.figures import code_positions_room as code
from attnviz.figures.labels import subscript
from attnviz.lessons.symmetry import Lamp, lamp
from attnviz.scene import Scene
from attnviz.text.numbers import magnitude, number
from attnviz.ui import bar, cached, matrices, refusals, session, tools
from attnviz.ui.rooms.positions import choosing, tables
from attnviz.ui.rooms.positions.trials import TRIALS, changes

_MANY = 5  # so many matrices stand side by side only where they are smaller


def two_equal_tokens() -> None:
    """Draw the lamp, what can be tried on it, and what a position code changed."""
    scene = session.scene()
    choosing.question("lamp.question")
    found = lamp(scene.inputs, scene.trace.output)
    if found is None:
        _no_pair()
    else:
        _light(found)
    _trials()
    if found is None:
        _every_vector(scene)
    else:
        _vectors(scene, found)
        _each_alone()
    _difference_map(scene)
    if found is not None:
        tools.say(_spoken(found))
        _code(scene, found)


def _no_pair() -> None:
    t = session.t()
    with st.container(border=True, key="lamp"):
        st.markdown(f"### :material/help: {t('lamp.no_pair')}")
        st.button(t("lamp.to_hero"), key="lamp.hero", on_click=bar.start_example, args=("hero",))


def _light(found: Lamp) -> None:
    """Say in large letters whether the two outputs are equal, and by how much they differ."""
    t, values = session.t(), _values(found)
    icon, colour = ("lightbulb", "primary") if found.lit else ("light_off", "gray")
    sign = "≠" if found.lit else "="
    with st.container(border=True, key="lamp"):
        verdict, reason = st.columns([1, 2], vertical_alignment="center")
        with verdict:
            st.markdown(f"# :{colour}[:material/{icon}:] {values['i']} {sign} {values['j']}")
            st.markdown(f"‖{values['i']} − {values['j']}‖ = **{values['distance']}**")
        with reason:
            st.write(t("lamp.lit" if found.lit else "lamp.dark", **values))
            st.write(_reason(found, values))


def _reason(found: Lamp, values: dict[str, object]) -> str:
    """Name what told the two apart, or what is in force and did not."""
    t, settings = session.t(), session.settings()
    trying = [t(TRIALS[name].words) for name in TRIALS if TRIALS[name].holds(settings)]
    able = []
    if settings.mask != "everyone":
        able.append(t("puzzle.by_mask", mask=t(f"mask.{settings.mask}")))
    if settings.positions != "none":
        able.append(t("puzzle.by_position", position=t(f"position.{settings.positions}")))
    if found.lit:
        return t("lamp.told_by", reasons=t("puzzle.join").join(able) or t("puzzle.by_vectors"))
    if trying:
        return t("lamp.did_nothing", tried=t("say.comma").join(trying))
    return t("lamp.why_equal", **values)


def _values(found: Lamp) -> dict[str, object]:
    scene = session.scene()
    trace = scene.trace
    plain = trace.output is trace.concatenated and trace.n_heads == 1
    symbol = "b" if plain else "o"
    return {
        "i": symbol + subscript(found.first),
        "j": symbol + subscript(found.second),
        "first": found.first + 1,
        "second": found.second + 1,
        "token": refusals.escape(scene.tokens[found.first]),
        "distance": magnitude(found.distance),
    }


def _trials() -> None:
    """Draw what can be switched on and off; what is in force is marked."""
    t, settings = session.t(), session.settings()
    session.put("positions.trials", [name for name in TRIALS if TRIALS[name].holds(settings)])
    st.pills(
        t("lamp.try"),
        tuple(TRIALS),
        selection_mode="multi",
        format_func=lambda name: t(TRIALS[name].words),
        key="positions.trials",
        on_change=_tried,
    )
    refusals.show("trials")


def _tried() -> None:
    chosen = set(session.got("positions.trials"))
    session.attempt("trials", lambda: changes(session.settings(), chosen))


def _vectors(scene: Scene, found: Lamp) -> None:
    """Draw the rows of the two tokens from input to output, to see where they part."""
    t, head, trace = session.t(), scene.trace.head(scene.head), scene.trace
    two = [found.first, found.second]
    rows: list[tuple[str, Kind, np.ndarray, str]] = [
        ("a", "plain", trace.inputs, t("see.inputs_title"))
    ]
    if trace.position.added is not None:
        rows.append(("a + e", "plain", trace.encoded_inputs, t("lamp.encoded")))
    rows.append(("q", "query", head.query, t("see.query_title")))
    if scene.digits_fit:
        rows.append(("α′", "weights", head.weights, t("see.weights_title")))
    output = str(_values(found)["i"])[0]
    rows.append((output, "output", trace.output, t("see.outputs_title")))
    matrix(
        [_pair(name, kind, array[two], two, title) for name, kind, array, title in rows],
        key="lamp.vectors",
        label=t("lamp.vectors"),
        default_readout=t("lamp.readout"),
        size=session.size() * (1.0 if len(rows) < _MANY else 0.78),
    )


def _every_vector(scene: Scene) -> None:
    """Draw all inputs and outputs: none of the inputs is there twice."""
    t, digits = session.t(), session.settings().digits
    shown: dict[str, Any] = {"notation": session.notation(), "row_in_hand": scene.query}
    inputs = matrices.vectors(scene.inputs, "a", "plain", scene.tokens, t, digits, **shown)
    outputs = matrices.vectors(
        scene.trace.output, "b", "output", scene.tokens, t, digits, sign="→", **shown
    )
    matrix(
        [inputs, outputs],
        key="lamp.every",
        label=t("lamp.question"),
        default_readout=t("lamp.no_twin"),
        size=session.size(),
    )


def _pair(name: str, kind: Kind, two: np.ndarray, places: list[int], title: str) -> MatrixSpec:
    """Describe the rows of two tokens, each marked as equal to the other or not."""
    t, scene = session.t(), session.scene()
    tokens = matrices.labels(scene.tokens)
    same = np.allclose(two[0], two[1], rtol=1e-12, atol=1e-12)
    marks: list[Text] = [t("lamp.same_mark" if same else "lamp.differ_mark")] * 2
    return tables.labelled(
        two,
        tables.symbol(name),
        title,
        [tokens[place] for place in places],
        tokens if kind == "weights" else tables.features(two.shape[1]),
        kind=kind,
        limit=max(1.0, float(two.max())),
        row_axis="pair",
        row_marks=marks,
    )


def _each_alone() -> None:
    """Offer what each trial does by itself, where neither positions nor a mask are in force."""
    t = session.t()
    fold = st.expander(t("lamp.each"), on_change="rerun", key="positions.each")
    if fold.open:
        with fold:
            lines = [f"| {t('lamp.tried')} | {t('lamp.apart')} | {t('lamp.verdict')} |", "|-|-:|-|"]
            st.markdown("\n".join([*lines, *map(_row, TRIALS)]))


def _row(name: str) -> str:
    t, trial = session.t(), TRIALS[name]
    try:
        scene = cached.scene(trial.alone(session.settings()), session.language())
    except InputError as error:
        return f"| {t(trial.words)} | – | {refusals.escape(refusals.sentence(error))} |"
    found = lamp(scene.inputs, scene.trace.output)
    if found is None:
        return f"| {t(trial.words)} | – | – |"
    icon = "lightbulb" if found.lit else "light_off"
    said = t("lamp.breaks" if found.lit else "lamp.keeps")
    return f"| {t(trial.words)} | {magnitude(found.distance)} | :material/{icon}: {said} |"


def _difference_map(scene: Scene) -> None:
    """Draw what the position code in force changed in A′ and b."""
    t, settings, digits = session.t(), session.settings(), session.settings().digits
    st.subheader(t("lamp.changed"), anchor=False)
    if settings.positions == "none":
        st.caption(t("lamp.no_code"))
        return
    plain = choosing.variant(positions="none")
    weights = scene.trace.head(scene.head).weights - plain.trace.head(scene.head).weights
    outputs = scene.trace.head(scene.head).output - plain.trace.head(scene.head).output
    shared: dict[str, Any] = {"notation": session.notation(), "row_in_hand": scene.query}
    limit = float(np.abs(weights).max()) or 1.0
    far = float(np.abs(outputs).max()) or 1.0
    changed = matrices.token_by_token(
        weights,
        "scores",
        scene.tokens,
        t,
        digits,
        legend=(number(-limit, digits), number(limit, digits)),
        limit=limit,
        readout_template=t("lamp.changed_cell"),
        **shared,
    )
    moved = matrices.vectors(
        outputs,
        "Δb",
        "scores",
        scene.tokens,
        t,
        digits,
        title=t("lamp.moved_title"),
        values=outputs.tolist(),
        limit=far,
        **shared,
    )
    changed = tables.named(changed, tables.symbol("ΔA′"), t("lamp.changed_title"))
    position = t(f"position.{settings.positions}")
    matrix(
        [changed, moved],
        key="lamp.changed",
        label=t("lamp.changed"),
        default_readout=t("lamp.changed_readout", position=position, largest=number(limit, digits)),
        size=session.size(),
    )


def _spoken(found: Lamp) -> str:
    t, scene = session.t(), session.scene()
    values = _values(found) | {
        "token": scene.tokens[found.first],
        "distance": choosing.said(found.distance),
    }
    return t("lamp.say_lit" if found.lit else "lamp.say_dark", **values)


def _code(scene: Scene, found: Lamp) -> None:
    t = session.t()
    tools.lines(
        "lamp",
        lambda: code.lamp_numpy(scene, found, t),
        lambda: code.lamp_package(scene, found, t),
    )
