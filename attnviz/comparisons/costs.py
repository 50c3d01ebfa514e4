"""What a layer costs: work, steps that wait for each other, and the way between two places."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int

from attnviz.comparisons.fields import layers_to_link
from attnviz.comparisons.speech import truncated_scores

LAYERS = ("attention", "rnn", "cnn", "restricted")
UNREACHED = -1
BYTES = 4
"""Of one float32."""


@dataclass(frozen=True)
class Cost:
    """What one layer over n vectors of width d costs.

    work: the leading term that layers are compared by; flops: all multiplications and additions,
    projections included, without biases, softmax and masks; stored: bytes of float32 beside
    inputs and outputs; steps: those that must wait for each other; path: steps, or layers of
    this kind, until the first place reaches the last; dilated: the same for dilated layers.
    """

    work: int
    flops: int
    stored: int
    steps: int
    path: int
    dilated: int | None = None


def attention(n: int, d: int) -> Cost:
    """Count self-attention whose heads are together as wide as its inputs: 8nd² + 4n²d."""
    return Cost(n * n * d, 8 * n * d * d + 4 * n * n * d, n * n * BYTES, 1, int(n > 1))


def rnn(n: int, d: int) -> Cost:
    """Count a recurrent layer: two products with a d × d matrix a step, 4nd²."""
    return Cost(n * d * d, 4 * n * d * d, d * BYTES, n, n - 1)


def cnn(n: int, d: int, kernel: int) -> Cost:
    """Count a convolution over `kernel` places, an odd number; zeros beyond the ends cost none."""
    taps = truncated_scores(n, kernel // 2)
    path = _stacked(n, kernel)
    gaps = layers_to_link(n, kernel, "dilated") if kernel > 1 else path
    return Cost(kernel * n * d * d, 2 * taps * d * d, 0, 1, path, gaps)


def restricted(n: int, d: int, neighbours: int) -> Cost:
    """Count self-attention among `neighbours` places, an odd number, the asking one in the middle.

    Source: Vaswani et al. 2017, table 1, whose r is this number.
    """
    scores = truncated_scores(n, neighbours // 2)
    work = min(neighbours, n) * n * d
    path = _stacked(n, neighbours)
    return Cost(work, 8 * n * d * d + 4 * scores * d, scores * BYTES, 1, path)


def _stacked(n: int, places: int) -> int:
    """Count layers that look at so many places until the ends meet; UNREACHED if they never do."""
    if places == 1:
        return UNREACHED if n > 1 else 0
    return layers_to_link(n, places)


def all_layers(n: int, d: int, kernel: int, neighbours: int) -> dict[str, Cost]:
    """Count all four, by name."""
    return {
        "attention": attention(n, d),
        "rnn": rnn(n, d),
        "cnn": cnn(n, d, kernel),
        "restricted": restricted(n, d, neighbours),
    }


def cheapest(costs: dict[str, Cost], count: str = "work") -> tuple[str, ...]:
    """Name the layers that have the least of a count of `Cost`; several where they tie."""
    found = {name: getattr(cost, count) for name, cost in costs.items()}
    reached = {name: each for name, each in found.items() if each != UNREACHED}
    least = min(reached.values())
    return tuple(name for name, each in reached.items() if each == least)


def linear_work(n: int, d_k: int, d_v: int) -> int:
    """Count the multiplications of φ(Q)(φ(K)ᵀ V)."""
    return 2 * n * d_k * d_v


def softmax_work(n: int, d_k: int, d_v: int) -> int:
    """Count the multiplications of (Q Kᵀ) V."""
    return n * n * (d_k + d_v)


def crossing(d_k: int, d_v: int) -> float:
    """Give the length at which both orders cost the same: n = d where d_k = d_v = d."""
    return 2 * d_k * d_v / (d_k + d_v)


def paths(allowed: Bool[np.ndarray, "node _node"]) -> Int[np.ndarray, "node _node"]:
    """Count the hops from each place that asks to each that can be read, along a mask.

    A place reaches itself in 0 hops, edge or not: a layer passes its own input on. Where there is
    no way there is UNREACHED.
    """
    n = len(allowed)
    hops = np.where(np.eye(n, dtype=bool), 0, UNREACHED)
    edges = allowed.astype(float)
    reached = np.eye(n, dtype=bool)
    for hop in range(1, n):
        further = (reached.astype(float) @ edges > 0) & ~reached
        if not further.any():
            break
        hops[further] = hop
        reached |= further
    return hops
