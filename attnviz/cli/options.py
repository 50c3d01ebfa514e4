"""The options of each command, and their help."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

from attnviz.attention import MASKS, NORMALIZERS, POSITIONS, SCORES
from attnviz.errors import InputError
from attnviz.figures.steps import STEPS
from attnviz.models.catalogue import catalogue
from attnviz.settings import NOTATIONS
from attnviz.text import LANGUAGES, Words

ENDINGS = ("json", "npz", "csv", "html", "svg", "png", "zip")
"""What `--out` can write, by the ending of the file's name."""


@dataclass(frozen=True)
class Option:
    """One option: its name, its field of the settings, and the key of that field in a link.

    `known` are the words that it takes, () where it takes others; `first` is what the lowest value
    of the field is called, 1 where people count from 1. `said` is the key of its help, where the
    name alone does not tell. `form` is "value", "place" for a word that stands alone, or "switch"
    for one that takes no value. `before` is another name that it had, which is still read.
    """

    name: str
    field: str = ""
    key: str = ""
    known: tuple[str, ...] = ()
    first: int = 0
    said: str = ""
    form: str = "value"
    before: str = ""

    @property
    def flag(self) -> str:
        """The option as it is typed."""
        return self.name.upper() if self.form == "place" else f"--{self.name}"


TABLES = (
    Option("vectors", "vectors"),
    Option("wq", "w_q"),
    Option("wk", "w_k"),
    Option("wv", "w_v"),
    Option("wo", "w_o"),
)
"""The options that take a table of numbers."""

CHOICES = (
    Option("text", "sentence", "text"),
    Option("heads", "n_heads", "heads"),
    Option("dk", "d_k", "dk"),
    Option("dv", "d_v", "dv"),
    Option("seed", "seed", "seed"),
    Option("score", "score", "score", tuple(SCORES)),
    Option("scale", "scale", "scale"),
    Option("normalizer", "normalizer", "norm", tuple(NORMALIZERS)),
    Option("temperature", "temperature", "temp"),
    Option("mask", "mask", "mask", tuple(MASKS)),
    Option("positions", "positions", "pos", (*POSITIONS, "example")),
    Option("query", "query", "q", first=1),
    Option("head", "head", "head", first=1),
    Option("step", "step", "step", tuple(STEPS)),
    Option("digits", "digits", "digits"),
    Option("notation", "notation", "notation", NOTATIONS),
)
"""The options that take what a link can say."""

LANG = Option("lang", known=tuple(LANGUAGES))
OUT = Option("out", known=ENDINGS)
PORT, ADDRESS = Option("port"), Option("address")
LINK, OPEN = Option("link"), Option("open")

PICTURED = ("html", "svg", "png", "npz", "csv")
"""What `capture --out` can write."""

LAYER, HEAD = Option("layer"), Option("head", said="model_head")
UNIT = Option("unit", known=("pieces", "words", "characters"))
WINDOW = Option("window")
WEIGHTS = Option("weights", said="given_weights", before="attentions")
NAN_ROWS = Option("nan-rows", known=("refuse", "empty"), said="nan_rows")
_GIVEN = (WEIGHTS, Option("tokens"), Option("key-tokens", said="key_tokens"), NAN_ROWS)
OUT_CAPTURE = Option("out", known=PICTURED)
CAPTURES = (
    Option("text", said="passage"),
    Option("pair"),
    Option("target"),
    Option("picture"),
    Option("model", known=tuple(catalogue())),
    LAYER,
    HEAD,
    UNIT,
    WINDOW,
    *_GIVEN,
)
"""The options of a capture."""

TABLED = ("csv", "parquet", "json")
"""What `metrics --out` can write."""

OUT_METRICS = Option("out", known=TABLED)
METRICS = (
    Option("text", said="passage"),
    Option("file", said="texts_file"),
    Option("each", form="switch"),
    Option("model", known=tuple(catalogue())),
    WINDOW,
    *_GIVEN,
)
"""What `metrics` takes."""

