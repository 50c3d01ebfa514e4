"""What runs in a process of a training: it trains while somebody watches, one plan at a time."""

import os
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict
from queue import SimpleQueue

import torch

from attnviz.errors import InputError
from attnviz.models import wire
from attnviz.models.training.data_size import PointPlan
from attnviz.models.training.learning import Plan, Snapshot
from attnviz.models.training.make_data_size import made
from attnviz.models.training.train import train
from attnviz.models.training.trained import read_order

PATIENCE = 5.0
"""Seconds without a watcher after which a training ends."""


class _LeftError(Exception):
    """Nobody watches any more, or it was told to stop."""


class Watchers:
    """Until when somebody wants the training to go on."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._changed = threading.Condition()
        self._until = 0.0
        self._stopped = False

    def go(self, seconds: float) -> None:
        """Go on for so long from now."""
        with self._changed:
            self._until = time.monotonic() + seconds
            self._changed.notify()

    def stop(self) -> None:
        """End at once."""
        with self._changed:
            self._stopped = True
            self._changed.notify()

    def begin(self) -> None:
        """Forget what an earlier training was told; who began this one watches it."""
        with self._changed:
            self._stopped = False
            self._until = time.monotonic()

    def wait(self) -> None:
        """Wait until somebody watches.

        Raises:
            _LeftError: if nobody does for too long, or it was told to stop.
        """
        with self._changed:
            last = self._until + self._patience
            while not self._stopped and time.monotonic() > self._until:
                if not self._changed.wait(last - time.monotonic()):
                    raise _LeftError
                last = max(last, self._until + self._patience)
            if self._stopped:
                raise _LeftError


def teach(plan: Plan | PointPlan, out: wire.Sink, watchers: Watchers) -> None:
    """Train by a plan, write all that is found, and at last why there is no more."""
    try:
        for found in _found(plan, watchers):
            wire.write(out, {"found": found})
        wire.write(out, {"end": "done"})
    except _LeftError:
        wire.write(out, {"end": "left"})
    except InputError as error:
        wire.write(out, {"end": "failed", "error": error.code, "values": dict(error.values)})
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "memory" not in str(error).lower():
            raise
        wire.write(out, {"end": "failed", "error": "training.memory", "values": {}})


def _found(plan: Plan | PointPlan, watchers: Watchers) -> Iterator[wire.Message]:
    if isinstance(plan, PointPlan):
        return map(asdict, made(plan, watchers.wait))
    return map(_plain, train(plan, watchers.wait))


def _plain(found: Snapshot) -> wire.Message:
    return {
        "step": found.step,
        "loss": found.loss,
        "accuracy": list(found.accuracy),
        "gradients": dict(found.gradients),
        "parameters": dict(found.parameters),
    }


def main() -> None:
    """Serve until the other side closes; what libraries print goes to standard error."""
    torch.set_num_threads(1)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    asked = os.fdopen(os.dup(0), "rb")
    watchers = Watchers()
    plans: SimpleQueue[Plan | PointPlan] = SimpleQueue()

    def listen() -> None:
        while (message := wire.read(asked)) is not None:
            if (plan := read_order(message)) is not None:
                watchers.begin()
                plans.put(plan)
            elif "go" in message:
                watchers.go(message["go"])
            else:
                watchers.stop()
        os._exit(0)  # a training that is still going on ends with its page

    threading.Thread(target=listen, daemon=True).start()
    while True:
        teach(plans.get(), out, watchers)


if __name__ == "__main__":
    main()
