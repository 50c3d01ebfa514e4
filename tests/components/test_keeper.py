"""What the pictures hold: read as a browser says it, and never believed."""

import re
from pathlib import Path

import pytest

from attnviz import components
from attnviz.components.keeper import read_kept

FOLDER = Path(components.__file__).parent
SCRIPTS = sorted({*FOLDER.glob("*/*.js")} - {FOLDER / "keeper" / "keeper.js"})


def test_what_is_held_and_what_was_let_go_is_read():
    kept = read_kept({"text": "abc", "q": 4, "key": None, "colours": "log"})
    assert kept.text == "abc"
    assert kept.values == {"q": "4", "key": "", "colours": "log"}


@pytest.mark.parametrize("value", [None, 3, "q", [1], {"q": [1], "key": {"a": 1}, "colours": True}])
def test_what_is_neither_text_nor_number_is_not_taken(value):
    assert read_kept(value).values == {}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_picture_that_locks_tokens_is_not_disturbed_while_it_is_in_use(script):
    code = script.read_text("utf-8")
    locks = re.search(r"\b(lock|takeKept)\(", code) is not None
    assert (' holds"' in code) == locks
