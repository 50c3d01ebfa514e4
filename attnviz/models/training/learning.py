"""A small self-attention model while it learns: its plan, its numbers, and what it says.

Here it is numpy: the web pages read snapshots with it. `training` does the learning, in torch.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from jaxtyping import Bool, Float, Int

from attnviz.errors import InputError
from attnviz.models.training.task_tables import EXAMPLES, own_task
from attnviz.models.training.tasks import NO_WORD, OWN, Sentences, Task, task_of

MATRICES = ("w_q", "w_k", "w_v", "w_o")
LETTERS = {"q": "w_q", "k": "w_k", "v": "w_v", "o": "w_o"}
"""How a link names a matrix that stays as it was drawn."""

BATCH = 64
LARGEST_RATE = 10.0
MOST_WIDTH, MOST_HEADS, MOST_STEPS = 128, 16, 5_000
_EACH = 20  # the first steps are all kept, then some evenly spaced
_MOST_MOMENTS = 100
_MOST_NUMBERS = 2_000_000  # that the snapshots of a training may hold together

Parameters = Mapping[str, np.ndarray]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All that decides a training: equal plans give equal snapshots. 0 and None are the task's own.

    `table`: the person's own sentences. `placed`: each place has a vector of its own that is
    learned. `frozen`: the letters of the matrices W that stay as they were drawn.
    """

    task: str = "two_saws"
    table: str = ""
    vocabulary: int = 0
    width: int = 0
    heads: int = 0
    placed: bool = False
    rate: float | None = None
    frozen: str = ""
    seed: int = 0
    steps: int = 0

    def checked(self) -> "Learner":
        """Put the model together that is to be trained.

        Raises:
            InputError: if it cannot be, naming what must hold, what came and what to do.
        """
        return _learner(self)


