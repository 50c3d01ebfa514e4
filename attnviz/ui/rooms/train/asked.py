"""What a person asks to be trained, and which sentence they look at."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attnviz.errors import InputError
from attnviz.models.training.learning import Learner, Plan
from attnviz.models.training.task_tables import EXAMPLES
from attnviz.models.training.tasks import NO_WORD, OWN, TASKS
from attnviz.settings import Settings
from attnviz.ui import session

KEYS = (*TASKS, OWN)


def plan(settings: Settings) -> Plan:
    """Read the plan of a training from the settings."""
    return Plan(
        task=settings.task or KEYS[0],
        table=settings.task_table if settings.task == OWN else "",
        vocabulary=0 if settings.task == OWN else settings.vocabulary,
        width=settings.trained_width,
        heads=settings.trained_heads,
        placed=settings.placed,
        rate=settings.learning_rate,
        frozen=settings.frozen,
        seed=settings.draw,
        steps=int(settings.amount or 0),
    )


def change(place: str, draft: str | None = None, **fields: Any) -> None:
    """Take a choice over if such a model can be trained; it starts from its first numbers."""
    session.attempt(place, lambda: _checked(fields), draft)


def _checked(fields: dict[str, Any]) -> dict[str, Any]:
    changed = {"snapshot": None, **fields}
    plan(replace(session.settings(), **changed)).checked()
    return changed


def choose_task(key: str) -> None:
    """Turn to another task: its sizes are its own, and its first sentence is looked at."""
    table = session.settings().task_table or EXAMPLES[session.language()]
    fields: dict[str, Any] = {"vocabulary": 0, "trained_width": 0, "trained_heads": 0}
    fields |= {"learning_rate": None, "amount": None, "passage": "", "query": Settings().query}
    change("task", task=key, task_table=table if key == OWN else "", **fields)


@dataclass(frozen=True, eq=False)
class Looked:
    """The sentence that is looked at; `tags` is None where no test sentence has these words."""

    names: tuple[str, ...]
    words: np.ndarray
    tags: np.ndarray | None


def sentence(learner: Learner, number: int) -> str:
    """Write a test sentence in words."""
    names = learner.task.names_in(session.language())
    row = learner.task.tests.words[number]
    return " ".join(names[word] for word in row[: learner.task.tests.length(number)])


def looked(learner: Learner) -> Looked:
    """Give the sentence of the settings, or the first of the first kind where it has none."""
    task, tests = learner.task, learner.task.tests
    typed = tuple(session.settings().passage.split())
    try:
        words = task.number(typed) if typed else None
    except InputError:
        words = None  # a text for another page or another task
    if words is None:
        words = tests.words[first(learner)]
        words = words[words != NO_WORD]
    padded = np.full(task.longest, NO_WORD)
    padded[: len(words)] = words
    found = np.flatnonzero((tests.words == padded).all(axis=1))
    names = task.names_in(session.language())
    tags = tests.tags[found[0]][: len(words)] if len(found) else None
    return Looked(tuple(names[word] for word in words), words, tags)


def first(learner: Learner) -> int:
    """Find the first test sentence of the first kind that there is."""
    return int(np.argmin(learner.task.tests.kinds))


def look(learner: Learner, typed: str) -> None:
    """Look at another sentence, of the tests or typed; a word that is not known is refused."""

    def words() -> dict[str, Any]:
        learner.task.number(tuple(typed.split()))
        return {"passage": typed, "query": Settings().query, "key": None}

    session.attempt("looked", words, typed)