ACTION = Option("action", known=("list", "add"), form="place")
MODELS = (
    ACTION,
    Option("key", known=tuple(catalogue()), said="model_key", form="place"),
    Option("yes", form="switch"),
)
"""What `models` takes."""

COMMANDS: dict[str, tuple[Option, ...]] = {
    "run": (PORT, ADDRESS, LANG),
    "trace": (CHOICES[0], *TABLES, *CHOICES[1:], LINK, OPEN, LANG, OUT),
    "capture": (*CAPTURES, LANG, OUT_CAPTURE),
    "metrics": (*METRICS, LANG, OUT_METRICS),
    "models": (*MODELS, LANG),
}

_EXAMPLES = (
    'trace --text "I saw a saw"',
    "trace --vectors x.csv --wq wq.csv --wk wk.csv --wv wv.csv --out trace.json",
    'trace --vectors "1 0 2; 0 1 1; 1 1 0" --scale sqrt_d_k --mask causal --out page.html',
    'capture --text "The king met the queen and she smiled." --layer 1 --head 3',
    "capture --model smollm2 --layer 18 --head 6 --out page.html",
    "metrics --file sentences.txt --out heads.csv",
    "capture --model vit --picture photo.jpg --layer 11 --head 2 --out map.png",
    "models list",
    "run --port 8600",
)


def read(command: str, arguments: Sequence[str], t: Words) -> dict[str, str]:
    """Give what was typed, by the names of the options; "help" is there if it was asked for.

    Raises:
        InputError: for an option that the command does not have, or one without its value.
    """
    try:
        found, others = _parser(command, t).parse_known_args(arguments)
    except argparse.ArgumentError as wrong:
        raise InputError("cli.no_value", option=wrong.argument_name) from wrong
    if others:
        raise InputError("cli.unknown", got=others[0], command=command)
    return {name: value for name, value in vars(found).items() if value is not None}


def overview(t: Words) -> str:
    """Say which commands there are."""
    lines = [f"  {command:<9}{t(f'cli.{command}')}" for command in COMMANDS]
    shown = [f"  python -m attnviz {example}" for example in _EXAMPLES]
    usage = f"{t('cli.usage')} python -m attnviz {{{','.join(COMMANDS)}}} [--help] [--lang LANG]"
    parts = [t("cli.about"), "", usage, "", t("cli.commands") + ":", *lines]
    return "\n".join([*parts, "", t("cli.examples") + ":", *shown, "", t("cli.more")]) + "\n"


def help_of(command: str, t: Words) -> str:
    """Say which options a command has."""
    return _parser(command, t).format_help()


def _parser(command: str, t: Words) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        usage=argparse.SUPPRESS,
        description=f"{t('cli.usage')} python -m attnviz {command} [--OPTION VALUE ...]\n\n"
        f"{t(f'cli.{command}')}",
        formatter_class=_Help,
        argument_default=None,
        add_help=False,
        allow_abbrev=False,
        exit_on_error=False,
    )
    group = parser.add_argument_group(t("cli.options"))
    for option in COMMANDS[command]:
        said = t(f"cli.{option.said or option.name}", known=", ".join(option.known))
        if option.form == "switch":
            group.add_argument(option.flag, action="store_const", const="yes", help=said)
        elif option.form == "place":
            group.add_argument(option.name, metavar=option.flag, nargs="?", help=said)
        else:
            group.add_argument(option.flag, metavar=option.name.upper(), help=said)
            if option.before:
                before = f"--{option.before}"
                group.add_argument(before, dest=option.name, help=argparse.SUPPRESS)
    group.add_argument("-h", "--help", action="store_const", const="help", help=t("cli.help"))
    return parser


class _Help(argparse.RawDescriptionHelpFormatter):
    """Leave room for the longest option."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=96)
