"""What is asked for: help, the app, a trace, or a real model; a person's mistake is a sentence."""

import io
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from attnviz.cli.options import ADDRESS, COMMANDS, LANG, PORT, help_of, overview, read
from attnviz.errors import InputError
from attnviz.text import LANGUAGES, system_language, words
from attnviz.text.refused import refused

MISTAKE = 2
"""The exit status when what was asked for cannot be done."""

_ROOT = Path(__file__).parent.parent.parent
_LARGEST_PORT = 65_535


def main(arguments: Sequence[str]) -> int:
    """Do what the arguments ask for, and give the exit status: 0, or 2 for a mistake."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show Chinese shows ?
    language = _language(arguments)
    try:
        return _obeyed(arguments, language)
    except InputError as mistake:
        sys.stderr.write(refused(mistake.code, mistake.values, language, "cli") + "\n")
        return MISTAKE
    except BrokenPipeError:  # whoever reads the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _obeyed(arguments: Sequence[str], language: str) -> int:
    command, t = next(iter(arguments), "--help"), words(language)
    if command in COMMANDS:
        given = read(command, arguments[1:], t)
        if given.get("lang", language) not in LANGUAGES:
            known = ", ".join(LANGUAGES)
            raise InputError("cli.choice", option=LANG.flag, known=known, got=given["lang"])
        if "help" not in given:
            return _COMMANDS[command](given, language)
        sys.stdout.write(help_of(command, t))
    elif command.startswith("-"):
        sys.stdout.write(overview(t))
    else:
        raise InputError("cli.command", known=", ".join(COMMANDS), got=command)
    sys.stdout.flush()
    return 0


def _language(arguments: Sequence[str]) -> str:
    """Find the language before anything else is read: what is wrong is said in it."""
    flag = LANG.flag
    for place, argument in enumerate(arguments):
        name, _, value = argument.partition("=")
        if name == flag:
            wanted = value or next(iter(arguments[place + 1 :]), "")
            if wanted in LANGUAGES:
                return wanted
    return system_language()


def _run(given: Mapping[str, str], _language: str) -> int:
    """Start the app that stands beside the package."""
    if not (_ROOT / "app.py").is_file() or not (_ROOT / "pages").is_dir():
        raise InputError("cli.no_app")
    port = given.get(PORT.name, "8501")
    if not (port.isascii() and port.isdecimal() and 0 < int(port) <= _LARGEST_PORT):
        raise InputError("cli.number", option=PORT.flag, low=1, high=_LARGEST_PORT, got=port)
    address = given.get(ADDRESS.name, "127.0.0.1")
    options = [f"--server.port={port}", f"--server.address={address}"]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", *options]
    os.chdir(_ROOT)
    if os.name == "posix":  # become the server, so that whoever stops this stops it
        os.execv(command[0], command)
    try:
        return subprocess.call(command)
    except KeyboardInterrupt:
        return 0


def _trace(given: Mapping[str, str], language: str) -> int:
    """Compute one layer; write a file, or its weights on the screen."""
    from attnviz.cli.inputs import scene_from
    from attnviz.cli.outputs import Output, ending_of, write

    path = given.get("out", "")
    if path:
        ending_of(path)
    output = Output(*scene_from(given, language))
    if path:
        size = max(1, round(write(output, path) / 1000))
        sys.stdout.write(output.look.t("cli.written", path=path, size=size) + "\n")
    else:
        sys.stdout.write(output.weights() + "\n")
    sys.stdout.flush()
    return 0


def _capture(given: Mapping[str, str], language: str) -> int:
    """Let a real model read a text; write a file, or the strongest links of one head."""
    from attnviz.cli.captures import run

    return run(given, language)


def _metrics(given: Mapping[str, str], language: str) -> int:
    """Let a real model read texts; write every number of every head, or print them."""
    from attnviz.cli.metrics import run

    return run(given, language)


def _models(given: Mapping[str, str], language: str) -> int:
    """List the models that are known, or add one."""
    from attnviz.cli.models import run

    return run(given, language)


_COMMANDS: dict[str, Callable[[Mapping[str, str], str], int]] = {
    "run": _run,
    "trace": _trace,
    "capture": _capture,
    "metrics": _metrics,
    "models": _models,
}
