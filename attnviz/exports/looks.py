"""How a file is to be read: in which language, with how many decimals, which way matrices lie."""

from dataclasses import dataclass
from typing import Any

from attnviz.figures.notation import NOTATIONS, ROW, Notation
from attnviz.settings import Settings
from attnviz.text import DEFAULT_LANGUAGE, Words, words


@dataclass(frozen=True)
class Look:
    """The reader's language, the decimals shown, and whether a token is a row or a column."""

    language: str = DEFAULT_LANGUAGE
    digits: int = 2
    notation: Notation = ROW

    @classmethod
    def of(cls, settings: Settings, language: str) -> "Look":
        """Give the look that a person has chosen on the page."""
        return cls(language, settings.digits, NOTATIONS[settings.notation])

    @property
    def t(self) -> Words:
        """The words of the language, which call rows and columns as the notation does."""
        return self.notation.words(words(self.language))

    @property
    def shown(self) -> dict[str, Any]:
        """What every figure is told: its decimals, and which way its matrices lie."""
        return {"digits": self.digits, "notation": self.notation}