@dataclass(frozen=True, eq=False, kw_only=True)
class Learner:
    """A task and a model of a certain size for it."""

    plan: Plan
    task: Task
    width: int
    heads: int
    rate: float
    steps: int

    @cached_property
    def first(self) -> "Snapshot":
        """The model before it has learned anything."""
        return snapshot(self, 0, initial(self))

    @property
    def frozen(self) -> tuple[str, ...]:
        """The matrices that stay as they were drawn."""
        return tuple(LETTERS[letter] for letter in LETTERS if letter in self.plan.frozen)

    @cached_property
    def moments(self) -> tuple[int, ...]:
        """The steps after which the model is looked at."""
        numbers = sum(array.size for array in initial(self).values())
        room = max(12, min(_MOST_MOMENTS, _MOST_NUMBERS // numbers))
        each = min(_EACH, room // 3, self.steps)
        gap = max(1, math.ceil((self.steps - each) / (room - each)))
        return (*range(each + 1), *range(each + gap, self.steps, gap), self.steps)[
            : None if each < self.steps else -1
        ]


@dataclass(frozen=True, eq=False, kw_only=True)
class Snapshot:
    """A model after a number of steps: how well it does on the test sentences, and its numbers.

    `loss` in nats a word; `accuracy`: the share of sentences of each kind with every word right;
    `gradients`: the length of the loss's gradient in each matrix, none before torch has seen it.
    """

    step: int
    loss: float
    accuracy: tuple[float, ...]
    gradients: Mapping[str, float]
    parameters: Parameters


def initial(learner: Learner, rng: np.random.Generator | None = None) -> dict[str, np.ndarray]:
    """Draw the numbers that a training starts from: normal, of variance 1 / d."""
    rng = rng or np.random.default_rng(learner.plan.seed)
    d, n_tags = learner.width, len(learner.task.tags)
    shapes = {"words": (learner.task.n_words, d), **dict.fromkeys(MATRICES, (d, d))}
    shapes["tags"] = (d, n_tags)
    if learner.task.before:
        shapes["before"] = (learner.task.n_words, d)
    if learner.plan.placed:
        shapes["places"] = (learner.task.longest, d)
    drawn = {name: rng.standard_normal(shape) / math.sqrt(d) for name, shape in shapes.items()}
    return drawn | {"bias": np.zeros(n_tags)}


def inputs_of(
    parameters: Parameters, words: Int[np.ndarray, "sentence place"]
) -> Float[np.ndarray, "sentence place d"]:
    """Give the vectors of words as they stand in their sentences, without those of the places."""
    vectors = parameters["words"][np.maximum(words, 0)]
    if "before" in parameters:
        vectors = vectors.copy()
        vectors[:, 1:] += parameters["before"][np.maximum(words[:, :-1], 0)]
    return vectors


def attention(
    parameters: Parameters, words: Int[np.ndarray, "sentence place"], n_heads: int
) -> tuple[Float[np.ndarray, "sentence head place key"], Float[np.ndarray, "sentence place tag"]]:
    """Give the weights A′ of each head, and the score of each tag (a logit) at each word."""
    x = inputs_of(parameters, words)
    if "places" in parameters:
        x = x + parameters["places"][: words.shape[1]]
    query, key, value = (_split(x @ parameters[name], n_heads) for name in MATRICES[:3])
    scores = np.where(_seen(words), query @ key.swapaxes(-1, -2), -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    joined = (weights @ value).swapaxes(1, 2).reshape(x.shape) @ parameters["w_o"]
    return weights, (x + joined) @ parameters["tags"] + parameters["bias"]


def _split(x: np.ndarray, n_heads: int) -> np.ndarray:
    return x.reshape(*x.shape[:2], n_heads, -1).swapaxes(1, 2)


def _seen(words: Int[np.ndarray, "sentence place"]) -> Bool[np.ndarray, "sentence 1 1 place"]:
    return (words != NO_WORD)[:, None, None, :]


def snapshot(
    learner: Learner,
    step: int,
    parameters: Parameters,
    gradients: Mapping[str, float] | None = None,
) -> Snapshot:
    """Measure a model on the test sentences of its task."""
    tests = learner.task.tests
    with np.errstate(all="ignore"):  # a training that goes wrong is told by its loss
        _, scores = attention(parameters, tests.words, learner.heads)
        largest = scores.max(axis=-1, keepdims=True)
        logs = scores - largest - np.log(np.exp(scores - largest).sum(axis=-1, keepdims=True))
    asked = tests.tags != NO_WORD
    told = np.take_along_axis(logs, np.maximum(tests.tags, 0)[..., None], axis=-1)[..., 0]
    right = right_of(scores, tests)
    shares = [_share(right[tests.kinds == kind]) for kind in range(len(learner.task.kinds))]
    return Snapshot(
        step=step,
        loss=abs(float(told[asked].mean())),
        accuracy=tuple(shares),
        gradients=dict(gradients or {}),
        parameters=dict(parameters),
    )


def right_of(
    scores: Float[np.ndarray, "sentence place tag"], sentences: Sentences
) -> Bool[np.ndarray, " sentence"]:
    """Tell of each sentence whether every word that is asked for has its tag."""
    asked = sentences.tags != NO_WORD
    return ((scores.argmax(axis=-1) == sentences.tags) | ~asked).all(axis=1)


def _share(right: np.ndarray) -> float:
    return float(right.mean()) if len(right) else math.nan


@lru_cache(maxsize=64)
def _learner(plan: Plan) -> Learner:
    own = plan.task == OWN
    task = own_task(plan.table or EXAMPLES["en"]) if own else task_of(plan.task, plan.vocabulary)
    width, heads = plan.width or task.width, plan.heads or task.heads
    rate = task.rate if plan.rate is None else plan.rate
    steps = plan.steps or task.steps
    if not 1 <= width <= MOST_WIDTH:
        raise InputError("training.width", got=width, most=MOST_WIDTH)
    if not 1 <= heads <= MOST_HEADS or width % heads:
        raise InputError("training.heads", got=heads, most=MOST_HEADS, width=width)
    if not 0 < rate <= LARGEST_RATE:
        raise InputError("training.rate", got=float(rate), most=LARGEST_RATE)
    if not 1 <= steps <= MOST_STEPS:
        raise InputError("training.steps", got=steps, most=MOST_STEPS)
    if set(plan.frozen) - set(LETTERS):
        raise InputError("training.frozen", got=plan.frozen)
    return Learner(plan=plan, task=task, width=width, heads=heads, rate=rate, steps=steps)
