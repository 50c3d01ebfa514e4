"""Two temperatures that are not the same thing: one moves the map, one only the drawing of lots."""

import numpy as np
import streamlit as st

from attnviz.attention.normalizers import DISTRIBUTIONS
from attnviz.components.matrix import matrix
from attnviz.figures import code_trials
from attnviz.figures import temperatures as figures
from attnviz.lessons.temperatures import (
    COLDEST,
    NextWord,
    Path,
    next_word,
    path,
    read_values,
    weights_at,
    word_vectors,
)
from attnviz.scene import WITH_LIMIT, Scene
from attnviz.settings import LARGEST_TEMPERATURE
from attnviz.text.numbers import decimals, number, significant, vector
from attnviz.ui import matrices, refusals, session, tools
from attnviz.ui.plots import plot

LISTED = (0, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 4, 8, 16, 100, 1000)
_NEAR = 1e-6
_COLDEST_WEIGHTS = 0.25  # of normalizers whose weights grow without end as T falls


def two_temperatures() -> None:
    """Draw two sliders: the attention's own beside its map, the sampling one beside its bars."""
    t, scene, settings = session.t(), session.scene(), session.settings()
    sampling = sampling_temperature()
    found = _next(scene, sampling)
    tools.ask(t("temperatures.question"))
    first, second, *rest = st.columns(2 if settings.present else 3, gap="medium")
    with first, st.container(border=True, key="attention-temperature"):
        _attention_slider()
        _map(scene)
    with second, st.container(border=True, key="sampling-temperature"):
        _sampling_slider(sampling)
        _lots(scene, found)
    with rest[0] if rest else st.container():
        _walk(scene)
    refusals.show("temperatures")
    amount = settings.amount
    if amount is not None and amount != sampling:
        st.caption(t("temperatures.unusable", got=number(amount), most=number(LARGEST_TEMPERATURE)))
    st.write(t("temperatures.explained", **_explained(scene, sampling)))
    said, code = st.columns([8, 1], vertical_alignment="top")
    with said:
        tools.say(_sentence(scene, found, sampling))
    with code:
        tools.lines(
            "temperatures",
            lambda: code_trials.temperatures_numpy(scene, found, sampling, t),
            lambda: code_trials.temperatures_package(scene, sampling, t),
        )


def sampling_temperature() -> float:
    """Give the temperature at which the next word is drawn: the panel's number, else 1."""
    amount = session.settings().amount
    return float(amount) if amount is not None and 0 <= amount <= LARGEST_TEMPERATURE else 1.0


def _next(scene: Scene, sampling: float) -> NextWord:
    head = scene.trace.head(scene.head)
    words = word_vectors(scene.inputs, scene.projections, scene.head)
    return next_word(head.output[scene.query], scene.tokens, words, sampling)


def listed(value: float, *, limit: bool = True) -> list[float]:
    """Give the temperatures of a slider, with the one in force among them."""
    kept = [each for each in LISTED if limit or each > 0]
    return sorted({*map(float, kept), float(value)})


def _attention_slider() -> None:
    t, settings = session.t(), session.settings()
    limit = settings.normalizer in WITH_LIMIT
    session.put("temperatures.attention", float(settings.temperature))
    st.select_slider(
        t("temperatures.attention"),
        listed(settings.temperature, limit=limit),
        key="temperatures.attention",
        format_func=significant,
        help=t("temperatures.attention_help"),
        on_change=lambda: session.change(
            "temperatures", temperature=session.got("temperatures.attention")
        ),
    )


def _sampling_slider(sampling: float) -> None:
    t = session.t()
    session.put("temperatures.sampling", sampling)
    st.select_slider(
        t("temperatures.sampling"),
        listed(sampling),
        key="temperatures.sampling",
        format_func=significant,
        help=t("temperatures.sampling_help"),
        on_change=lambda: session.change(
            "temperatures", amount=session.got("temperatures.sampling")
        ),
    )


def _map(scene: Scene) -> None:
    t, digits = session.t(), session.settings().digits
    head = scene.trace.head(scene.head)
    spec = matrices.token_by_token(
        head.weights,
        "weights",
        scene.tokens,
        t,
        digits,
        sums=matrices.sums(head.weights, digits) if len(scene.tokens) <= 4 else None,
        masked=None if head.mask is None else (~head.mask).tolist(),
        limit=max(1.0, float(head.weights.max())),
        row_in_hand=scene.query,
        readout_template=t("see.cell"),
        pick_rows=True,
        notation=session.notation(),
    )
    moved = np.abs(weights_at(head, scene.query, 1.0) - head.weights[scene.query]).max()
    matrix(
        [spec],
        key="temperature_map",
        label=t("see.weights_title"),
        default_readout=t("temperatures.moved", difference=number(float(moved), digits)),
        on_query=session.ask,
        size=session.size() * 0.92,
    )


