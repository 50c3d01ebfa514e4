"""A count may be 1: texts name what is counted before it, “keys: 1”, and need no plural."""

import re

import pytest

from attnviz.text import catalogue

TABLES = (
    *("models", "model_page", "hidden", "why", "head_table", "versus", "predict_next", "repeat"),
    *("edit", "each_off", "labelling", "said"),
)
"""Texts about what a person typed or opened: of everything there may be one."""

COUNTED = re.compile(
    r"(?<!of )(?<!of \*\*)\{(n|k|count|tied|reached|edges|nodes|one|other|n_\w+)\}\**"
    r"( (?!built-in)[a-z-]+)? (keys|rows|columns|heads|layers|products|words|nodes|edges"
    r"|labels|vectors|sentences|sets|times|runs|pairs|queries|tokens)\b"
)
MANY = {"models.said_large", "head_table.on.read"}  # drawn in blocks; sentences of ours


@pytest.mark.parametrize(
    "key",
    [
        key
        for key in catalogue("en")
        if key.removeprefix("notation.in_columns.").startswith(
            tuple(f"{table}." for table in TABLES)
        )
    ],
)
def test_a_count_of_one_is_no_wrong_plural(key):
    if key not in MANY:
        assert not COUNTED.search(catalogue("en")[key]), catalogue("en")[key]


def test_a_wrong_plural_would_be_found():
    assert COUNTED.search("may be seen, as {n} keys may")
    assert COUNTED.search("the other {n} large products")
    assert not COUNTED.search("keys that may: {n}")
    assert not COUNTED.search("heads: {n} of {n_all} heads")
