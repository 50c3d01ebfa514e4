"""How long four layers really take on the machine that runs this, and how much memory."""

import os
import threading
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from jaxtyping import Float

from attnviz.attention import HeadChoices, attend
from attnviz.comparisons.recurrence import Cell, Head, drawn_inputs
from attnviz.comparisons.window import through_window

LENGTHS = (16, 32, 64, 128, 256, 512, 1024)
WIDEST = 256
_LEAST, _MOST, _LONG = 3, 50, 0.04
"""How often a layer runs: three times, and on until that took so many seconds."""
_ONE = threading.Lock()

Layer = Callable[[Float[np.ndarray, "n width"]], Float[np.ndarray, "n width"]]


@dataclass(frozen=True)
class Measured:
    """Seconds of the fastest of several runs, and the most bytes taken in one, by layer."""

    lengths: tuple[int, ...]
    width: int
    seconds: dict[str, tuple[float, ...]]
    bytes_taken: dict[str, tuple[int, ...]]
    at: datetime
    cores: int


def layers(width: int, kernel: int, neighbours: int) -> dict[str, Layer]:
    """Draw one layer of each kind, as wide as its inputs.

    The recurrent one is a loop of numpy over the steps; the others are a few large products.
    """
    head, cell = Head.drawn(width, 0), Cell.drawn(width, 0.9, 0)
    kernels = np.random.default_rng(0).normal(size=(kernel, width, width)) / np.sqrt(width)
    scaled = HeadChoices(scale="sqrt_d_k")

    def attention(inputs: Float[np.ndarray, "n width"]) -> Float[np.ndarray, "n width"]:
        query, key, value = inputs @ head.w_q, inputs @ head.w_k, inputs @ head.w_v
        return attend(query, key, value, scaled).output

    def restricted(inputs: Float[np.ndarray, "n width"]) -> Float[np.ndarray, "n width"]:
        query, key, value = inputs @ head.w_q, inputs @ head.w_k, inputs @ head.w_v
        return near_by(query, key, value, neighbours // 2)

    return {
        "attention": attention,
        "rnn": cell.states,
        "cnn": lambda inputs: through_window(inputs, kernels),
        "restricted": restricted,
    }


def near_by(
    query: Float[np.ndarray, "n d_k"],
    key: Float[np.ndarray, "n d_k"],
    value: Float[np.ndarray, "n d_v"],
    radius: int,
) -> Float[np.ndarray, "n d_v"]:
    """Attend to the places at most `radius` away, without a square of scores; scaled by √d_k."""
    n = len(query)
    radius = min(radius, n - 1)
    around = np.arange(n)[:, None] + np.arange(-radius, radius + 1)
    there = (around >= 0) & (around < n)
    around = np.where(there, around, 0)
    scores = np.einsum("nd,nrd->nr", query, key[around]) / np.sqrt(query.shape[1])
    scores = np.where(there, scores, -np.inf)
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = raised / raised.sum(axis=1, keepdims=True)
    return np.einsum("nr,nrd->nd", weights, value[around])


def measure(
    names: Sequence[str],
    width: int,
    kernel: int = 3,
    neighbours: int = 21,
    lengths: Sequence[int] = LENGTHS,
    tell: Callable[[str, float], None] = lambda stage, share: None,
) -> Measured:
    """Run layers over longer and longer inputs, one measurement at a time in this process.

    A width above WIDEST is measured at WIDEST.
    """
    width = min(width, WIDEST)
    all_ = layers(width, kernel, neighbours)
    seconds: dict[str, list[float]] = {name: [] for name in names}
    taken: dict[str, list[int]] = {name: [] for name in names}
    total, done = len(lengths) * len(names), 0
    with _ONE:
        for n in lengths:
            inputs = drawn_inputs(n, width, 0)
            for name in names:
                tell("measure", done / total)
                all_[name](inputs)
                seconds[name].append(_fastest(all_[name], inputs))
                taken[name].append(_taken(all_[name], inputs))
                done += 1
    return Measured(
        tuple(lengths),
        width,
        {name: tuple(each) for name, each in seconds.items()},
        {name: tuple(each) for name, each in taken.items()},
        datetime.now(UTC).astimezone(),
        os.cpu_count() or 1,
    )


def _fastest(layer: Layer, inputs: Float[np.ndarray, "n width"]) -> float:
    """Time several runs: another program can only make one slower."""
    runs: list[float] = []
    while len(runs) < _LEAST or (sum(runs) < _LONG and len(runs) < _MOST):
        start = time.perf_counter()
        layer(inputs)
        runs.append(time.perf_counter() - start)
    return min(runs)


def _taken(layer: Layer, inputs: Float[np.ndarray, "n width"]) -> int:
    """Give the most bytes that Python and numpy held at once beyond those held before."""
    nested = tracemalloc.is_tracing()
    if not nested:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        layer(inputs)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        if not nested:
            tracemalloc.stop()
    return max(0, peak - before)
