"""Which rule makes a mask: found in the mask itself, so that the line that makes it is true."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Bool

from attnviz.attention.masks import MASKS

Mask = Bool[np.ndarray, "token token"]
Rule = tuple[str, tuple]


def rule_of(mask: Mask) -> Rule:
    """Name the first mask of MASKS, with its arguments, that is this one; "custom" if none is."""
    for name, arguments_of in _GUESSES.items():
        arguments = arguments_of(mask)
        if arguments is not None and np.array_equal(made(name, arguments, len(mask)), mask):
            return name, arguments
    return "custom", ()


def made(name: str, arguments: tuple, n_tokens: int) -> Mask:
    """Make a mask by its rule."""
    if name == "padding":
        return MASKS[name](n_tokens, np.arange(n_tokens) < arguments[0])
    if name == "global_tokens":
        tokens, radius = arguments
        return MASKS[name](MASKS["window"](n_tokens, n_tokens, radius), list(tokens))
    return MASKS[name](n_tokens, n_tokens, *arguments)


def mask_lines(mask: Mask) -> list[str] | None:
    """Write the numpy lines that make a mask of `place` and `distance`, None if it has no rule."""
    name, arguments = rule_of(mask)
    return None if name == "custom" else _LINES[name](*arguments)


def _steps(mask: Mask) -> np.ndarray:
    """List how far a query sees, backwards as negative numbers, in any row."""
    return np.unique(np.subtract.outer(np.arange(len(mask)), np.arange(len(mask))).T[mask])


def _window(mask: Mask) -> tuple | None:
    seen = _steps(mask)
    return (int(np.abs(seen).max()),) if seen.size else None


def _dilated(mask: Mask) -> tuple | None:
    ahead = _steps(mask)
    ahead = ahead[ahead > 0]
    if not ahead.size:
        return None
    return int(ahead.max() // ahead.min()), int(ahead.min())


def _block(mask: Mask) -> tuple | None:
    size = int(mask[0].sum())
    return (size,) if size else None


def _global_tokens(mask: Mask) -> tuple | None:
    tokens = np.flatnonzero(mask.all(axis=0) & mask.all(axis=1))
    rest = mask.copy()
    rest[tokens], rest[:, tokens] = False, False
    seen = _steps(rest)
    return tuple(tokens.tolist()), int(np.abs(seen).max()) if seen.size else 0


_GUESSES: dict[str, Callable[[Mask], tuple | None]] = {
    "everyone": lambda mask: (),
    "causal": lambda mask: (),
    "window": _window,
    "causal_window": _window,
    "padding": lambda mask: (int(mask[0].sum()),),
    "block": _block,
    "dilated": _dilated,
    "global_tokens": _global_tokens,
}

_LINES: dict[str, Callable[..., list[str]]] = {
    "everyone": lambda: ["mask = np.ones(distance.shape, dtype=bool)"],
    "causal": lambda: ["mask = distance <= 0"],
    "window": lambda radius: [f"mask = np.abs(distance) <= {radius}"],
    "causal_window": lambda radius: [f"mask = (distance <= 0) & (distance >= {-radius})"],
    "padding": lambda kept: [f"mask = np.tile(place < {kept}, (len(place), 1))"],
    "block": lambda size: [f"mask = place[:, None] // {size} == place // {size}"],
    "dilated": lambda steps, gap: [
        f"mask = (np.abs(distance) <= {steps * gap}) & (distance % {gap} == 0)"
    ],
    "global_tokens": lambda tokens, radius: [
        f"mask = np.abs(distance) <= {radius}",
        f"mask[{list(tokens)}], mask[:, {list(tokens)}] = True, True",
    ],
}
