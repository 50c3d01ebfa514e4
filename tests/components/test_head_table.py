"""What the table of heads reports is a head or a way to list them, or nothing."""

import pytest

from attnviz.components.head_grid import Chosen
from attnviz.components.head_table import HeadColumn, HeadRow, _chosen, _way

ROWS = [
    HeadRow(layer=layer, head=2, name=f"{layer}.2", types=(), cells=(), values=())
    for layer in range(3)
]
COLUMNS = [HeadColumn(key="entropy", title="", note=""), HeadColumn(key="next", title="", note="")]


def test_a_row_is_its_head():
    assert _chosen({"row": 1, "more": False}, ROWS) == Chosen(1, 2, False)
    assert _chosen({"row": 2, "more": True}, ROWS) == Chosen(2, 2, True)


@pytest.mark.parametrize("value", [None, 1, {}, {"row": 3}, {"row": -1}, {"row": True}, [0]])
def test_what_is_no_row_is_ignored(value):
    assert _chosen(value, ROWS) is None


def test_a_way_to_list_is_read():
    assert _way({"sorting": "next_up", "type": "sink"}, COLUMNS, {"sink"}) == ("next_up", "sink")
    assert _way({"sorting": "", "type": ""}, COLUMNS, ()) == ("", "")


@pytest.mark.parametrize(
    "value",
    [
        None,
        "next",
        {},
        {"sorting": "previous", "type": ""},
        {"sorting": "next_down", "type": ""},
        {"sorting": "next", "type": "sink"},
        {"sorting": None, "type": ""},
        {"sorting": ["next"], "type": ""},
    ],
)
def test_an_unknown_way_is_ignored(value):
    assert _way(value, COLUMNS, ()) is None
