"""The attentions that another program returned, read as a Capture.

What is understood: the tuple of one (batch, head, query, key) for each layer that transformers
returns, its output object, or lists and arrays like it, also without the batch; None where a
layer has none; the steps of `generate`, a tuple of such tuples; a dictionary or an NPZ file with
an array for each layer, such as the cache of TransformerLens ("blocks.0.attn.hook_pattern").
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float, Shaped

from attnviz.attention.arrays import read_only
from attnviz.errors import InputError
from attnviz.models.layers import Layer
from attnviz.models.results import Capture, Token
from attnviz.models.visible import Visible

ROUNDING = 1e-3
"""How far above 1, or below 0, a weight of half precision may be."""

_NAMED = ("encoder_attentions", "decoder_attentions", "cross_attentions")
_PATTERN = re.compile(r"(?:pattern|attn|attention|weights|layer|arr)", re.IGNORECASE)


def capture_of(
    attentions: Any,
    tokens: Sequence[str | Token],
    key_tokens: Sequence[str | Token] | None = None,
    *,
    batch: int | None = None,
    nan_rows: str = "refuse",
) -> Capture:
    """Read attentions of `tokens` to `key_tokens`, which are the same where none are given.

    `batch` says which of several texts is meant. `nan_rows="empty"` takes a row of NaN, which a
    softmax over nothing gives, as one that sees nothing.

    Raises:
        InputError: if they are no weights of these tokens.
    """
    if nan_rows not in ("refuse", "empty"):
        raise ValueError(f'nan_rows must be "refuse" or "empty", got {nan_rows!r}')
    queries = _tokens(tokens)
    keys = queries if key_tokens is None else _tokens(key_tokens)
    kind = "self" if key_tokens is None else "cross"
    layers = [
        _layer(name, found, kind, number, nan_rows)
        for number, name, found in _layers(attentions, batch)
    ]
    for layer in layers:
        if (layer.n_query, layer.n_key) != (len(queries), len(keys)):
            raise InputError(
                "models.not_these_tokens",
                layer=layer.name,
                got=f"{layer.n_query} × {layer.n_key}",
                expected=f"{len(queries)} × {len(keys)}",
            )
    if kind == "self":
        return Capture(tokens=queries, layers=tuple(layers))
    return Capture(tokens=keys, target_tokens=queries, layers=tuple(layers))


def _layers(attentions: Any, batch: int | None) -> list[tuple[int, str, np.ndarray]]:
    """List number, name and weights (head, query, key) of the layers that have any."""
    found = _named(attentions)
    if isinstance(found, Mapping) or (hasattr(found, "keys") and hasattr(found, "__getitem__")):
        pairs = _by_number(found)
    elif _is_array(found):
        pairs = _numbered(_along_layers(_array(found)))
    elif isinstance(found, Sequence) and found and all(map(_is_step, found)):
        pairs = _numbered(_put_together(found, batch))
    elif isinstance(found, Iterable) and not isinstance(found, str | bytes):
        pairs = _numbered(found)
    else:
        raise InputError("models.not_attentions", got=type(attentions).__name__)
    kept = [
        (number, name, _one_text(name, array, batch))
        for number, (name, array) in enumerate(pairs)
        if array is not None
    ]
    if not kept:
        raise InputError("models.no_attentions", n=len(pairs))
    return kept


def _named(attentions: Any) -> Any:
    """Take the attentions out of what a model returned; open an NPZ file."""
    if isinstance(attentions, Path) or (isinstance(attentions, str) and attentions.endswith("npz")):
        try:
            with np.load(attentions, allow_pickle=False) as opened:
                return {name: opened[name] for name in opened.files}
        except (OSError, ValueError) as reason:
            raise InputError("models.no_npz", name=Path(attentions).name) from reason
    several = [name for name in _NAMED if getattr(attentions, name, None)]
    if several:
        raise InputError("models.which_attentions", names=", ".join(several))
    return getattr(attentions, "attentions", attentions)


def _by_number(found: Any) -> list[tuple[str, Any]]:
    """Order the arrays of a dictionary by the numbers in their names."""
    names = [str(name) for name in found.keys()]  # noqa: SIM118  a cache need not be iterable
    patterns = [name for name in names if name.endswith("hook_pattern")]
    chosen = patterns or [
        name
        for name in names
        if name.isdigit() or _PATTERN.search(name) or len(np.shape(found[name])) >= 3
    ]
    if not chosen:
        raise InputError("models.no_names", names=", ".join(names[:6]))
    ordered = sorted(chosen, key=lambda name: [int(each) for each in re.findall(r"\d+", name)])
    if len(ordered) == 1 and not patterns and np.ndim(found[ordered[0]]) == 5:
        return _numbered(_along_layers(_array(found[ordered[0]])))
    keys = {str(name): name for name in found.keys()}  # noqa: SIM118
    return [(name, found[keys[name]]) for name in ordered]


def _numbered(found: Iterable[Any]) -> list[tuple[str, Any]]:
    return [(f"layer {number}", array) for number, array in enumerate(found)]


def _along_layers(array: np.ndarray) -> Iterable[np.ndarray]:
    """Cut one array into its layers: (layer, head, query, key), with or without a batch."""
    if array.ndim < 4:
        return [array]
    return list(array)


def _is_array(found: Any) -> bool:
    return hasattr(found, "shape") and hasattr(found, "dtype")


def _is_step(found: Any) -> bool:
    """Tell a step of `generate`, a tuple of layers, from a layer written as nested lists."""
    if not isinstance(found, list | tuple) or not found:
        return False
    return any(_is_array(each) and each.ndim >= 3 for each in found)


def _array(found: Any) -> np.ndarray:
    """Give any library's array as numbers of numpy."""
    for step in ("detach", "cpu"):
        found = getattr(found, step)() if hasattr(found, step) else found
    if str(getattr(found, "dtype", "")).endswith("bfloat16"):
        found = found.float()
    try:
        array = np.asarray(found)
    except (TypeError, ValueError) as reason:
        raise InputError("models.not_numbers") from reason
    if array.dtype.kind not in "biuf":
        raise InputError("models.not_numbers")
    narrow = array.dtype.kind != "f" or array.dtype.itemsize < 4
    return array.astype(np.float32) if narrow else array


