"""The matrices of one head in the order they are made, and which of them a change reached."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float

from attnviz.attention.trace import MultiHeadTrace

Source = Literal["given", "learned", "computed"]


@dataclass(frozen=True, eq=False)
class Stop:
    """One matrix on the way from the inputs to the output.

    `source` says whether it is handed in, learned in training, or computed from those before it.
    """

    name: str
    array: Float[np.ndarray, "row column"]
    source: Source = "computed"


def stops(trace: MultiHeadTrace, head: int) -> dict[str, Stop]:
    """List the matrices of one head by name, in order, leaving out those that change nothing.

    Raises:
        ValueError: if there is no such head.
    """
    one, w = trace.head(head), trace.projections
    own = w.kv_head(head)
    found = [Stop("inputs", trace.inputs, "given")]
    if trace.position.added is not None:
        found.append(Stop("positions", trace.position.added[: len(trace.inputs)], "given"))
        found.append(Stop("encoded_inputs", trace.encoded_inputs))
    found += [
        Stop("w_q", w.w_q[head], "learned"),
        Stop("query", one.query),
        Stop("w_k", w.w_k[own], "learned"),
        Stop("key", one.key),
        Stop("w_v", w.w_v[own], "learned"),
        Stop("value", one.value),
        Stop("scores", one.scores),
    ]
    if one.scale != 1:
        found.append(Stop("scaled_scores", one.scaled_scores))
    if one.mask is not None or one.bias is not None:
        found.append(Stop("masked_scores", one.masked_scores))
    found += [Stop("weights", one.weights), Stop("head_outputs", one.output)]
    if trace.n_heads > 1:
        found.append(Stop("concatenated", trace.concatenated))
    if w.w_o is not None:
        found += [Stop("w_o", w.w_o, "learned"), Stop("output", trace.output)]
    return {stop.name: stop for stop in found}


def changed_cells(
    before: MultiHeadTrace, after: MultiHeadTrace, head: int = 0
) -> dict[str, Bool[np.ndarray, "row column"] | None]:
    """Tell which numbers of each matrix differ, to the last bit; None where the size does.

    Raises:
        ValueError: if the later trace has no such head.
    """
    earlier = stops(before, head) if head < before.n_heads else {}
    found = {}
    for name, stop in stops(after, head).items():
        was = earlier.get(name)
        comparable = was is not None and was.array.shape == stop.array.shape
        found[name] = was.array != stop.array if was is not None and comparable else None
    return found


def changed(before: MultiHeadTrace, after: MultiHeadTrace, head: int = 0) -> dict[str, int | None]:
    """Count the numbers of each matrix that differ; None where the matrix has another size.

    Raises:
        ValueError: if the later trace has no such head.
    """
    cells = changed_cells(before, after, head)
    return {name: None if found is None else int(found.sum()) for name, found in cells.items()}
