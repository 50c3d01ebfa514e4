"""Who may ask the process of the models, one after the other, in the order in which they came."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from attnviz.errors import InputError

Progress = Callable[[str, float], None]


@dataclass(eq=False)
class Turn:
    """Somebody who asks: known by what is told of the progress."""

    progress: Progress | None
    seconds: float = 0.0  # at work so far
    gentle: bool = False  # given up between two requests, without ending the process
    given_up: bool = False


class Turns:
    """One is at work, the others wait; long work stands in line anew with each of its requests."""

    def __init__(self) -> None:
        self._change = threading.Condition(threading.RLock())
        self.at_work: Turn | None = None
        self.waiting: list[Turn] = []
        self._long: list[Turn] = []

    @contextlib.contextmanager
    def long(self, turn: Turn) -> Iterator[None]:
        """Let work of many requests be given up between two of them too."""
        with self._change:
            self._long.append(turn)
        try:
            yield
        finally:
            with self._change:
                self._long.remove(turn)

    @contextlib.contextmanager
    def of(self, turn: Turn, share: float) -> Iterator[None]:
        """Wait for those who came before; `share` is how much of its work was done by then.

        Raises:
            InputError: if it was given up meanwhile.
        """

        def there() -> bool:
            return turn.given_up or (self.at_work is None and self.waiting[0] is turn)

        with self._change:
            self.waiting.append(turn)
            now = there()
        try:
            if not now and turn.progress is not None:
                turn.progress("wait", share)
            with self._change:
                self._change.wait_for(there)
                if turn.given_up:
                    raise InputError("models.cancelled")
                self.at_work = turn
        finally:
            with self._change:
                self.waiting.remove(turn)
                self._change.notify_all()
        try:
            yield
        finally:
            with self._change:
                self.at_work = None
                self._change.notify_all()

    def give_up(self, whose: Progress | None, end: Callable[[], None]) -> None:
        """Give up what is known by this progress; `end` ends the process where it is at work."""
        with self._change:
            working = self.at_work
            mine = working is not None and whose == working.progress and not working.gentle
            if whose is None or mine:
                end()
                return
            for turn in {*self.waiting, *self._long}:
                turn.given_up |= turn.progress == whose
            self._change.notify_all()

    def unless_at_work(self, then: Callable[[], None]) -> None:
        """Do something while nobody is at work, and none can begin."""
        with self._change:
            if self.at_work is None:
                then()
