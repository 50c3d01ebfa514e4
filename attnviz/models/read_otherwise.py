"""The same head read in other ways than by its weights, each (query, key) as they are."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from attnviz.attention.arrays import read_only
from attnviz.attention.flow import MOST_TOKENS, flow
from attnviz.attention.norms import carried_mixing, carried_norms
from attnviz.attention.rollout import rollout
from attnviz.errors import InputError
from attnviz.models.outputs import OutputMatrix
from attnviz.models.results import Capture
from attnviz.models.views import MOST_EXACT

READINGS = ("weight", "value", "norm", "layer", "rollout", "flow")
"""The weights; times the length of the value, or of the value behind W^O; what all heads of the
layer add, beside what goes past it; through all layers so far; as flow through them."""

NEEDS_MATRIX = ("norm", "layer")
"""The readings that need the layer's W^O."""

Progress = Callable[[int, int], object]


@dataclass(frozen=True, eq=False, kw_only=True)
class Reading:
    """One map of numbers, none negative; `seen` says where there is one.

    `limit` is where the scale ends, at the largest number that there could be: at 1, or at the
    length of the longest value. `mixed` is the share of each output that came from other tokens,
    where that can be said.
    """

    numbers: Float[np.ndarray, "query key"]
    seen: Bool[np.ndarray, "query key"]
    limit: float
    mixed: Float[np.ndarray, " query"] | None = None

    def as_shares(self) -> "Reading":
        """Bring each row to a sum of 1, so that all readings share one scale; an empty row stays.

        Weights stay as they are. The authors of the flow draw it in this way too.
        """
        sums = self.numbers.sum(axis=1, keepdims=True, dtype=np.float64)
        shares = np.divide(self.numbers, sums, out=np.zeros(self.numbers.shape), where=sums > 0)
        return replace(self, numbers=read_only(shares.astype(np.float32)), limit=1.0)

    def at(
        self, rows: Sequence[int], columns: Sequence[int]
    ) -> tuple[Float[np.ndarray, "row column"], Int[np.ndarray, "row 2"]]:
        """Give some rows and columns, and the first and last column of each row with a number."""
        seen = self.seen[np.ix_(rows, columns)]
        first, last = seen.argmax(axis=1), seen.shape[1] - 1 - seen[:, ::-1].argmax(axis=1)
        nothing = ~seen.any(axis=1)
        first[nothing], last[nothing] = 0, -1
        shown = np.ascontiguousarray(self.numbers[np.ix_(rows, columns)])
        return shown, np.stack([first, last], axis=1).astype(np.int32)


def readings(capture: Capture, layer: int) -> tuple[str, ...]:
    """List the readings that there are of the heads of a layer."""
    found = capture.layers[layer]
    two = capture.query_tokens(layer) is not capture.key_tokens(layer)
    values = () if found.value is None else ("value",)
    if found.value is not None and capture.tier != "given":
        values = ("value", "norm", *(() if two else ("layer",)))
    return ("weight", *values, *(() if two else ("rollout", "flow")))


def reading_of(
    capture: Capture,
    layer: int,
    head: int,
    kind: str,
    *,
    row: int | None = None,
    output: OutputMatrix | None = None,
    progress: Progress | None = None,
) -> Reading:
    """Read one head, or all heads up to its layer; of the flow `row` alone, where it is given.

    `output` is what NEEDS_MATRIX need.

    Raises:
        InputError: if there are more tokens than the reading can take, or the layer does not end
            as the reading wants it.
    """
    found = capture.layers[layer]
    most = MOST_TOKENS if kind == "flow" else MOST_EXACT
    if max(found.n_query, found.n_key) > most:
        raise InputError("models.reading_too_long", most=most, n_tokens=found.n_key)
    mixed = None
    limit, seen = 1.0, np.tri(found.n_query, found.n_key, found.n_key - found.n_query, dtype=bool)
    if kind == "rollout":
        numbers = rollout(_stack(capture, layer))
    elif kind == "flow":
        rows = list(range(found.n_query)) if row is None else [row]
        numbers = np.zeros(seen.shape)
        numbers[rows] = flow(_stack(capture, layer), rows=rows, progress=progress)
    else:
        numbers = capture.weights(layer, head).astype(np.float64)
        seen = found.visible.allowed(head)
    if kind in ("rollout", "flow") and not found.visible.causal:
        seen = np.ones(seen.shape, dtype=bool)
    if row is not None:
        seen = seen & (np.arange(found.n_query) == row)[:, None]
    if kind == "value" and found.value is not None:
        value = found.value[head // (found.n_heads // found.n_kv_heads)].astype(np.float64)
        lengths = np.linalg.norm(value, axis=1)
        numbers, limit = numbers * lengths, float(lengths.max())
    if kind in NEEDS_MATRIX and output is not None:
        numbers, limit, mixed = _norms(capture, layer, head, kind, output)
    return Reading(
        numbers=read_only(numbers.astype(np.float32)),
        seen=read_only(np.array(seen)),
        limit=limit,
        mixed=mixed,
    )


def _norms(
    capture: Capture, layer: int, head: int, kind: str, output: OutputMatrix
) -> tuple[Float[np.ndarray, "query key"], float, Float[np.ndarray, " query"] | None]:
    """Give the lengths of what is added behind W^O: by one head, or by all and what goes past.

    Also where their scale ends, and of all heads how much of each output is of other tokens.
    """
    found = capture.layers[layer]
    if kind == "norm":
        lengths = np.linalg.norm(output.carried(found, head), axis=1)
        weights = capture.weights(layer, head).astype(np.float64)
        return weights * lengths, float(lengths.max()) or 1.0, None
    if output.layer_norm is None or output.residual is None:
        raise InputError("models.no_layer_norm", name=capture.model)
    heads = range(found.n_heads)
    weights = np.stack([capture.weights(layer, each) for each in heads])
    vectors = np.stack([output.carried(found, each) for each in heads])
    past, norm = output.residual.astype(np.float64), output.layer_norm
    numbers = carried_norms(weights, vectors, residual=past, bias=output.bias, layer_norm=norm)
    mixed = carried_mixing(weights, vectors, residual=past, layer_norm=norm)
    return numbers, float(numbers.max()) or 1.0, read_only(mixed)


def _stack(capture: Capture, layer: int) -> Iterator[Float[np.ndarray, "head token token"]]:
    """Give the weights of the layers of one stack, from its first to this one."""
    for place in capture.of_kind(capture.layers[layer].kind):
        if place <= layer:
            heads = range(capture.layers[place].n_heads)
            yield np.stack([capture.weights(place, head) for head in heads])
