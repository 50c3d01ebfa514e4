"""How long four layers really take on the machine that runs this, and how much memory.

    python -m attnviz.comparisons.measured '{"names": ["rnn"], "width": 64}'

runs them in a process of its own and prints a line of JSON for each length, then what was found.
"""

import json
import os
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

import numpy as np
from jaxtyping import Float

from attnviz.comparisons.recurrence import Cell, Head, drawn_inputs
from attnviz.comparisons.window import through_window

LENGTHS = (16, 32, 64, 128, 256, 512, 1024)
WIDEST, MOST_NEIGHBOURS = 256, 129
_BLOCK = 2**21  # numbers gathered at once
ROUNDS = 6
"""How often every length is timed, so that what else runs for a moment spoils none of them."""
_MOST, _LONG = 20, 0.01  # runs in a round: on until they took so many seconds
_ONE = threading.Lock()
_ALONE = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}

Layer = Callable[[Float[np.ndarray, "n width"]], Float[np.ndarray, "n width"]]


@dataclass(frozen=True)
class Measured:
    """Seconds of the fastest of several runs, and the most bytes taken in one, by layer."""

    lengths: tuple[int, ...]
    width: int
    kernel: int
    neighbours: int
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

    def attention(inputs: Float[np.ndarray, "n width"]) -> Float[np.ndarray, "n width"]:
        query, key, value = inputs @ head.w_q, inputs @ head.w_k, inputs @ head.w_v
        return all_pairs(query, key, value)

    def restricted(inputs: Float[np.ndarray, "n width"]) -> Float[np.ndarray, "n width"]:
        query, key, value = inputs @ head.w_q, inputs @ head.w_k, inputs @ head.w_v
        return near_by(query, key, value, neighbours // 2)

    return {
        "attention": attention,
        "rnn": cell.states,
        "cnn": lambda inputs: through_window(inputs, kernels),
        "restricted": restricted,
    }


def all_pairs(
    query: Float[np.ndarray, "n d_k"],
    key: Float[np.ndarray, "n d_k"],
    value: Float[np.ndarray, "n d_v"],
) -> Float[np.ndarray, "n d_v"]:
    """Attend to all places, scaled by √d_k: plain numpy, as quick as it can be."""
    scores = query @ key.T / np.sqrt(query.shape[1])
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return (raised / raised.sum(axis=1, keepdims=True)) @ value


def near_by(
    query: Float[np.ndarray, "n d_k"],
    key: Float[np.ndarray, "n d_k"],
    value: Float[np.ndarray, "n d_v"],
    radius: int,
) -> Float[np.ndarray, "n d_v"]:
    """Attend to the places at most `radius` away, without a square of scores; scaled by √d_k."""
    n = len(query)
    radius = min(radius, n - 1)
    offsets, root = np.arange(-radius, radius + 1), np.sqrt(query.shape[1])
    rows = max(1, _BLOCK // (len(offsets) * max(query.shape[1], value.shape[1])))
    output = np.empty((n, value.shape[1]))
    for first in range(0, n, rows):
        asking = np.arange(first, min(first + rows, n))
        around = asking[:, None] + offsets
        there = (around >= 0) & (around < n)
        around = np.where(there, around, 0)
        scores = np.einsum("nd,nrd->nr", query[asking], key[around]) / root
        scores = np.where(there, scores, -np.inf)
        raised = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights = raised / raised.sum(axis=1, keepdims=True)
        output[asking] = np.einsum("nr,nrd->nd", weights, value[around])
    return output


def measure(
    names: Sequence[str],
    width: int,
    kernel: int = 3,
    neighbours: int = 21,
    lengths: Sequence[int] = LENGTHS,
    tell: Callable[[str, float], None] = lambda stage, share: None,
) -> Measured:
    """Run layers over longer and longer inputs, in this process.

    A width above WIDEST is measured at WIDEST, neighbours above MOST_NEIGHBOURS at as many.
    """
    width, neighbours = min(width, WIDEST), min(neighbours, MOST_NEIGHBOURS)
    all_ = layers(width, kernel, neighbours)
    inputs = [drawn_inputs(n, width, 0) for n in lengths]
    fastest = {name: [np.inf] * len(inputs) for name in names}
    taken: dict[str, list[int]] = {name: [] for name in names}
    for round_ in range(ROUNDS):
        for place, given in enumerate(inputs):
            tell("measure", (round_ + place / len(inputs)) / ROUNDS)
            for name in names:
                if round_ == 0:
                    taken[name].append(_taken(all_[name], given))
                seconds = _fastest(all_[name], given)
                fastest[name][place] = min(fastest[name][place], seconds)
    return Measured(
        tuple(lengths),
        width,
        kernel,
        neighbours,
        {name: tuple(each) for name, each in fastest.items()},
        {name: tuple(each) for name, each in taken.items()},
        datetime.now(UTC).astimezone(),
        os.cpu_count() or 1,
    )


def measure_apart(
    names: Sequence[str],
    width: int,
    kernel: int = 3,
    neighbours: int = 21,
    lengths: Sequence[int] = LENGTHS,
    tell: Callable[[str, float], None] = lambda stage, share: None,
) -> Measured:
    """Measure in a process of its own, on one core, where no other page is slowed or in the way.

    One measurement at a time; who asks meanwhile waits.
    """
    asked = {"names": names, "width": width, "kernel": kernel}
    asked |= {"neighbours": neighbours, "lengths": lengths}
    command = [sys.executable, "-m", "attnviz.comparisons.measured", json.dumps(asked)]
    found: dict = {}
    with (
        _ONE,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env=os.environ | _ALONE
        ) as run,
    ):
        for line in run.stdout or ():
            found = json.loads(line)
            if "share" in found:
                tell("measure", found["share"])
    if run.returncode:
        raise RuntimeError(f"measuring must end well, got exit {run.returncode}; measure again")
    return _read(found)


def _read(found: dict) -> Measured:
    def by_layer(part: str) -> dict[str, tuple]:
        return {name: tuple(each) for name, each in found[part].items()}

    return Measured(
        tuple(found["lengths"]),
        found["width"],
        found["kernel"],
        found["neighbours"],
        by_layer("seconds"),
        by_layer("bytes_taken"),
        datetime.fromisoformat(found["at"]),
        found["cores"],
    )


def _fastest(layer: Layer, inputs: Float[np.ndarray, "n width"]) -> float:
    """Time several runs: another program can only make one slower."""
    runs: list[float] = []
    while not runs or (sum(runs) < _LONG and len(runs) < _MOST):
        start = time.perf_counter()
        layer(inputs)
        runs.append(time.perf_counter() - start)
    return min(runs)


def _taken(layer: Layer, inputs: Float[np.ndarray, "n width"]) -> int:
    """Give the most bytes that Python and numpy held at once beyond those held before."""
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        layer(inputs)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return max(0, peak - before)


def main() -> None:
    """Measure what the argument asks for; another process reads what is written."""

    def write(message: dict) -> None:
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()

    asked = json.loads(sys.argv[1])
    found = measure(**asked, tell=lambda _stage, share: write({"share": share}))
    write(asdict(found) | {"at": found.at.isoformat()})


if __name__ == "__main__":
    main()
