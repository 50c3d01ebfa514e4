"""How much of a head's attention lies on a pattern: one number a head, 0 to 1.

Each function takes the weights (…, query, key) of one head or of many over one sequence. Rows of
zeros, of a query that may see nothing, are left out; where there is no row to average over, one
head gives None, and many give NaN. More shares are in `shares.py`.
"""

from collections.abc import Hashable, Sequence

import numpy as np
from jaxtyping import Bool, Shaped

from attnviz.attention.shares import PerHead, Weights, diagonal, share

Tokens = Sequence[Hashable] | Shaped[np.ndarray, " token"]
Pairs = Bool[np.ndarray, "token token"]


def previous_share(weights: Weights) -> PerHead:
    """Average the weight on the token just before, over every query but the first.

    Raises:
        ValueError: if the queries are not the keys.

    Source: Clark et al. 2019, §3.1.
    """
    return share(weights, diagonal(weights, -1))


def duplicate_score(weights: Weights, tokens: Tokens) -> PerHead:
    """Average the weight on earlier copies of the token that asks, where there are any.

    Raises:
        ValueError: if there is not one token for each query and key.

    Source: Olsson et al. 2022, "Head activation evaluators".
    """
    return share(weights, earlier_copies(tokens))


def induction_score(weights: Weights, tokens: Tokens) -> PerHead:
    """Average the weight on the tokens that came after earlier copies of the token that asks.

    Also called prefix matching. A copy just before the query is followed by the query itself,
    which does not count.

    Raises:
        ValueError: if there is not one token for each query and key.

    Source: Olsson et al. 2022, "Head activation evaluators".
    """
    return share(weights, after_copies(tokens))


def earlier_copies(tokens: Tokens) -> Pairs:
    """Tell for each query which earlier tokens are the same as its own."""
    numbers: dict[Hashable, int] = {}
    places = np.array([numbers.setdefault(token, len(numbers)) for token in _list(tokens)], int)
    return np.tril(places[:, None] == places[None, :], k=-1)


def after_copies(tokens: Tokens) -> Pairs:
    """Tell for each query which earlier tokens follow a copy of its own."""
    pairs = np.zeros((len(tokens), len(tokens)), dtype=bool)
    pairs[:, 1:] = earlier_copies(tokens)[:, :-1]
    return np.tril(pairs, k=-1)


def _list(tokens: Tokens) -> Sequence[Hashable]:
    return tokens.tolist() if isinstance(tokens, np.ndarray) else tokens
