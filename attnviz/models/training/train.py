"""Teach a small self-attention model: Adam on batches drawn from the seed, with snapshots."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np
import torch
from torch.nn import functional

from attnviz.errors import InputError
from attnviz.models.training.learning import (
    BATCH,
    MATRICES,
    Learner,
    Plan,
    Snapshot,
    initial,
    snapshot,
)
from attnviz.models.training.tasks import NO_WORD, Sentences

Tensors = Mapping[str, torch.Tensor]


def train(plan: Plan, before_step: Callable[[], None] = lambda: None) -> Iterator[Snapshot]:
    """Train a model, and give a snapshot before the first step, on the way, and after the last.

    The same plan gives the same snapshots. `before_step` may wait, or raise to end the training.

    Raises:
        InputError: if the plan cannot be, or the loss is no number any more.
    """
    learner = plan.checked()
    rng = np.random.default_rng(plan.seed)
    tensors = {
        name: torch.tensor(array, requires_grad=True)
        for name, array in initial(learner, rng).items()
    }
    learned = [tensor for name, tensor in tensors.items() if name not in learner.frozen]
    adam = torch.optim.Adam(learned, lr=learner.rate)
    yield _measured(learner, 0, tensors)
    for step in range(1, learner.steps + 1):
        before_step()
        loss = loss_of(tensors, learner.task.draw(rng, BATCH), learner.heads)
        if not torch.isfinite(loss):
            raise InputError("training.diverged", step=step, rate=float(learner.rate))
        _clear(tensors)
        loss.backward()
        adam.step()
        if step in learner.moments:
            yield _measured(learner, step, tensors)


def seeds(plan: Plan, n: int) -> Iterator[tuple[int, Snapshot]]:
    """Train the same model from several seeds; give each seed with the model it ended as."""
    for seed in range(plan.seed, plan.seed + n):
        last = None
        for last in train(replace(plan, seed=seed)):  # noqa: B007
            pass
        if last is not None:
            yield seed, last


def loss_of(tensors: Tensors, sentences: Sentences, n_heads: int) -> torch.Tensor:
    """Give the cross entropy, in nats for each word that is asked for."""
    scores = scores_of(tensors, torch.from_numpy(sentences.words), n_heads)
    tags = torch.from_numpy(np.ascontiguousarray(sentences.tags))
    return functional.cross_entropy(scores.flatten(0, 1), tags.flatten(), ignore_index=NO_WORD)


def scores_of(tensors: Tensors, words: torch.Tensor, n_heads: int) -> torch.Tensor:
    """Give the score of each tag at each word: one layer of attention, added to its input."""
    x = tensors["words"][words.clamp(min=0)]
    if "before" in tensors:
        x = x + functional.pad(tensors["before"][words[:, :-1].clamp(min=0)], (0, 0, 1, 0))
    if "places" in tensors:
        x = x + tensors["places"][: words.shape[1]]
    query, key, value = (
        (x @ tensors[name]).unflatten(-1, (n_heads, -1)).transpose(1, 2) for name in MATRICES[:3]
    )
    scores = (query @ key.transpose(-1, -2)).masked_fill(
        (words == NO_WORD)[:, None, None, :], -torch.inf
    )
    output = (scores.softmax(-1) @ value).transpose(1, 2).flatten(2) @ tensors["w_o"]
    return (x + output) @ tensors["tags"] + tensors["bias"]


def _measured(learner: Learner, step: int, tensors: Tensors) -> Snapshot:
    """Look at the model: its loss must be a number."""
    _clear(tensors)
    loss_of(tensors, learner.task.tests, learner.heads).backward()
    gradients = {
        name: float(tensors[name].grad.norm())  # pyright: ignore[reportOptionalMemberAccess]
        for name in MATRICES
    }
    numbers = {name: tensor.detach().numpy().copy() for name, tensor in tensors.items()}
    found = snapshot(learner, step, numbers, gradients)
    if not np.isfinite(found.loss):
        raise InputError("training.diverged", step=step, rate=float(learner.rate))
    return found


def _clear(tensors: Tensors) -> None:
    for tensor in tensors.values():
        tensor.grad = None
