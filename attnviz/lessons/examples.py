"""The presets: small examples whose every number can be followed by hand."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from attnviz.attention.arrays import read_only
from attnviz.attention.projections import Projections
from attnviz.lessons.lexicon import word_of, word_vectors


@dataclass(frozen=True, eq=False, kw_only=True)
class Example:
    """Tokens, their vectors, and the matrices that belong to them.

    `tokens` is by language; the numbers are the same in all. `query` is the index of the asking
    token. `settings` are the fields of Settings that the example needs, by name. `cycle` holds the
    example's own position vectors, which start again when all are used; the last `n_position`
    numbers of a vector are kept for them and are 0 in every word.
    """

    key: str
    tokens: Mapping[str, tuple[str, ...]]
    inputs: Float[np.ndarray, "token d_model"]
    projections: Projections
    query: int = 1
    settings: Mapping[str, object] = field(default_factory=dict)
    cycle: Float[np.ndarray, "cycle d_model"] | None = None
    n_position: int = 0

    def __post_init__(self) -> None:
        read_only(self.inputs)

    def tokens_in(self, language: str) -> tuple[str, ...]:
        """Give the tokens in a language, in English where it has none of its own."""
        return self.tokens.get(language, self.tokens["en"])

    def vectors_of(
        self, words: tuple[str, ...], d_model: int, seed: int
    ) -> tuple[Float[np.ndarray, "token {d_model}"], tuple[str, ...]]:
        """Give words their vectors and where those come from; its own words have those they have.

        In another width than the example's, all are of the lexicon.
        """
        if d_model != self.inputs.shape[1]:
            return word_vectors(words, d_model, seed)
        content, sources = word_vectors(words, d_model - self.n_position, seed)
        vectors, sources = np.pad(content, ((0, 0), (0, self.n_position))), list(sources)
        for place, word in enumerate(map(word_of, words)):
            if word in self._own:
                vectors[place], sources[place] = self._own[word], "typed"
        return vectors, tuple(sources)

    @cached_property
    def _own(self) -> dict[str, np.ndarray]:
        pairs = (zip(tokens, self.inputs, strict=True) for tokens in self.tokens.values())
        return {word_of(token): vector for each in pairs for token, vector in each}

    def positions(self, n_tokens: int) -> Float[np.ndarray, "{n_tokens} d_model"] | None:
        """Give the example's own position vectors for so many tokens, None if it has none."""
        if self.cycle is None:
            return None
        return np.resize(self.cycle, (n_tokens, self.cycle.shape[1]))


def _tokens(english: str, chinese: str) -> dict[str, tuple[str, ...]]:
    return {"en": tuple(english.split()), "zh-Hant": tuple(chinese.split())}


def _one_head(w_q: ArrayLike, w_k: ArrayLike, w_v: ArrayLike) -> Projections:
    return Projections(np.array([w_q]), np.array([w_k]), np.array([w_v]))


_W_Q = [[1, 0], [0, 1], [-1, 0]]
_W_K = [[1, 1], [0, 1], [1, 0]]
_W_V = [[1, 0], [-1, 1], [0, 1]]
_SAW = np.array([[1.0, 0, 2], [0, 1, 1], [1, 1, 0], [0, 1, 1]])
_SAW_TOKENS = _tokens("I saw a saw", "他 會 開 會")

_HERO = Example(
    key="hero", tokens=_SAW_TOKENS, inputs=_SAW, projections=_one_head(_W_Q, _W_K, _W_V)
)

# The scores 112 and 96, divided by 8, and the weights .88 and .12 are those of Alammar 2018, The
# Illustrated Transformer, whose vectors have d_k = 64, so that 8 is √d_k. Ours have three numbers:
# the 8 is typed. All other numbers are our own.
_THINKING_MACHINES = Example(
    key="thinking_machines",
    tokens=_tokens("Thinking Machines", "思考 機器"),
    inputs=np.array([[1.0, 2, 0, 1], [2, 0, 1, 1]]),
    projections=_one_head(
        [[0, 2, 2], [1, 2, 0], [0, 0, 2], [2, 2, 2]],
        [[2, 2, 2], [2, 3, 0], [2, 0, 2], [2, 0, 2]],
        [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, -1]],
    ),
    query=0,
    settings={"scale": 0.125},
)

