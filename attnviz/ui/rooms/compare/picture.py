"""A picture as a set of vectors: one pixel asks, and the others answer."""

from functools import partial

import numpy as np
import streamlit as st

from attnviz.attention import HeadTrace
from attnviz.attention.metrics import effective_tokens
from attnviz.comparisons import pictures
from attnviz.components.pixels import PixelsSpec, pixels
from attnviz.figures import code_compare
from attnviz.text.numbers import magnitude, number, significant, vector
from attnviz.ui import session, tools
from attnviz.ui.rooms.compare import chosen_picture, shown

SIZES = {"s5": (5, 10), "s8": (8, 8), "s16": (pictures.MOST_SIDE, pictures.MOST_SIDE)}
_FINEST = "s16"
STRENGTHS = (0, 1, 2, 5, 10, 20, 50, 100, 200)
USUAL = 50


def picture() -> None:
    """Draw the picture, where one pixel looks, and what it reads."""
    t, strength, likeness = session.t(), strength_in_hand(), likeness_in_hand()
    points = chosen_picture.points()
    height, width = points.shape[:2]
    grid = _grid(height, width)
    small = pictures.reduced(points, *grid)
    trace = pictures.look(small, strength, likeness)
    pixel = shown.pixel_in_hand(grid)
    n = grid[0] * grid[1]
    row = trace.weights[pixel]
    looked, best, ties = looks(row, pixel)
    values = {
        "rows": grid[0],
        "columns": grid[1],
        "n": n,
        "height": number(height),
        "width": number(width),
        "pairs": number(n * n),
        "pixel": shown.place_name(pixel, grid),
        "best": shown.place_name(best, grid),
        "weight": magnitude(float(row[best])),
        "effective": significant(float(effective_tokens(trace.weights)[pixel])),
    }
    values["looks"] = t(f"picture.looks_{looked}", ties=ties, **values)
    values["made"] = "" if grid == (height, width) else t("picture.made_smaller", **values)
    tools.ask(t("picture.question"))
    shown.answer(t("picture.answer_one" if n == 1 else "picture.answer", **values))
    shown.arranged(
        lambda: _controls(strength, likeness), lambda: _pictures(small, trace, pixel, grid)
    )
    say = "picture.say_one" if n == 1 else "picture.say"
    tools.say(t(say, likeness=t(f"picture.{likeness}"), **values))
    words, code = st.columns([8, 1], vertical_alignment="top")
    with words:
        st.markdown(t("picture.how", numbers=vector(small.reshape(-1, 3)[pixel]), **values))
    with code:
        tools.lines(
            "picture",
            lambda: code_compare.picture_numpy(small, strength, likeness, pixel, t),
            lambda: code_compare.picture_package(small, strength, likeness, pixel, t),
        )


def looks(weights: np.ndarray, pixel: int) -> tuple[str, int, int]:
    """Tell where a pixel looks: "alone", at all "alike", "most" at one other or at several "tied".

    With it come the first of those others that get the most, and how many there are.
    """
    others = np.delete(np.arange(len(weights)), pixel)
    if not others.size:
        return "alone", pixel, 1
    best = others[np.isclose(weights[others], weights[others].max(), rtol=1e-9, atol=0)]
    if best.size == others.size and np.isclose(weights[pixel], weights[best[0]], rtol=1e-9):
        return "alike", int(best[0]), best.size
    return "most" if best.size == 1 else "tied", int(best[0]), best.size


def size_in_hand() -> str:
    """Give how finely the picture is cut, as a key of SIZES."""
    rung = session.settings().rung
    return rung if rung in SIZES else next(iter(SIZES))


def strength_in_hand() -> float | int:
    """Give what scores are multiplied by."""
    return shown.amount_among(STRENGTHS, USUAL)


def likeness_in_hand() -> str:
    """Give what a score is made of."""
    target = session.settings().target
    return target if target in pictures.LIKENESSES else pictures.LIKENESSES[0]


def _grid(height: int, width: int) -> tuple[int, int]:
    """Give rows and columns: as chosen, never more than the picture has.

    The finest keeps the picture's own proportions.
    """
    if size_in_hand() == _FINEST:
        return pictures.sides(height, width)
    rows, columns = SIZES[size_in_hand()]
    return min(rows, height), min(columns, width)


def _controls(strength: float | int, likeness: str) -> None:
    t, change = session.t(), partial(session.change, "picture")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        chosen_picture.choose()
        chosen_picture.open_own()
        shown.choose(
            "picture.size",
            t("picture.size"),
            tuple(SIZES),
            size_in_hand(),
            lambda name: (
                t("picture.finest", most=pictures.MOST_SIDE)
                if name == _FINEST
                else "{} × {}".format(*SIZES[name])
            ),
            lambda name: change(rung=name, key=None),
        )
        shown.choose(
            "picture.likeness",
            t("picture.likeness"),
            pictures.LIKENESSES,
            likeness,
            lambda name: t(f"picture.{name}"),
            lambda name: change(target=name),
        )
        shown.slide(
            "picture.strength",
            t("picture.strength"),
            STRENGTHS,
            strength,
            lambda value: change(amount=value),
            width=200,
        )
    chosen_picture.refused()


def _pictures(small: np.ndarray, trace: HeadTrace, pixel: int, grid: tuple[int, int]) -> None:
    t, n = session.t(), grid[0] * grid[1]
    weights, colours = trace.weights[pixel], small.reshape(-1, 3)
    largest = float(weights.max())
    names = [shown.place_name(place, grid) for place in range(n)]
    common = {"columns": grid[1], "chosen": pixel, "pick": list(range(n))}
    pixels(
        [
            PixelsSpec(
                label=t("picture.shown"),
                title=t("picture.shown"),
                colours=shown.hexes(255 * small),
                exact=colours,
                readouts=[
                    f"{name}: {vector(each)}" for name, each in zip(names, colours, strict=True)
                ],
                **common,
            ),
            PixelsSpec(
                label=t("picture.weights", pixel=names[pixel]),
                title=t("picture.weights", pixel=names[pixel]),
                colours=shown.weight_colours(weights / largest),
                exact=weights,
                readouts=[
                    t("convolution.weight", pixel=name, weight=magnitude(weight))
                    for name, weight in zip(names, weights.tolist(), strict=True)
                ],
                legend=shown.weight_legend(largest),
                **common,
            ),
            PixelsSpec(
                label=t("picture.read"),
                title=t("picture.read"),
                colours=shown.hexes(255 * trace.output),
                exact=trace.output,
                readouts=[
                    f"b, {name}: {vector(each)}"
                    for name, each in zip(names, trace.output, strict=True)
                ],
                **common,
            ),
        ],
        key="picture_pixels",
        default_readout=t("picture.point"),
        on_pixel=shown.ask_pixel,
        side=30 if grid[1] <= 10 else 17 if session.settings().present else 20,
        size=session.size(),
    )
