"""Work that another process does while the page waits: with progress, and a way to stop it.

A job is shared by everyone who asks for the same; its result stays as long as its cache keeps it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from attnviz.errors import InputError

Result = TypeVar("Result")
Tell = Callable[[str, float], None]


@dataclass(eq=False)
class Job(Generic[Result]):
    """One piece of work: what it is doing, how much is done, and in the end what came of it."""

    stage: str = ""
    share: float = 0.0
    future: Future[Result] = field(default_factory=Future)
    _halt: threading.Event = field(default_factory=threading.Event)

    @classmethod
    def started(cls, work: Callable[[Tell], Result]) -> Job[Result]:
        """Begin work in a thread of its own; it is told how to say how far it is."""
        job: Job[Any] = cls()
        threading.Thread(target=job._run, args=(work,), daemon=True).start()
        return job

    @classmethod
    def finished(cls, work: Callable[[], Result]) -> Job[Result]:
        """Do work at once."""
        job: Job[Any] = cls()
        job._run(lambda tell: work())
        return job

    @property
    def done(self) -> bool:
        """True once there is a result, or a reason why there is none."""
        return self.future.done()

    @property
    def failed(self) -> bool:
        """True where there is a reason why there is no result: asked again, it is tried again."""
        return self.done and self.future.exception() is not None

    @property
    def stopping(self) -> bool:
        """True once it was told to stop."""
        return self._halt.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait a moment; tell whether the work is done."""
        try:
            self.future.exception(timeout=seconds)
        except TimeoutError:
            return False
        return True

    def result(self) -> Result:
        """Give what came of it.

        Raises:
            InputError: if the work could not be done; the reason that it had.
        """
        return self.future.result()

    def tell(self, stage: str, share: float) -> None:
        """Say how far the work is.

        Raises:
            InputError: if it is to stop: work that is told so gives up where it stands.
        """
        if self._halt.is_set():
            raise InputError("models.cancelled")
        self.stage, self.share = stage, share

    def stop(self) -> None:
        """Let the work give up as soon as it says how far it is."""
        self._halt.set()

    def _run(self, work: Callable[[Tell], Result]) -> None:
        try:
            self.future.set_result(work(self.tell))
        except BaseException as reason:  # it is raised where the result is asked for
            self.future.set_exception(reason)
