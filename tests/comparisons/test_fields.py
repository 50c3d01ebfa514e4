"""Fields of convolutions, counted layer by layer, and the field of a head."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.comparisons.fields import (
    LAYINGS,
    SHAPES,
    Shape,
    field,
    field_radius,
    layers_to_link,
    shaped_field,
    steps_to_link,
)

GRID, MIDDLE = (5, 10), (2, 4)


def test_the_middle_of_the_lectures_picture_sees_9_25_and_35_of_50():
    seen = [int(field(GRID, MIDDLE, field_radius(k, 1)).sum()) for k in (3, 5, 7)]
    assert seen == [9, 25, 35]


def test_layers_that_link_the_ends_are_those_of_the_table():
    lengths = (4, 16, 64)
    assert [steps_to_link(n) for n in lengths] == [3, 15, 63]
    assert [layers_to_link(n) for n in lengths] == [3, 15, 63]
    assert [layers_to_link(n, laying="dilated") for n in lengths] == [2, 3, 4]


def walked(grid, pixel, kernel, layers, laying):
    """Find the field by walking back through the layers, one at a time."""
    half, seen = kernel // 2, {pixel}
    for layer in range(layers):
        gap = kernel**layer if laying == "dilated" else 1
        steps = [gap * step for step in range(-half, half + 1)]
        seen = {(r + down, c + right) for r, c in seen for down in steps for right in steps}
    return {(r, c) for r, c in seen if 0 <= r < grid[0] and 0 <= c < grid[1]}


@pytest.mark.parametrize("laying", LAYINGS)
@pytest.mark.parametrize("kernel", [3, 5])
@pytest.mark.parametrize("layers", [1, 2, 3])
def test_a_field_is_what_a_walk_through_the_layers_finds(kernel, layers, laying):
    lit = field((30, 31), (14, 15), field_radius(kernel, layers, laying))
    found = walked((30, 31), (14, 15), kernel, layers, laying)
    assert {tuple(place) for place in np.argwhere(lit).tolist()} == found


@given(n=st.integers(1, 5_000), kernel=st.sampled_from((3, 5, 7)))
def test_one_layer_less_does_not_link_the_ends(n, kernel):
    stacked, dilated = layers_to_link(n, kernel), layers_to_link(n, kernel, "dilated")
    assert stacked * (kernel // 2) >= n - 1 > (stacked - 1) * (kernel // 2) or n == 1
    assert kernel**dilated >= n
    assert n == 1 or kernel ** (dilated - 1) < n


@pytest.mark.parametrize("shape", SHAPES)
def test_a_head_may_see_everyone_through_any_field(shape):
    weights = shaped_field(GRID, SHAPES[shape]).weights
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    assert weights.shape == (50, 50)


def test_a_field_of_everywhere_is_the_mean():
    np.testing.assert_allclose(shaped_field(GRID, SHAPES["everywhere"]).weights, 1 / 50, rtol=1e-3)


def test_a_field_is_a_bell_around_its_centre():
    weights = shaped_field(GRID, Shape(centre=(1, -2), along=1, across=1)).weights[24].reshape(GRID)
    assert np.unravel_index(weights.argmax(), GRID) == (3, 2)
    assert weights[3, 3] / weights[3, 2] == pytest.approx(np.exp(-0.5))
    assert weights[1, 2] / weights[3, 2] == pytest.approx(np.exp(-2))


def test_a_long_field_lies_along_its_angle():
    slanted = shaped_field((9, 9), Shape(along=3, across=0.5, angle=45)).weights[40].reshape(9, 9)
    assert slanted[6, 6] > 100 * slanted[6, 2]  # down and right, not down and left


@pytest.mark.parametrize("wrong", [(2, 1, "stacked"), (3, 0, "stacked"), (3, 1, "loose")])
def test_what_is_no_layer_is_refused(wrong):
    with pytest.raises(ValueError, match="odd kernel"):
        field_radius(*wrong)
