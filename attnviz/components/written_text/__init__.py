"""A text that a model goes on with: as dark as one row of weights, each written token to choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from attnviz.components import Number, framed, index, listener, part
from attnviz.components.palette import Theme, palette

_mount = part("written_text", "tokens")


@dataclass(frozen=True, kw_only=True)
class WrittenWords:
    """What the text says of a token: {token} {place} {value}."""

    hint: str
    cell: str  # one that is looked at
    later: str  # one that came after the step
    step: str  # one that was written, read aloud before it is chosen
    next: str  # the sign for what would come next


def written_text(
    tokens: Sequence[tuple[str, bool]],
    weights: Sequence[Number],
    values: Sequence[str],
    *,
    key: str,
    label: str,
    words: WrittenWords,
    n_read: int,
    n_steps: int,
    chosen: int,
    theme: Theme,
    on_step: Callable[[int], None],
    limit: Number = 1,
    size: Number = 1.0,
) -> None:
    """Draw the text; a click, or the arrow keys, choose a step.

    `tokens` have their text and whether a blank stands before it; from `n_read` on they were
    written, one at each step. Where there are more steps than such tokens, the last one is what
    would come next. `weights` are the row of the `chosen` step: a number for each token that stood
    before it, and `values` those numbers as text. The scale ends at `limit`.
    """

    def taken(value: object) -> None:
        step = index(value, n_steps)
        if step is not None:
            on_step(step)

    data = {
        "tokens": [list(token) for token in tokens],
        "weights": [round(float(weight), 5) for weight in weights],
        "values": list(values),
        "label": label,
        "words": asdict(words),
        "read": n_read,
        "steps": n_steps,
        "chosen": chosen,
        "limit": limit,
        "size": size,
        **palette(theme),
    }
    _mount(key=key, data=framed(data), on_step_change=listener(key, "step", taken))
