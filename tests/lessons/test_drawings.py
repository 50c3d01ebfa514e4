"""The pictures for a vision model: what is where is known of every point."""

import numpy as np
import pytest

from attnviz.lessons.drawings import DRAWINGS, SIDE, drawing


@pytest.mark.parametrize("key", DRAWINGS)
def test_a_drawing_is_a_small_picture_with_its_things(key):
    found = drawing(key)
    assert found.pixels.shape == (SIDE, SIDE, 3)
    assert found.pixels.dtype == np.uint8
    assert not found.pixels.flags.writeable
    assert found.things.shape == (SIDE, SIDE)
    assert set(np.unique(found.things)) == set(range(len(found.names) + 1))


@pytest.mark.parametrize("key", DRAWINGS)
def test_shares_of_patches_count_the_points_of_a_thing(key):
    found = drawing(key)
    for place, name in enumerate(found.names, 1):
        share = found.share(name, 16, 16)
        assert share.shape == (16, 16)
        assert share.mean() == pytest.approx((found.things == place).mean())


def test_the_twin_is_the_apple_once_more():
    found = drawing("apples")
    left, right = (found.things == found.names.index(name) + 1 for name in ("apple", "twin"))
    shift = round(0.56 * SIDE)
    moved = np.roll(left, shift, axis=1)
    assert (moved & right).sum() > 0.97 * right.sum()