# Inputs: Raschka 2024, Build a Large Language Model (From Scratch), §3.3.1. No matrices yet: each
# vector is its own query, key and value.
_RASCHKA_JOURNEY = Example(
    key="raschka_journey",
    tokens=_tokens("Your journey starts with one step", "你的 旅程 始 於 一 步"),
    inputs=np.array(
        [
            [0.43, 0.15, 0.89],
            [0.55, 0.87, 0.66],
            [0.57, 0.85, 0.64],
            [0.22, 0.58, 0.33],
            [0.77, 0.25, 0.10],
            [0.05, 0.80, 0.55],
        ]
    ),
    projections=_one_head(np.eye(3), np.eye(3), np.eye(3)),
)

# The lecture's a¹ … a⁴ have no numbers; these are ours, all different.
_LECTURE_VECTORS = Example(
    key="lecture_vectors",
    tokens=_tokens("a¹ a² a³ a⁴", "a¹ a² a³ a⁴"),
    inputs=np.array([[1.0, 1, 0], [0, 1, 1], [2, 0, 1], [1, -1, 1]]),
    projections=_one_head(_W_Q, _W_K, _W_V),
)


def _beside(content: ArrayLike, position: ArrayLike) -> np.ndarray:
    """Put a matrix for the content above one for the position: each reads its own numbers."""
    return np.vstack([content, position])


_NOTHING = np.zeros((2, 2))
# Head 1 reads the content as the hero does. Head 2 asks for the token before: its query is the own
# position turned back by a quarter, three times as long.
_TWO_HEADS = Example(
    key="two_heads",
    tokens=_SAW_TOKENS,
    inputs=np.hstack([_SAW, np.zeros((4, 2))]),
    projections=Projections(
        w_q=np.array([_beside(_W_Q, _NOTHING), _beside(np.zeros((3, 2)), [[0, -3], [3, 0]])]),
        w_k=np.array([_beside(_W_K, _NOTHING), _beside(np.zeros((3, 2)), np.eye(2))]),
        w_v=np.array([_beside(_W_V, _NOTHING)] * 2),
        w_o=np.eye(4, 5),
    ),
    settings={"positions": "example"},
    cycle=np.hstack([np.zeros((4, 3)), [[1, 0], [0, 1], [-1, 0], [0, -1]]]),
    n_position=2,
)


def _of_words(key: str, english: str, chinese: str, query: int, w: Projections) -> Example:
    tokens = _tokens(english, chinese)
    inputs, _ = word_vectors(tokens["en"], 3, 0)
    return Example(key=key, tokens=tokens, inputs=inputs, projections=w, query=query)


# Who loves whom? The same six words read the same from behind, and no order is seen.
_CHINESE = _of_words(
    "chinese", "你 愛 我 我 愛 你", "你 愛 我 我 愛 你", 1, _one_head(_W_Q, _W_K, _W_V)
)

# "it" asks for what names somebody or something: the animal most, the street next.
_PRONOUN = _of_words(
    "pronoun",
    "the animal avoided this street because it was tired",
    "那 動物 避開 這 街 因為 牠 很 累",
    6,
    _one_head([[0, -1], [0, 1], [1, 0]], [[-1, 0], [0, 1], [2, 0]], _W_V),
)

EXAMPLES: dict[str, Example] = {
    example.key: example
    for example in (
        _HERO,
        _THINKING_MACHINES,
        _RASCHKA_JOURNEY,
        _LECTURE_VECTORS,
        _TWO_HEADS,
        _CHINESE,
        _PRONOUN,
    )
}
