"""Trainings seen from the web pages: each in a process of its own, a few at a time.

Torch is never imported here. Equal plans share one training. It goes on while a page asks for
news, waits a little when none does, and ends; asked again, it is repeated, for the same plan gives
the same snapshots.
"""

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from io import BufferedReader
from typing import cast, overload

from attnviz.errors import InputError
from attnviz.models import wire
from attnviz.models.training.data_size import PointPlan
from attnviz.models.training.learning import Plan
from attnviz.models.training.trained import PointWork, Training, Work, order_of, work_of

KEPT = 16
"""How many trainings are kept with their snapshots; the one not asked for the longest goes."""

LEASE = 2.5
"""Seconds for which a training goes on after a page has asked for news."""

_COMMAND = (sys.executable, "-m", "attnviz.models.training.serve")
_SPARING = {"OMP_NUM_THREADS": "1"}  # two threads wait for each other on a busy machine
_LEFT = 8.0  # seconds without news asked for, after which one that still waits gives up its place


def most_at_once() -> int:
    """How many trainings run at once: what ATTNVIZ_TRAININGS says, or 2."""
    said = os.environ.get("ATTNVIZ_TRAININGS", "")
    return max(1, int(said)) if said.isdecimal() else 2


class Trainings:
    """Begins trainings, lets a few of them run, and keeps their snapshots."""

    def __init__(self, command: Sequence[str] = _COMMAND, most: int | None = None) -> None:
        self._command, self._most = tuple(command), most or most_at_once()
        self._changed, self._telling = threading.Condition(), threading.Lock()
        self._queue: list[Work] = []
        self._running: dict[Work, subprocess.Popen[bytes] | None] = {}
        self._idle: list[subprocess.Popen[bytes]] = []
        self._kept: OrderedDict[Plan | PointPlan, Work] = OrderedDict()

    def warm(self) -> None:
        """Start a process where none is there yet, so that the first training need not wait."""
        with self._changed:
            if not self._idle and not self._running:
                self._idle.append(self._new_process())

    @overload
    def known(self, plan: Plan) -> Training | None: ...

    @overload
    def known(self, plan: PointPlan) -> PointWork | None: ...

    def known(self, plan: Plan | PointPlan) -> Work | None:
        """Give the training of a plan if one was begun; this lets nothing run."""
        with self._changed:
            return self._kept.get(plan)

    @overload
    def watch(self, plan: Plan, who: str = "") -> Training: ...

    @overload
    def watch(self, plan: PointPlan, who: str = "") -> PointWork: ...

    def watch(self, plan: Plan | PointPlan, who: str = "") -> Work:
        """Begin the training of a plan, or let it go on for some seconds; `who` asks for news.

        Raises:
            InputError: if the plan cannot be.
        """
        with self._changed:
            training = self._kept.get(plan) or self._kept.setdefault(plan, work_of(plan))
            self._kept.move_to_end(plan)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
            training.watched_by(who)
            if training.state in ("new", "left"):
                training.state = "waiting"
                self._queue.append(training)
                threading.Thread(target=self._run, args=(training,), daemon=True).start()
            process = self._running.get(training)
        if process is not None:
            self._say(process, {"go": LEASE})
        return training

    def stop(self, plan: Plan | PointPlan, who: str = "") -> None:
        """End the training of a plan at once, unless others watch it; its snapshots stay."""
        with self._changed:
            training = self._kept.get(plan)
            if training is None:
                return
            training.left_by(who)
            if training.watched(LEASE):
                return
            process = self._running.get(training)
            if training in self._queue:
                self._queue.remove(training)
                self._changed.notify_all()
        if process is not None:
            self._say(process, {"stop": True})

    def forget(self, plan: Plan | PointPlan) -> None:
        """Forget a training that failed, so that it is tried again."""
        with self._changed:
            self._kept.pop(plan, None)

    def place(self, training: Work) -> int:
        """Give how many trainings must end before this one begins; 0 if it runs, or is about to."""
        with self._changed:
            if training not in self._queue:
                return 0
            free = self._most - len(self._running)
            return max(0, self._queue.index(training) + 1 - free)

    def close(self) -> None:
        """End every process."""
        with self._changed:
            processes = [*self._idle, *filter(None, self._running.values())]
            self._idle.clear()
            self._queue.clear()
            self._changed.notify_all()
        for process in processes:
            _end(process)

    def _run(self, training: Work) -> None:
        """Wait for a place, then train; runs in a thread of its own."""
        if not self._begun(training):
            training.state = "left"
            return
        process = None
        try:
            process = self._process()
            with self._changed:
                self._running[training] = process
            training.state, training.error = self._taught(training, process)
        except (OSError, ValueError):
            training.state, training.error = "failed", InputError("training.crashed")
            if process is not None:
                _end(process)
        finally:
            with self._changed:
                self._running.pop(training, None)
                if process is not None and process.poll() is None:
                    self._idle.append(process)
                self._changed.notify_all()

    def _begun(self, training: Work) -> bool:
        with self._changed:
            while training in self._queue:
                if self._queue[0] is training and len(self._running) < self._most:
                    self._queue.remove(training)
                    self._running[training] = None
                    return True
                self._changed.wait(0.5)
                if not training.watched(_LEFT) and training in self._queue:
                    self._queue.remove(training)
                    self._changed.notify_all()
        return False

    def _taught(
        self, training: Work, process: "subprocess.Popen[bytes]"
    ) -> tuple[str, InputError | None]:
        """Read the snapshots of a training; give how it ended, and why where it failed."""
        answers = cast(BufferedReader, process.stdout)
        training.state = "running"
        self._say(process, order_of(training.plan))
        self._say(process, {"go": LEASE})
        begun = 0.0
        while (message := wire.read(answers)) is not None:
            if "found" in message:
                begun = begun or time.monotonic()
                training.take(message["found"])
                training.seconds = max(training.seconds, time.monotonic() - begun)
            elif "error" in message:
                return "failed", InputError(message["error"], **message["values"])
            else:
                return message["end"], None
        code = process.wait()
        _end(process)
        return "failed", InputError("training.memory" if code == -9 else "training.crashed")

    def _say(self, process: "subprocess.Popen[bytes]", message: wire.Message) -> None:
        """Tell a process something; one that has ended is told nothing."""
        if process.stdin is not None:
            with self._telling, contextlib.suppress(OSError, ValueError):
                wire.write(process.stdin, message)

    def _process(self) -> "subprocess.Popen[bytes]":
        with self._changed:
            while self._idle:
                process = self._idle.pop()
                if process.poll() is None:
                    return process
                _end(process)
        return self._new_process()

    def _new_process(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if os.environ.get("ATTNVIZ_DEBUG") else subprocess.DEVNULL,
            env=_SPARING | os.environ,
        )


def _end(process: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
