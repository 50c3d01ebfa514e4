"""Why an input was refused, as a sentence: what must hold, what came, and what to do.

What to do may differ on the page and on the command line: `said.page.…` and `said.cli.…` are such
sentences, and `error.…` is what the package says, and the others where they have none of their own.
"""

from collections.abc import Mapping

from attnviz.text import DEFAULT_LANGUAGE, catalogue, words
from attnviz.text.numbers import magnitude


def refused(code: str, values: Mapping[str, object], language: str, where: str = "") -> str:
    """Give the sentence of an error in one language; `where` is "page", "cli" or "".

    Raises:
        KeyError: if the error has no words, or a placeholder no value.
    """
    written = {name: _written(value) for name, value in values.items()}
    return words(language)(key_of(code, where), **written)


def key_of(code: str, where: str = "") -> str:
    """Give the key of an error's sentence where it is read."""
    own = f"said.{where}.{code}"
    return own if own in catalogue(DEFAULT_LANGUAGE) else f"error.{code}"


def _written(value: object) -> object:
    return magnitude(value) if isinstance(value, float) else value
