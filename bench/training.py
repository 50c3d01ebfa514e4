"""Measure how long a training takes: its process, its steps, and until every sentence is right."""

import argparse
import os
import time

from attnviz.models.training.learning import Plan
from attnviz.models.training.trainer import Training, Trainings
from bench.see import Figure

PLANS = {
    "two saws, positions on": Plan(placed=True),
    "reversal": Plan(task="reversal", placed=True),
    "what followed": Plan(task="induction"),
    "majority": Plan(task="majority"),
    "two saws, d = 128, 16 heads": Plan(placed=True, width=128, heads=16),
}
MOST_SECONDS = 10.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    seed = parser.parse_args().seed
    print("| figure | attnviz | beside it | target | met |", "|---" * 5 + "|", sep="\n")
    trainings = Trainings(most=1)
    for place, (name, plan) in enumerate(PLANS.items()):
        for figure in measured(trainings, name, plan, seed, cold=place == 0):
            print(figure, flush=True)
    trainings.close()
    print(f"\nLoad after the run: {os.getloadavg()[0]:.1f}.")


def measured(trainings: Trainings, name: str, plan: Plan, seed: int, *, cold: bool) -> list[Figure]:
    """Train one plan, as a page would ask for it; a cold one starts its process first."""
    plan = Plan(**{**plan.__dict__, "seed": seed})
    begun, solved = time.perf_counter(), None
    training = trainings.watch(plan)
    while not training.over:
        trainings.watch(plan)
        if solved is None and _solved(training):
            solved = time.perf_counter() - begun
        time.sleep(0.02)
    whole = time.perf_counter() - begun
    solved = solved or (whole if _solved(training) else None)
    steps = training.learner.steps
    start = " from a cold start" if cold else ""
    return [
        Figure(
            f"{name}: until every test sentence is right{start}",
            "never" if solved is None else f"{solved:.1f} s",
            f"all {steps} steps {whole:.1f} s",
            f"≤ {MOST_SECONDS:.0f} s",
            solved is not None and solved <= MOST_SECONDS,
        ),
        Figure("· steps a second", f"{steps / max(training.seconds, 1e-9):.0f}"),
    ]


def _solved(training: Training) -> bool:
    return any(min(found.accuracy) == 1 for found in training.snapshots)


if __name__ == "__main__":
    main()
