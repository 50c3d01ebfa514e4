"""Questions that a person answers by finding a head; the answer is computed, never stored."""

import functools
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Float

from attnviz.attention.patterns import induction_score, previous_share
from attnviz.attention.shares import PerHead, next_share, share, sink_share, token_share
from attnviz.models.catalogue import allowed, catalogue
from attnviz.models.results import Capture, Token

RIGHT, PARTLY = 0.8, 0.4
"""A head is right with so much of the best head's number, and partly right with so much of it."""
LEAST = 0.1
"""Where the best head has less than this, no head of the model does what is asked."""
MOST_TOKENS = 512
"""Every head's whole table is looked at: of longer texts nothing is said."""

Weights = Float[np.ndarray, "query key"]
Pairs = Bool[np.ndarray, "query key"]


@dataclass(frozen=True)
class Reader:
    """A model, and the text in which it shows what a card asks for."""

    model: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Card:
    """A question: the rule that measures a head, the words it is about, and who may read it."""

    key: str
    rule: str
    readers: tuple[Reader, ...]
    asks: str = ""
    wanted: str = ""

    @property
    def reader(self) -> Reader | None:
        """Give the first model that is here, with its text; None where none is."""
        known = catalogue()
        here = (
            each
            for each in self.readers
            if each.model in known and known[each.model].installed and allowed(each.model)
        )
        return next(here, None)


@dataclass(frozen=True)
class Measured:
    """One head, and how much of what is asked it does, from 0 to 1."""

    layer: int
    head: int
    value: float

    @property
    def pair(self) -> tuple[int, int]:
        """Give layer and head."""
        return self.layer, self.head


@dataclass(frozen=True)
class Answer:
    """All heads by what a card asks, the best first."""

    heads: tuple[Measured, ...]

    @property
    def best(self) -> Measured:
        """Give the head that does most of what is asked."""
        return self.heads[0]

    @property
    def found(self) -> bool:
        """True where a head does what is asked at all."""
        return self.best.value >= LEAST

    @property
    def right(self) -> tuple[Measured, ...]:
        """List the heads that are right."""
        return tuple(each for each in self.heads if self.verdict(each.pair) == "right")

    def of(self, pair: tuple[int, int]) -> Measured | None:
        """Give what was measured of one head, None for one that was not."""
        return next((each for each in self.heads if each.pair == pair), None)

    def rank(self, pair: tuple[int, int]) -> int:
        """Count from 1: how many heads do more, and this one."""
        own = self.of(pair)
        return 1 + sum(own is not None and each.value > own.value for each in self.heads)

    def verdict(self, pair: tuple[int, int]) -> str:
        """Judge a head: "right", "partly" or "not"."""
        own = self.of(pair)
        if own is None or not self.found or own.value < PARTLY * self.best.value:
            return "not"
        return "right" if own.value >= RIGHT * self.best.value else "partly"


@functools.cache
def cards() -> dict[str, Card]:
    """Give the cards by their keys, in the order in which they are offered."""
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    made = {}
    for fields in table["cards"]:
        readers = tuple(Reader(**each) for each in fields.pop("readers"))
        made[fields["key"]] = Card(readers=readers, **fields)
    return made


def offered() -> tuple[Card, ...]:
    """List the cards that a model here can be asked."""
    return tuple(card for card in cards().values() if card.reader is not None)


def answer(card: Card, capture: Capture) -> Answer | None:
    """Measure every head that reads one text with itself by the rule of a card.

    None where the rule says nothing of this text: a word is missing, or nothing repeats.
    """
    measured = []
    for at, layer in enumerate(capture.layers):
        tokens = capture.query_tokens(at)
        if tokens is not capture.key_tokens(at) or len(tokens) > MOST_TOKENS:
            continue
        rule = _RULES[card.rule](card, tokens, layer.visible.causal)
        if rule is None:
            continue
        for head in range(layer.n_heads):
            value = rule(capture.weights(at, head))
            if value is not None:
                measured.append(Measured(at, head, float(value)))
    if not measured:
        return None
    return Answer(tuple(sorted(measured, key=lambda each: -each.value)))


Rule = Callable[[Weights], PerHead]


def _pair(card: Card, tokens: tuple[Token, ...], causal: bool) -> Rule | None:
    """Measure the weight from the last token of one word to those of the other."""
    asks, wanted = _places(tokens, card.asks), _places(tokens, card.wanted)
    return (lambda weights: float(weights[asks[-1], wanted].sum())) if asks and wanted else None


def _sign(card: Card, tokens: tuple[Token, ...], causal: bool) -> Rule | None:
    """Measure the weight on a sign, on average over all tokens but itself."""
    wanted = np.zeros(len(tokens), dtype=bool)
    wanted[_places(tokens, card.wanted)] = True
    return (lambda weights: token_share(weights[~wanted], wanted)) if wanted.any() else None


def _copies(card: Card, tokens: tuple[Token, ...], causal: bool) -> Rule | None:
    """Measure the weight on other copies of the token that asks, where it may see any."""
    names = np.array([token.text.casefold() for token in tokens])
    same: Pairs = (names[:, None] == names) & ~np.eye(len(names), dtype=bool)
    pairs = np.tril(same) if causal else same
    return (lambda weights: share(weights, pairs)) if pairs.any() else None


def _plain(measure: Callable[..., PerHead]) -> Callable[..., Rule | None]:
    return lambda card, tokens, causal: measure if len(tokens) > 1 else None


def _first(card: Card, tokens: tuple[Token, ...], causal: bool) -> Rule | None:
    """Measure the weight on the first token; a causal head's first query sees nothing else."""
    return (lambda weights: sink_share(weights, skip_first=causal)) if len(tokens) > 1 else None


def _induction(card: Card, tokens: tuple[Token, ...], causal: bool) -> Rule | None:
    ids = [token.id for token in tokens]
    return lambda weights: induction_score(weights, ids)


def _places(tokens: tuple[Token, ...], word: str) -> list[int]:
    return [place for place, token in enumerate(tokens) if token.text.casefold() == word]


_RULES: dict[str, Callable[[Card, tuple[Token, ...], bool], Rule | None]] = {
    "pair": _pair,
    "previous": _plain(previous_share),
    "next": _plain(next_share),
    "first": _first,
    "sign": _sign,
    "copies": _copies,
    "induction": _induction,
}
