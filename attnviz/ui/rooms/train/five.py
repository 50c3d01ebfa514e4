"""The five trainings of the question about seeds: which, how far, and what they look at."""

from dataclasses import replace

import numpy as np

from attnviz.models.training.learning import Learner, Plan, Snapshot, attention
from attnviz.models.training.trainer import Training
from attnviz.ui import cached, session
from attnviz.ui.rooms.train import asked

SEEDS = 5
STOPPED = "seeds.stopped"


def plans() -> list[Plan]:
    """List the trainings: the person's own model with positions, from the seeds of one block."""
    settings = session.settings()
    first = settings.draw - settings.draw % SEEDS
    plan = replace(asked.plan(settings), placed=True)
    return [replace(plan, seed=first + seed) for seed in range(SEEDS)]


def lives(all_plans: list[Plan]) -> bool:
    """Tell whether one of them is training or about to."""
    return not stopped(all_plans) and next_of(all_plans) is not None


def stopped(all_plans: list[Plan]) -> bool:
    """Tell whether the person stopped them."""
    return session.held(STOPPED) == repr(all_plans[0])


def next_of(all_plans: list[Plan]) -> Plan | None:
    """Find the first training that is not over; the others wait for it."""
    trainings = cached.trainings()
    for plan in all_plans:
        training = trainings.known(plan)
        if training is None or not training.over:
            return plan
    return None


def found_of(plan: Plan, training: Training | None) -> Snapshot:
    """Give the model as far as it has learned."""
    snapshots = training.snapshots if training else ()
    return snapshots[-1] if snapshots else plan.checked().first


def solved_of(found: list[Snapshot]) -> int:
    """Count the models that get every sentence right."""
    return sum(all(share == 1 or np.isnan(share) for share in each.accuracy) for each in found)


def label() -> str:
    """Say how far the five have learned.

    Raises:
        InputError: if such a model cannot be trained.
    """
    t, all_plans = session.t(), plans()
    all_plans[0].checked()
    if lives(all_plans):
        return t("train.chip_now")
    found = [found_of(each, cached.trainings().known(each)) for each in all_plans]
    if not any(each.step for each in found):
        return t("train.untrained")
    return t("seeds.chip", solved=solved_of(found), n=SEEDS)


def sharpest(
    learner: Learner, found: Snapshot, words: np.ndarray, query: int
) -> tuple[int, int, float]:
    """Give the head, the place and the share of the largest weight that a word gives."""
    looks, _ = attention(found.parameters, words[None], learner.heads)
    rows = looks[0, :, query]
    head, key = np.unravel_index(int(rows.argmax()), rows.shape)
    return int(head), int(key), float(rows[head, key])
