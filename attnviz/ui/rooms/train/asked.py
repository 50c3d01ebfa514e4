"""What a person asks to be trained, and which sentence they look at."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attnviz.errors import InputError
from attnviz.models.training.learning import Learner
from attnviz.models.training.tasks import NO_WORD, OWN
from attnviz.settings import Settings
from attnviz.ui import refusals, session
from attnviz.ui.trained import KEYS, plan

PLACES = ("task", "train", "looked", "task_table")
"""Where on this page an input may be refused, beside the numbers of the model."""

NUMBERS = ("vocabulary", "trained_width", "trained_heads", "learning_rate", "amount", "draw")
"""The settings that are numbers of the model and of its training."""

TAGS = {"PRON": "pronoun", "VERB": "verb", "DET": "determiner", "NOUN": "noun"}
_TABLE = "train.table"


def change(place: str, draft: str | None = None, **fields: Any) -> None:
    """Take a choice over if such a model can be trained; it starts from its first numbers."""
    attempt(place, lambda: fields, draft)


def attempt(place: str, fields: Callable[[], dict[str, Any]], draft: str | None = None) -> None:
    """Take choices over that may be refused while they are read."""
    session.attempt(place, lambda: _checked(fields()), draft)


def _checked(fields: dict[str, Any]) -> dict[str, Any]:
    changed = {"snapshot": None, **fields}
    plan(replace(session.settings(), **changed)).checked()
    return changed


def begin() -> None:
    """Let go of what was refused: a training begins with what there is."""
    for place in (*PLACES, *(f"train.{field}" for field in NUMBERS)):
        session.accept(place)


def refused(error: InputError) -> str:
    """Say why nothing can be trained; tasks are called what the page calls them."""
    t = session.t()
    if error.code == "training.task":
        titles = (t("train.named", task=t(f"task.{key}.title")) for key in KEYS)
        known = t("labelling.join").join(titles)
        error = InputError(error.code, got=error.values["got"], known=known)
    return refusals.escape(refusals.sentence(error))


def tags(learner: Learner) -> tuple[str, ...]:
    """Give the tags as the page calls them; a person's own stay as they were typed."""
    t, task = session.t(), learner.task
    named = {} if task.key == OWN else TAGS
    return tuple(t(f"labelling.{named[tag]}") if tag in named else tag for tag in task.tags)


def choose_task(key: str) -> None:
    """Turn to another task: its sizes are its own, and its first sentence is looked at.

    A person's own sentences come back with their task.
    """
    typed = session.settings().task_table
    if typed:
        session.hold(_TABLE, typed)
    table = typed or session.held(_TABLE)
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
