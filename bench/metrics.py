"""Measure what reading heads costs: rollout, flow and the table of heads, on random weights."""

import argparse
import os
import resource
import statistics
import time
from collections.abc import Callable

import numpy as np
from playwright.sync_api import sync_playwright

from attnviz.attention.flow import flow
from attnviz.attention.norms import carried_norms
from attnviz.attention.rollout import rollout
from attnviz.models.listed import listed
from attnviz.models.results import Capture
from bench.see import Figure, machine

LIMIT = 1.0
"""Seconds that a rollout, or a table of heads, may take."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="times that each is computed")
    rounds = parser.parse_args().rounds
    with sync_playwright() as play:
        print(machine(play), end="\n\n")
    print("| figure | attnviz | beside it | target | met |", "|---" * 5 + "|", sep="\n")
    for figure in (rolled(rounds), table(rounds), *flows(rounds), norms(rounds)):
        print(figure, flush=True)
    print(f"\nLoad after the run: {os.getloadavg()[0]:.1f}.")


def drawn(n_layers: int, n_heads: int, n: int) -> list[np.ndarray]:
    """Draw weights, each row a distribution of a few large numbers."""
    rng = np.random.default_rng(0)
    layers = []
    for _ in range(n_layers):
        scores = 3 * rng.standard_normal((n_heads, n, n), dtype=np.float32)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        layers.append(weights / weights.sum(axis=-1, keepdims=True))
    return layers


def seconds(work: Callable[[], object], rounds: int) -> float:
    """Give the median time of a few runs, one more before them."""
    work()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def rolled(rounds: int) -> Figure:
    """Roll attention out through 12 layers of 12 heads."""
    weights = drawn(12, 12, 512)
    took = seconds(lambda: rollout(weights), rounds)
    return Figure(
        "rollout, 12 layers of 12 heads × 512 tokens", said(took), "", "≤ 1 s", took <= LIMIT
    )


def table(rounds: int) -> Figure:
    """Read every number off 72 heads."""
    n = 128
    tokens = [f"w{place % 40}" for place in range(n)]
    capture = Capture.from_attentions(drawn(6, 12, n), tokens)
    took = seconds(lambda: listed(capture), rounds)
    return Figure("table of 72 heads × 128 tokens", said(took), "", "≤ 1 s", took <= LIMIT)


def flows(rounds: int) -> list[Figure]:
    """Find the flow of one token, and of all, through 6 layers of 12 heads."""
    found = []
    for n, rows, name in ((16, None, "all"), (64, [20], "one token"), (127, [60], "one token")):
        weights = drawn(6, 12, n)
        took = seconds(lambda w=weights, r=rows: flow(w, rows=r), min(rounds, 3))
        found.append(Figure(f"flow, 6 layers of 12 heads × {n} tokens, {name}", said(took)))
    return found


def norms(rounds: int) -> Figure:
    """Measure what every token adds to every output: 12 heads, 512 tokens, width 384."""
    (weights,) = drawn(1, 12, 512)
    vectors = np.random.default_rng(1).standard_normal((12, 512, 384))
    took = seconds(lambda: carried_norms(weights, vectors), rounds)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Figure(
        "norm-based, 12 heads together × 512 tokens", said(took), f"process at most {peak:.0f} MB"
    )


def said(took: float) -> str:
    """Write a time in milliseconds."""
    return f"{took * 1000:.0f} ms"


if __name__ == "__main__":
    main()
