"""From options to settings: links, files and numbers typed on the command line."""

import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qsl

from attnviz.cli.options import CHOICES, TABLES, Option
from attnviz.errors import InputError
from attnviz.exports.bundles import read_record
from attnviz.exports.documents import LARGEST as RECORD_LIMIT
from attnviz.lessons.examples import EXAMPLES
from attnviz.lessons.files import Limits, Matrix, field_of, read_table
from attnviz.lessons.typed import parse_table
from attnviz.scene import Scene, scene_of
from attnviz.settings import MAX_TOKENS, RANGES, Settings, from_query
from attnviz.text import LANGUAGES

_LETTERS = re.compile(r"[^\W\d_eE]")  # a table of numbers has none, the name of a file has some
_STANDARD_INPUT = "-"


def scene_from(given: Mapping[str, str], language: str) -> tuple[Scene, Settings, str]:
    """Make the scene that the options ask for, in the language of a link unless one is given.

    Raises:
        InputError: if an option cannot be read, or they do not fit together.
    """
    settings = settings_of(given)
    if "lang" not in given and settings.language in LANGUAGES:
        language = settings.language
    scene = scene_of(settings, language)
    for option in CHOICES:
        there = {"query": len(scene.tokens), "head": scene.trace.n_heads}.get(option.name)
        if there is not None and getattr(settings, option.field) >= there and option.name in given:
            got = given[option.name]
            raise InputError("cli.number", option=option.flag, low=1, high=there, got=got)
    return scene, settings, language


def settings_of(given: Mapping[str, str]) -> Settings:
    """Put together what the options say; what they do not say is the link's or the file's.

    Raises:
        InputError: naming the option that cannot be read, and what it takes.
    """
    settings = _kept(Path(given["open"])) if "open" in given else Settings()
    if "link" in given:
        settings = _from_link(given["link"])
    said = {option: given[option.name] for option in CHOICES if option.name in given}
    for option, text in said.items():
        settings = _with(settings, option, text)
    tables = {option: given[option.name] for option in TABLES if option.name in given}
    for option, text in tables.items():
        settings = _with_table(settings, option, _matrix(option, text))
    if any(option.field != "vectors" for option in tables):
        settings = _fitted(replace(settings, w_source="typed"))
    return settings


def refuse_option(option: Option, got: str) -> InputError:
    """Say what an option takes, for one that got something else."""
    if option.known:
        return InputError("cli.choice", option=option.flag, known=", ".join(option.known), got=got)
    if option.field in RANGES and option.field != "scale":
        low, high = (limit + option.first for limit in RANGES[option.field])
        high = min(high, MAX_TOKENS) if option.field in ("query", "key") else high
        return InputError("cli.number", option=option.flag, low=low, high=high, got=got)
    return InputError("cli.value", option=option.flag, got=got)


def _from_link(text: str) -> Settings:
    settings, unreadable = from_query(dict(parse_qsl(text.rpartition("?")[2])))
    if unreadable:
        raise InputError("cli.link", keys=", ".join(unreadable))
    return settings


def _kept(path: Path) -> Settings:
    return read_record(_contents(path, RECORD_LIMIT)).settings or Settings()


def _with(settings: Settings, option: Option, text: str) -> Settings:
    """Read one option as a link would be read."""
    if option.known and text not in option.known:
        raise refuse_option(option, text)
    written = text
    if option.first:
        whole = re.fullmatch(r"[0-9]{1,4}", text)
        written = str(int(text) - option.first) if whole else ""
    read, unreadable = from_query({option.key: written})
    if unreadable:
        raise refuse_option(option, text)
    return replace(settings, **{option.field: getattr(read, option.field)})


def _matrix(option: Option, text: str) -> Matrix:
    """Read a file, standard input, or the numbers themselves."""
    if text == _STANDARD_INPUT:
        return _chosen(option, sys.stdin.buffer.read(Limits().n_bytes + 1), option.name)
    path = Path(text)
    if _is_there(path):
        return _chosen(option, _contents(path), path.name)
    try:
        return Matrix(option.name, parse_table(text))
    except InputError as unreadable:
        if _LETTERS.search(text):
            raise InputError("cli.no_file", option=option.flag, got=text) from unreadable
        raise


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # longer than any name may be, or with a sign that none may have
        return False


def _contents(path: Path, most: int = Limits().n_bytes) -> bytes:
    """Read a file, one byte beyond the limit at most."""
    try:
        with path.open("rb") as file:
            return file.read(most + 1)
    except OSError as wrong:
        raise InputError("cli.cannot_read", path=path) from wrong


def _chosen(option: Option, data: bytes, name: str) -> Matrix:
    """Take the matrix of a file that the option is for: by its name, or because it is alone."""
    found = read_table(data, name).matrices
    named = [matrix for matrix in found if field_of(matrix.name) == option.field]
    if len(found) > 1 and not named:
        names = ", ".join(matrix.name for matrix in found)
        raise InputError("cli.which", option=option.flag, names=names)
    return [*named, *found][0]


def _with_table(settings: Settings, option: Option, matrix: Matrix) -> Settings:
    """Take a table; the names beside token vectors are the tokens, unless a sentence is given."""
    named = option.field == "vectors" and matrix.row_labels and not settings.sentence
    pieces = matrix.row_labels if named else settings.pieces
    return replace(settings, pieces=pieces, **{option.field: matrix.values})


def _fitted(settings: Settings) -> Settings:
    """Let sizes that nobody chose be those of the typed matrices."""
    example = EXAMPLES.get(settings.example)
    n_heads = settings.n_heads or (example.projections.n_heads if example else 1)
    n_shared = settings.n_kv_heads or n_heads
    sizes = {
        "d_model": 0 if settings.vectors else len(settings.w_q or settings.w_k or settings.w_v),
        "d_k": _width(settings.w_q, n_heads) or _width(settings.w_k, n_shared),
        "d_v": _width(settings.w_v, n_shared),
    }
    return replace(settings, **{name: getattr(settings, name) or sizes[name] for name in sizes})


def _width(table: tuple[tuple[float | int, ...], ...], n_blocks: int) -> int:
    return len(table[0]) // n_blocks if table and len(table[0]) % n_blocks == 0 else 0
