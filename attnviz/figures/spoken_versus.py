"""Two maps compared, said in sentences that are made of their numbers."""

import math
from collections.abc import Sequence

import numpy as np

from attnviz.models.comparing.aligned import Compared, Places
from attnviz.text import Words
from attnviz.text.numbers import decimals

Lines = Sequence[tuple[str | None, str | None]]
"""The names of a row or column on the one side and on the other, None where it has none."""

_MARKS = "␣#"


def lines(places: Places, one: Sequence[str], other: Sequence[str]) -> Lines:
    """Name each line of an alignment by the tokens of both sides; changed ones without marks."""
    found = [
        (None if at is None else one[at], None if to is None else other[to]) for at, to in places
    ]
    return [pair if pair[0] == pair[1] else (_bare(pair[0]), _bare(pair[1])) for pair in found]


def line_name(line: tuple[str | None, str | None]) -> str:
    """Name a line as it is spoken of: by its token, or by both where it was changed."""
    names = [name for name in map(_bare, line) if name is not None]
    return names[0] if len(names) == 1 or names[0] == names[1] else "⇄".join(names)


def _bare(name: str | None) -> str | None:
    """Leave out the marks of a space before a token and of a piece inside a word."""
    return name and (name.strip(_MARKS) or name)


def around(text: str, other: str, most: int = 40) -> str:
    """Cut a long text to whole words about the place where it begins to differ from another."""
    if len(text) <= most:
        return text
    letters = enumerate(zip(text, other, strict=False))
    same = next((at for at, (one, two) in letters if one != two), min(len(text), len(other)))
    start = min(max(0, same - most // 2), len(text) - most)
    end = min(len(text), start + most)
    if start:
        blank = text.find(" ", start, same)
        start = blank + 1 if blank >= 0 else start
    if end < len(text):
        blank = text.rfind(" ", max(start, same), end)
        end = blank if blank >= 0 else end
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")


def say(
    found: Compared, rows: Lines, columns: Lines, row: int | None, t: Words, digits: int
) -> str:
    """Say what a row does on both sides, and where the two differ most."""
    if row is None or found.farthest is None:
        return t("versus.nothing")
    if found.largest == 0:
        return t("versus.same", n=int(found.shared_rows.sum()))
    first = say_row(found, rows, columns, row, t, digits)
    farthest = found.farthest
    values = found.apart["total_variation"]
    mean = decimals(found.mean("total_variation") or 0, digits)
    n = int((~np.isnan(values)).sum())
    if row == farthest:
        return t("versus.two", first=first, second=t("versus.this_most", mean=mean, n=n))
    most = t(
        "versus.most",
        query=line_name(rows[farthest]),
        distance=decimals(values[farthest], digits),
        mean=mean,
        n=n,
    )
    return t("versus.two", first=first, second=most)


def say_row(found: Compared, rows: Lines, columns: Lines, row: int, t: Words, digits: int) -> str:
    """Say to which key each side gives most in a row, and how far the two are apart."""
    query = line_name(rows[row])
    one, other = found.peak(row, 0), found.peak(row, 1)
    distance = float(found.apart["total_variation"][row])
    if one is None or other is None:
        marks = [t("versus.mark_one"), t("versus.mark_other")]
        side = 0 if other is None else 1
        return t("versus.row_alone", query=query, side=marks[side], other=marks[1 - side])
    shared = {"query": query, "key": line_name(columns[one])}
    value = decimals(found.one[row, one], digits)
    if one == other:
        there = decimals(found.other[row, one], digits)
        said = t("versus.row_same", **shared, one=value, other=there)
    else:
        said = t(
            "versus.row",
            **shared,
            one=value,
            there=_value(found.other[row, one], t, digits),
            other_key=line_name(columns[other]),
            other=decimals(found.other[row, other], digits),
        )
    if np.isnan(distance):
        return said
    apart = t("versus.apart", distance=decimals(distance, digits))
    return t("versus.two", first=said, second=apart)


def _value(weight: float, t: Words, digits: int) -> str:
    return t("versus.no_token") if np.isnan(weight) else decimals(weight, digits)


def say_measures(found: Compared, t: Words, digits: int) -> str:
    """Give every measure, averaged over the rows that have it; "n/a" where none has."""

    def mean(name: str) -> str:
        value = found.mean(name)
        return t("head_table.none") if value is None else decimals(value, digits)

    share = found.mean("top1")
    return t(
        "versus.measures",
        n=int((~np.isnan(found.apart["total_variation"])).sum()),
        total_variation=mean("total_variation"),
        jensen_shannon=mean("jensen_shannon"),
        most=decimals(math.log(2), digits),
        kl=mean("kl"),
        cosine=mean("cosine"),
        top1=t("head_table.none") if share is None else f"{share:.0%}",
    )
