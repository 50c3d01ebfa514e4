"""All heads in a table, on the text or on built-in sentences; a click opens one."""

import math
from collections.abc import Sequence
from functools import partial

import streamlit as st

from attnviz.attention.readings import HEAD_TYPES, HeadReading, Rule
from attnviz.components.head_grid import Chosen
from attnviz.components.head_table import HeadColumn, HeadRow, HeadTableWords, head_table
from attnviz.exports.head_tables import lines_of, lines_of_means, written
from attnviz.models.corpus import Averaged
from attnviz.models.results import Capture
from attnviz.text import Words
from attnviz.text.numbers import decimals, number
from attnviz.ui import cached_models, session, tools
from attnviz.ui.rooms.models import asked, coded, folds, sentences

MEASURES = (
    "normalized_entropy",
    "effective_tokens",
    "mean_distance",
    "previous_share",
    "next_share",
    "self_share",
    "first_share",
    "special_share",
    "duplicate_score",
    "induction_score",
)
"""The numbers of a head that are listed, by their names in HeadReading."""
_NO_SHARES = ("effective_tokens", "mean_distance")


def panel() -> None:
    """Draw the table, with the rules of the types beneath."""
    capture = asked.captured()
    if capture is None:
        return
    t, box = session.t(), folds.fold("head_table")
    if box is not None:
        with box:
            sentences.switch(capture)
            if sentences.chosen(capture):
                averages = sentences.found()
                if averages is not None:
                    _draw(capture, [each.mean for each in averages], averages)
                    return
                st.caption(t("head_table.on.meanwhile"))
            found = folds.waited(
                cached_models.heads_listed(asked.asked()),
                again=partial(cached_models.heads_listed.clear, asked.asked()),
            )
            if found is not None:
                _draw(capture, found)


def _draw(
    capture: Capture, found: Sequence[HeadReading], averages: Sequence[Averaged] = ()
) -> None:
    t, settings = session.t(), session.settings()
    head_table(
        rows(found, t, settings.digits, averages),
        columns(t),
        types(found, t),
        key="head_table",
        label=t("head_table.label"),
        words=HeadTableWords(
            name=t("head_table.head"),
            types=t("head_table.types"),
            every=t("head_table.every"),
            listed=t("head_table.listed", n="{n}", all="{all}"),
            sort=t("head_table.sort", column="{column}"),
        ),
        sorting=settings.sorting,
        head_type=settings.head_type,
        chosen=asked.heads(capture),
        on_head=_open,
        on_way=_list,
        size=session.size(),
    )
    with st.container(horizontal=True, gap="small"):
        _rules(bool(averages), t)
        if not averages:
            coded.of_table(capture)
        if averages:
            sentences.code()
            sentences.read()
        _download(capture, found, averages, t)
    if averages:
        sentences.note(averages)
    else:
        st.caption(t("head_table.note"))
    if capture.grid is not None:
        st.caption(t("patches.table_note"))
    there = sentences.place(averages) if averages else t("head_table.on.here")
    tools.say(said_of(found, t, settings.digits, there))


def _download(
    capture: Capture, found: Sequence[HeadReading], averages: Sequence[Averaged], t: Words
) -> None:
    lines = lines_of_means(capture, averages) if averages else lines_of(capture, found)
    st.download_button(
        t("head_table.save"),
        data=lambda: written(lines, "csv"),
        file_name="attnviz-heads.csv",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
        key="head_table.save",
    )


def _rules(of_means: bool, t: Words) -> None:
    with st.popover(t("head_table.rules"), icon=":material/rule:", type="tertiary"):
        said = [
            f"- **{type_name(name, t)}**: {rule_said(HEAD_TYPES[name], t)}" for name in HEAD_TYPES
        ]
        st.markdown("\n".join(said))
        st.caption(t("head_table.rules_mean") if of_means else t("head_table.rules_note"))


def _open(chosen: Chosen) -> None:
    asked.open_head(chosen.layer, chosen.head, more=chosen.more)


def _list(sorting: str, head_type: str) -> None:
    session.change("models", sorting=sorting, head_type=head_type)


def rows(
    found: Sequence[HeadReading], t: Words, digits: int, averages: Sequence[Averaged] = ()
) -> list[HeadRow]:
    """Write each head as a row; "n/a" where there is nothing to average.

    `averages` are those that the readings are the means of, where they are.
    """
    return [
        HeadRow(
            layer=each.layer or 0,
            head=each.head or 0,
            name=f"{each.layer}.{each.head}",
            types=each.types,
            cells=[
                sentences.cell(averages[place], name, t, digits)
                if averages
                else _cell(getattr(each, name), t, digits)
                for name in MEASURES
            ],
            values=[getattr(each, name) for name in MEASURES],
        )
        for place, each in enumerate(found)
    ]


def _cell(value: float | None, t: Words, digits: int) -> str:
    return t("head_table.none") if value is None else decimals(value, digits)


def columns(t: Words) -> list[HeadColumn]:
    """Name each number and say what it is."""
    return [
        HeadColumn(
            key=name,
            title=t(f"measure.{name}"),
            note=t(f"measure_note.{name}"),
            share=name not in _NO_SHARES,
        )
        for name in MEASURES
    ]


def types(found: Sequence[HeadReading], t: Words) -> dict[str, tuple[str, str]]:
    """Give the name and the rule of each type that a head here is of."""
    there = {name for each in found for name in each.types}
    return {
        name: (type_name(name, t), rule_said(rule, t))
        for name, rule in HEAD_TYPES.items()
        if name in there
    }


def type_name(name: str, t: Words) -> str:
    """Name a type of head."""
    return t(f"head_type.{name}")


def rule_said(rule: Rule, t: Words) -> str:
    """Say what a head of a type has."""
    least = math.isfinite(rule.at_least)
    return t(
        "head_table.at_least" if least else "head_table.at_most",
        measure=t(f"measure.{rule.measure}"),
        number=number(rule.at_least if least else rule.at_most, 2),
    )


def said_of(found: Sequence[HeadReading], t: Words, digits: int, place: str) -> str:
    """Say how many heads have a type, and which one is the clearest of the most frequent type.

    `place` says on what they were read.
    """
    counts = {name: sum(name in each.types for each in found) for name in HEAD_TYPES}
    most = max(counts, key=lambda name: counts[name])
    if not counts[most]:
        return t("head_table.said_none", all=len(found), place=place)
    rule = HEAD_TYPES[most]
    sign = 1 if math.isfinite(rule.at_least) else -1
    of_type = [each for each in found if most in each.types]
    best = max(of_type, key=lambda each: sign * getattr(each, rule.measure))
    return t(
        "head_table.said",
        place=place,
        n=sum(bool(each.types) for each in found),
        all=len(found),
        type=type_name(most, t),
        count=counts[most],
        head=f"{best.layer}.{best.head}",
        measure=t(f"measure.{rule.measure}"),
        number=number(getattr(best, rule.measure), digits),
    )
