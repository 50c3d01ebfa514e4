"""The plane computes in the browser what Python computes: the same weights, the same digits."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page

from attnviz import components
from attnviz.attention import NORMALIZERS
from attnviz.components import plane
from attnviz.components.plane import frames
from attnviz.text.numbers import number, table

LIMITED = ("softmax", "topk", "hardmax")
LIVE = (*LIMITED, "relu", "relu_sum", "relu_length", "sigmoid", "softmax1")
ROWS = [
    [-2.0, 0.0, 1.0, 0.0],
    [-3.0, -1.0, -1.0, -1.0],
    [4.0, 2.0, 3.0, 2.0],
    [250.0, -250.0, 249.5, 0.0],
    [-np.inf, 0.3, -np.inf, -7.0],
    [-np.inf] * 4,
    [0.5],
]


def test_its_script_is_smaller_than_any_other_may_be():
    assert len(components.source("plane", "js").encode()) <= 9_600


@pytest.fixture(scope="module")
def script(browser: Browser):
    """Load the script into an empty page, with its functions within reach."""
    page = browser.new_page()
    source = components.source("plane", "js").replace("export default function", "function main")
    page.add_script_tag(content=source)
    yield page
    page.close()


def row(values: list[float]) -> list[float | None]:
    return [value if np.isfinite(value) else None for value in values]


def weights_of(script: Page, law: dict, values: list[float]) -> list[float]:
    code = f"normalize({json.dumps(law)}, {json.dumps(row(values))}.map((x) => x ?? -Infinity))"
    return script.evaluate(code)


TEMPERED = [(name, t) for name in LIVE for t in (0, 0.05, 1, 4, 1000) if t or name in LIMITED]


@pytest.mark.parametrize(("name", "temperature"), TEMPERED)
def test_the_browser_normalizes_as_python_does(script, name, temperature):
    law = {"normalizer": name, "temperature": temperature, "k": 2, "offset": -1.5}
    own = {"topk": {"k": 2}, "sigmoid": {"bias": -1.5}}.get(name, {})
    for values in ROWS:
        expected = NORMALIZERS[name]([values], temperature=temperature, **own)[0]
        found = weights_of(script, law, values)
        np.testing.assert_allclose(found, expected, atol=1e-12, err_msg=str(values))


NUMBERS = [0, -0.0, 1, -3, 0.005, -0.004, 2.675, -1.005, 0.125, 1e6, 9_999_999.994, 1e7, -2.5e9]


@pytest.mark.parametrize("digits", [2, 3, 4])
def test_the_browser_writes_numbers_as_python_does(script, digits):
    for value in NUMBERS:
        assert script.evaluate(f"written({value}, {digits})") == number(value, digits)
    for values in ([1, 2, 0], [0.5, 2, -1], [0.1 + 0.2, -0.25]):
        written = [f"written({value}, {digits}, {values})" for value in values]
        assert script.evaluate(f"[{','.join(written)}]") == table([values], digits)[0]


def test_the_hull_of_the_browser_is_closed_around_every_point(script):
    points = [[1, 2], [-1, 2], [0, 1], [-1, 2], [0, 1.5]]
    corners = script.evaluate(f"hull({points})")
    assert {tuple(corner) for corner in corners} == {(1, 2), (-1, 2), (0, 1)}


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        [1],
        [1, "k"],
        [1, [["k", 0, 1]]],
        [1, [["w", 0, 1, 1]]],
        [1, [["k", 0.0, 1, 1]]],
        [1, [["k", True, 1, 1]]],
        [1, [["k", 0, None, 1]]],
        [1, [["k", 0, float("nan"), 1]]],
        [1, [["k", 0, 1e7, 1]]],
        [1, ["k011"]],
    ],
)
def test_what_the_browser_sends_is_checked(value):
    assert plane._moves(value) == []


def test_moves_are_read():
    assert plane._moves([3, [["k", 1, 2, -0.5], ["q", 0, 1, 1]]]) == [
        ("k", 1, 2.0, -0.5),
        ("q", 0, 1.0, 1.0),
    ]
    assert plane._serial([3, []]) == 3
    assert plane._serial(None) == 0


coordinates = st.floats(-1e6, 1e6, allow_nan=False)
points = st.lists(st.tuples(coordinates, coordinates), max_size=6)


@given(points, points)
def test_the_frame_holds_every_tip_and_0(homes, tips):
    frame = frames.frame_of(homes, tips)
    for tip in tips:
        assert frame.holds(tip)
    for tip in [(0, 0), *homes]:
        x, y = frame.at(tip)
        assert -1e-6 <= x <= frames.WIDE + 1e-6
        assert -1e-6 <= y <= frames.HIGH + 1e-6


@given(points, st.lists(st.tuples(st.floats(-0.9, 0.9), st.floats(-0.9, 0.9)), max_size=3))
def test_the_frame_stays_while_tips_stay_among_those_before(homes, inside):
    homes = [*homes, (1.0, 1.0), (-1.0, -1.0)]
    assert frames.frame_of(homes, inside) == frames.frame_of(homes, homes)
