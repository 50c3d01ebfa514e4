"""`python -m attnviz metrics`: every number of every head, of a text, of several, or of a file."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attnviz.attention.readings import HeadReading
from attnviz.cli.captures import given_weights, loaded, window_of
from attnviz.cli.options import OUT_METRICS
from attnviz.cli.outputs import check_writable, save
from attnviz.errors import InputError
from attnviz.exports.head_tables import Line, lines_of, lines_of_means, written
from attnviz.exports.terminal import aligned
from attnviz.models.catalogue import catalogue
from attnviz.models.corpus import averaged
from attnviz.models.listed import listed
from attnviz.models.results import Capture
from attnviz.text import Words, words
from attnviz.text.numbers import decimals
from attnviz.text.refused import refused

_SHOWN = (
    *("normalized_entropy", "effective_tokens", "previous_share", "next_share", "self_share"),
    *("first_share", "special_share", "duplicate_score", "induction_score"),
)
"""The numbers that are printed; a file has all."""


@dataclass(frozen=True, eq=False)
class _Read:
    """What was read: a capture that names the layers, the text, and the heads of that text."""

    capture: Capture
    text: str
    table: tuple[HeadReading, ...]


def run(given: Mapping[str, str], language: str) -> int:
    """Read the heads of what is asked for; write a file, or print the table.

    Raises:
        InputError: if an option cannot be read, or the model or the file cannot be had.
    """
    t, path = words(language), given.get("out", "")
    ending = _ending(path) if path else ""
    if sum(name in given for name in ("text", "file", "weights")) > 1:
        raise InputError("cli.one_source", options="--text, --file, --weights")
    if path:
        check_writable(path)
    reads = list(_given_weights(given) if "weights" in given else _texts_read(given, language))
    lines = _lines(reads, each="each" in given)
    if path:
        size = max(1, round(save(written(lines, ending), path) / 1000))
        sys.stdout.write(t("cli.written", path=path, size=size) + "\n")
    else:
        sys.stdout.write(_printed(lines, t) + "\n")
    sys.stdout.flush()
    return 0


def _lines(reads: list[_Read], *, each: bool) -> list[Line]:
    """Give the heads of the one text, of every text one after the other, or the means over all."""
    if each:
        return [
            {"text": place, "passage": read.text} | line
            for place, read in enumerate(reads, 1)
            for line in lines_of(read.capture, read.table)
        ]
    if len(reads) == 1:
        return lines_of(reads[0].capture, reads[0].table)
    return lines_of_means(reads[0].capture, averaged([read.table for read in reads]))


def _printed(lines: list[Line], t: Words) -> str:
    first = ["text"] if "text" in lines[0] else []
    heading = [t(f"cli.column.{name}") for name in first]
    heading += [t("head_table.head"), *(t(f"measure.{name}") for name in _SHOWN)]
    rows = [[*heading, t("head_table.types")]]
    for line in lines:
        numbers = [_number(line[name], t) for name in _SHOWN]
        types = ", ".join(t(f"head_type.{name}") for name in str(line["types"]).split())
        place = [str(line[name]) for name in first]
        rows.append([*place, f"{line['layer']}.{line['head']}", *numbers, types])
    table = aligned(rows)
    n_texts = lines[0].get("n_texts")
    return table if n_texts is None else t("cli.means", n=n_texts) + "\n" + table


def _number(value: Any, t: Words) -> str:
    return t("head_table.none") if value is None else decimals(float(value), 2)


def _ending(path: str) -> str:
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in OUT_METRICS.known:
        known = ", ".join(OUT_METRICS.known)
        raise InputError("cli.ending", option=OUT_METRICS.flag, known=known, got=path)
    return ending


def _given_weights(given: Mapping[str, str]) -> Iterator[_Read]:
    capture = given_weights(given)
    passage = " ".join(token.text for token in capture.tokens)
    yield _Read(capture, passage, listed(capture))


def _texts_read(given: Mapping[str, str], language: str) -> Iterator[_Read]:
    """Let the model read text after text; of each only the table is kept, of the first all.

    Of several, one that the model cannot read is left out, and it is said which.
    """
    name, t = given.get("model", "default"), words(language)
    entry = catalogue().get(name)
    if entry is not None and entry.kind == "vision":
        raise InputError("models.needs_picture", name=entry.title)
    window = window_of(given)
    model = None if name in catalogue() else _loaded(name, t)
    texts = _texts(given, name)
    model = model or _loaded(name, t)
    first: list[Capture] = []
    for place, text in enumerate(texts, 1):
        _say(t("cli.reading", place=place, n=len(texts)))
        try:
            capture = model.capture(text, window=window)
        except InputError as mistake:
            if len(texts) == 1 or (place == len(texts) and not first):
                raise
            reason = refused(mistake.code, mistake.values, language, "cli")
            _say(t("cli.left_out", place=place, reason=reason))
            continue
        first = first or [capture]
        yield _Read(first[0], text, listed(capture))


def _loaded(name: str, t: Words) -> Any:
    _say(t("models.stage.load"))
    return loaded(name)


def _texts(given: Mapping[str, str], name: str) -> list[str]:
    """Give the texts that are asked for: one, the lines of a file, or the model's example."""
    if "file" in given:
        texts = [line.strip() for line in _read(given["file"]).splitlines()]
    else:
        entry = catalogue().get(name)
        example = entry.sentences[0] if entry and entry.sentences else ""
        texts = [given.get("text", example).strip()]
    texts = [text for text in texts if text]
    if not texts:
        raise InputError("models.no_tokens")
    return texts


def _read(path: str) -> str:
    """Read a file, or standard input where it is named "-"."""
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as wrong:
        raise InputError("cli.cannot_read", path=path) from wrong
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        raise InputError("cli.not_utf8", path=path) from wrong


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()
