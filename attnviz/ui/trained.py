"""What was trained here, as every page says it: untrained, or how well after which step."""

import numpy as np

from attnviz.errors import InputError
from attnviz.figures.training import percent
from attnviz.models.training.learning import MATRICES, Learner, Plan, Snapshot
from attnviz.models.training.task_tables import EXAMPLES
from attnviz.models.training.tasks import OWN, TASKS
from attnviz.settings import Settings
from attnviz.settings.links import Table
from attnviz.text.numbers import number
from attnviz.ui import cached, session

KEYS = (*TASKS, OWN)

_DECIMALS = 6  # in a link; a weight changes by less than a page shows


def plan(settings: Settings) -> Plan:
    """Read the plan of a training from the settings; an empty table is the example's."""
    own = settings.task == OWN
    return Plan(
        task=settings.task or KEYS[0],
        table=settings.task_table or example() if own else "",
        vocabulary=0 if own else settings.vocabulary,
        width=settings.trained_width,
        heads=settings.trained_heads,
        placed=settings.placed,
        rate=settings.learning_rate,
        frozen=settings.frozen,
        seed=settings.draw,
        steps=int(settings.amount or 0),
    )


def example() -> str:
    """Give the sentences that stand in the box before a person has typed anything."""
    return EXAMPLES.get(session.language(), EXAMPLES["en"])


def right_share(learner: Learner, found: Snapshot) -> float:
    """Give the share of sentences that are right, of all kinds together."""
    kinds = learner.task.tests.kinds
    shares = np.nan_to_num(found.accuracy) * np.bincount(kinds, minlength=len(found.accuracy))
    return float(shares.sum() / len(kinds))


def label(learner: Learner, found: Snapshot) -> str:
    """Say whether a model has learned, and how well after which step."""
    t = session.t()
    if not found.step:
        return t("train.untrained")
    share = percent(right_share(learner, found))
    return t("train.chip_at", share=share, step=number(found.step))


def opened() -> str:
    """Say how far the matrices had learned that another page shows; "" where it is not known."""
    settings = session.settings()
    if settings.task and settings.task not in KEYS:
        return ""
    try:
        learner = plan(settings).checked()
    except InputError:
        return ""
    training = cached.trainings().known(learner.plan)
    history = (learner.first, *(training.snapshots if training else ()))
    shown = {name: getattr(settings, name) for name in MATRICES}
    for found in history:
        if found.step == (settings.snapshot or 0) and shown == matrices(found):
            return label(learner, found)
    return ""


def matrices(found: Snapshot) -> dict[str, Table]:
    """Give the matrices of a model as a link carries them."""
    return {name: rounded(found.parameters[name]) for name in MATRICES}


def rounded(array: np.ndarray) -> Table:
    """Write a matrix as a link carries it."""
    return tuple(tuple(round(float(number), _DECIMALS) for number in row) for row in array)
