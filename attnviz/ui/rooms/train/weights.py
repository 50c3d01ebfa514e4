"""A′ of the sentence that is looked at: every number of few heads, or of the one in hand."""

from dataclasses import replace

import numpy as np

from attnviz.components.head_grid import Chosen, head_grid
from attnviz.components.matrix import MatrixSpec, matrix
from attnviz.text.numbers import decimals
from attnviz.ui import matrices, session

_HEADS, _WORDS = 2, 8  # heads that stand side by side with their digits, and words of each
_THUMBNAIL = 54  # pixels of the small map of a head
_HEAD_SIZE, _PAIR_SIZE = 1.0, 0.78

Maps = np.ndarray
"""The weights of each head: (head, query, key)."""


def draw(maps: Maps, names: tuple[str, ...]) -> None:
    """Draw all heads with their digits where they fit, else the one in hand and all as pictures."""
    t = session.t()
    beside = len(maps) <= _HEADS and len(names) <= _WORDS
    shown = range(len(maps)) if beside else (in_hand(len(maps)),)
    tables = [table(maps[head], names, head) for head in shown]
    if len(tables) > 1 and session.settings().present:  # without them both stand side by side
        tables = [replace(each, row_title="", column_title="") for each in tables]
    matrix(
        tables,
        key="train_weights",
        label=t("train.weights"),
        default_readout=t("train.weights_hint"),
        size=_PAIR_SIZE if len(shown) > 1 or len(names) > _WORDS else _HEAD_SIZE,
    )
    if len(shown) < len(maps):
        _all(maps, names)


def in_hand(n_heads: int) -> int:
    """Give the head whose numbers are shown: the first, unless the link says another."""
    pairs = session.settings().heads_shown
    head = pairs[0][1] if len(pairs) == 1 else 0
    return head if head < n_heads else 0


def choose(head: int) -> None:
    """Take a head in hand."""
    session.change("train", heads_shown=((0, head),))


def table(weights: np.ndarray, names: tuple[str, ...], head: int) -> MatrixSpec:
    """Describe the weights of one head under its name, with every digit."""
    t, notation = session.t(), session.notation()
    digits = session.settings().digits
    spec = matrices.token_by_token(
        weights, "weights", names, t, digits, show_digits=True, notation=notation
    )
    return replace(spec, title=t("head.number", number=head + 1))


def _all(maps: Maps, names: tuple[str, ...]) -> None:
    """Draw a small map of every head; a click takes it in hand."""
    t = session.t()
    head_grid(
        [np.rint(np.clip(maps, 0, 1) * 255).astype(np.uint8).tobytes()],
        [(len(names), len(names))],
        [""],
        [len(maps)],
        key="train_heads",
        label=t("train.heads"),
        title=t("train.heads"),
        hint=t("train.heads_hint"),
        notes=[_note(each, names, head) for head, each in enumerate(maps)],
        chosen=[(0, in_hand(len(maps)))],
        theme=session.theme(),
        on_head=_chosen,
        turned=session.notation().columns,
        largest=_THUMBNAIL,
        first=1,
    )


def _note(weights: np.ndarray, names: tuple[str, ...], head: int) -> str:
    query, key = np.unravel_index(int(np.nan_to_num(weights).argmax()), weights.shape)
    return session.t()(
        "train.heads_note",
        head=head + 1,
        query=names[query],
        i=int(query) + 1,
        key=names[key],
        j=int(key) + 1,
        value=decimals(weights[query, key], 2),
    )


def _chosen(chosen: Chosen) -> None:
    choose(chosen.head)
    session.set_flag("train.whole", True)  # the pictures stand in a part that runs by itself