def _one_text(name: str, found: Any, batch: int | None) -> Float[np.ndarray, "head query key"]:
    array = _array(found)
    if array.ndim == 2:
        array = array[None]
    if array.ndim == 4:
        if batch is None and len(array) != 1:
            raise InputError("models.batch", n=len(array))
        if not 0 <= (batch or 0) < len(array):
            raise InputError("models.no_such_text", n=len(array), got=batch)
        array = array[batch or 0]
    if array.ndim != 3 or not array.size:
        raise InputError("models.axes", layer=name, got=" × ".join(map(str, array.shape)))
    return array


def _put_together(steps: Sequence[Any], batch: int | None) -> list[np.ndarray | None]:
    """Stack the rows of all steps; a row of an early step has no keys that came later."""
    layers: list[np.ndarray | None] = []
    for number in range(len(steps[0])):
        parts = [step[number] for step in steps if number < len(step)]
        if any(part is None for part in parts):
            layers.append(None)
            continue
        rows = [_one_text(f"layer {number}", part, batch) for part in parts]
        n_key = max(part.shape[2] for part in rows)
        wide = [np.pad(part, ((0, 0), (0, 0), (0, n_key - part.shape[2]))) for part in rows]
        layers.append(np.concatenate(wide, axis=1))
    return layers


def _layer(
    name: str, weights: Shaped[np.ndarray, "head query key"], kind: str, number: int, nan_rows: str
) -> Layer:
    weights = np.array(weights)
    if nan_rows == "empty":
        weights[np.isnan(weights).all(axis=2)] = 0
    bad = ~np.isfinite(weights)
    if bad.any():
        head, row, _ = (int(place) for place in np.argwhere(bad)[0])
        raise InputError("models.nan", layer=name, head=head, row=row + 1)
    low, high = float(weights.min()), float(weights.max())
    if low < -ROUNDING or high > 1 + ROUNDING:
        raise InputError("models.not_weights", layer=name, low=f"{low:.3g}", high=f"{high:.3g}")
    visible = Visible.behind(weights)
    return Layer(name=name, kind=kind, number=number, visible=visible, given=read_only(weights))


def _tokens(tokens: Sequence[str | Token]) -> tuple[Token, ...]:
    if isinstance(tokens, str) or not len(tokens):
        raise InputError("models.token_list")
    return tuple(
        token if isinstance(token, Token) else Token(text=str(token), piece=str(token))
        for token in tokens
    )