def _lots(scene: Scene, found: NextWord) -> None:
    t, digits = session.t(), session.settings().digits
    theme, present = session.theme(), session.settings().present
    width = 400 if present else None
    plot(
        figures.next_words(found, scene.tokens, t, theme, digits=digits, width=width),
        figures.next_words_alt(found, scene.tokens, t, digits=digits),
        "lots",
        natural=present,
    )
    st.caption(t("temperatures.unmoved"))


def _walk(scene: Scene) -> None:
    """Draw the way of the output from the best value to the mean of all."""
    t, settings = session.t(), session.settings()
    head, i = scene.trace.head(scene.head), scene.query
    limit = settings.normalizer in DISTRIBUTIONS
    way, values = (
        path(head, i, coldest=COLDEST if limit else _COLDEST_WEIGHTS),
        read_values(head, i),
    )
    digits, theme, n = settings.digits, session.theme(), session.notation()
    st.markdown(f"**{t('temperatures.walk_title', index=n.index(i))}**")
    if values.shape[1] == 2:
        ends, flat = _ends(scene, way), True
        figure = figures.output_walk(
            way, values, head.output[i], i, t, theme, ends=ends, notation=n
        )
    else:
        flat, width = settings.present, 600 if settings.present else None
        figure = figures.way_lines(way, settings.temperature, t, theme, digits=digits, width=width)
    plot(
        figure, figures.output_walk_alt(way, head.output[i], t, digits=digits), "walk", natural=flat
    )
    st.caption(_said(scene, way))


def _arrives(scene: Scene, way: Path) -> tuple[bool, bool]:
    """Tell whether the way begins at the best value, and whether it ends at the mean of all."""
    cold, hot = way.ends
    shares = scene.choices.normalizer in DISTRIBUTIONS
    near = 0.01 * max(1.0, float(np.linalg.norm(way.mean)))
    return shares and cold < _NEAR, shares and hot < near


def _ends(scene: Scene, way: Path) -> tuple[str, str]:
    from_best, to_mean = _arrives(scene, way)
    first, last = way.temperatures[[0, -1]].tolist()
    return (
        "T → 0" if from_best else f"T = {significant(first)}",
        "T → ∞" if to_mean else f"T = {significant(last)}",
    )


def _said(scene: Scene, way: Path) -> str:
    """Say where the way begins and ends, as far as that is so."""
    t, digits, i = session.t(), session.settings().digits, scene.query
    if scene.trace.head(scene.head).empty_rows[i]:
        return t("temperatures.empty", row=i + 1)
    from_best, to_mean = _arrives(scene, way)
    keys = ("cold_best" if from_best else "cold_other", "hot_mean" if to_mean else "hot_other")
    places = (way.outputs[0], way.outputs[-1])
    first, last = way.temperatures[[0, -1]].tolist()
    return " ".join(
        t(f"temperatures.{key}", place=_place(place, digits), T=significant(T))
        for key, place, T in zip(keys, places, (first, last), strict=True)
    )


def _place(output: np.ndarray, digits: int) -> str:
    return vector(np.round(output, 9) + 0.0, digits)


def _explained(scene: Scene, sampling: float) -> dict[str, str]:
    n, i = session.notation(), scene.query
    return {
        "index": n.index(i),
        "T": significant(session.settings().temperature),
        "sampling": significant(sampling),
    }


def _sentence(scene: Scene, found: NextWord, sampling: float) -> str:
    t, digits = session.t(), session.settings().digits
    head, i = scene.trace.head(scene.head), scene.query
    best, word = int(head.weights[i].argmax()), int(found.probabilities.argmax())
    return t(
        "temperatures.say",
        T=significant(session.settings().temperature),
        row=i + 1,
        token=scene.tokens[best],
        place=best + 1,
        weight=decimals(head.weights[i, best], digits),
        sampling=significant(sampling),
        word=scene.tokens[found.places[word]],
        probability=decimals(found.probabilities[word], digits),
    )
