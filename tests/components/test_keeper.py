"""What the pictures hold: read as a browser says it, and never believed."""

import pytest

from attnviz.components.keeper import read_kept


def test_what_is_held_and_what_was_let_go_is_read():
    kept = read_kept({"text": "abc", "q": 4, "key": None, "colours": "log"})
    assert kept.text == "abc"
    assert kept.values == {"q": "4", "key": "", "colours": "log"}


@pytest.mark.parametrize("value", [None, 3, "q", [1], {"q": [1], "key": {"a": 1}, "colours": True}])
def test_what_is_neither_text_nor_number_is_not_taken(value):
    assert read_kept(value).values == {}
