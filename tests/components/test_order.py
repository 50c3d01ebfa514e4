"""What the chips report is an order of them, or nothing."""

import pytest

from attnviz.components.order import permutation


def test_an_order_is_read():
    assert permutation([2, 0, 1], 3) == (2, 0, 1)
    assert permutation([], 0) == ()


@pytest.mark.parametrize(
    "value",
    [
        None,
        "210",
        [0, 1],
        [0, 1, 1],
        [0, 1, 3],
        [0, 1, 2, 3],
        [0.0, 1, 2],
        [True, False, 2],
        [-1, 0, 1],
    ],
)
def test_what_is_none_is_ignored(value):
    assert permutation(value, 3) is None
