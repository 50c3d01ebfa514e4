"""Every word a person reads, in each language, looked up by key.

`words("zh-Hant")("nav.see")` gives a sentence; placeholders are filled by keyword. A new language
is one TOML file with the same keys as `en.toml`. Formulas have no language: they are in
`formulas.toml`.
"""

import locale
import os
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

LANGUAGES = {"en": "English", "zh-Hant": "繁體中文"}
DEFAULT_LANGUAGE = "en"

Words = Callable[..., str]

_FOLDER = Path(__file__).parent


@cache
def catalogue(name: str) -> dict[str, str]:
    """Give the texts of one TOML file by dotted key, such as `see.title`."""
    with (_FOLDER / f"{name}.toml").open("rb") as file:
        return dict(_flat(tomllib.load(file)))


def _flat(table: dict, prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


@cache
def words(language: str) -> Words:
    """Give the function that looks a key up in one language and fills its placeholders.

    Raises:
        KeyError: if the key has no words, or a placeholder has no value.
    """
    texts = catalogue(language)

    def look_up(key: str, /, **values: object) -> str:
        text = texts[key]
        return text.format(**values) if values else text

    return look_up


def language_of(wanted: str | None) -> str:
    """Choose the language for a browser's locale: any Chinese reader gets Traditional Chinese."""
    return "zh-Hant" if (wanted or "").lower().startswith("zh") else DEFAULT_LANGUAGE


def system_language() -> str:
    """Choose the language for whoever runs Python here."""
    named = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    system = next(filter(None, named), None) or locale.getlocale()[0] or ""
    return language_of(system.replace("Chinese", "zh"))
