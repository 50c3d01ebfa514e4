"""The process in which models run, seen from the web pages: it may be slow, full, or dead.

Torch is never imported here. One worker answers one request at a time, in the order in which they
came; long work on every head is many requests, so that others get their turn in between.
"""

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BufferedReader
from typing import Any, cast

import numpy as np

from attnviz.errors import InputError
from attnviz.models import wire
from attnviz.models.catalogue import allowed
from attnviz.models.editing.worth import Worth, worth_of
from attnviz.models.outputs import OutputMatrix
from attnviz.models.results import Capture
from attnviz.models.turns import Turn, Turns
from attnviz.models.written import Written

Progress = Callable[[str, float], None]
"""Told the stage ("wait", "convert", "load", "check", "capture") and how much of it is done."""

MOST_SECONDS = 300.0
GIVEN_UP = ("models.cancelled", "models.slow")
"""Reasons for which work ends that could have gone on."""
_COMMAND = (sys.executable, "-m", "attnviz.models.serve")

# One thread: two wait for each other on a busy machine. And large arrays apart from small ones,
# which glibc would otherwise let hold the memory of passing arrays (three times what is kept).
_SPARING = {
    "OMP_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "MALLOC_MMAP_THRESHOLD_": str(4 * 2**20),
}


@dataclass(frozen=True)
class Loaded:
    """What a page may say of a loaded model."""

    name: str
    kind: str
    tier: str
    difference: float | None
    most_tokens: int


class Worker:
    """Asks the process of the models, starts it when it is needed, and ends it when it must."""

    def __init__(
        self, command: Sequence[str] = _COMMAND, *, most_seconds: float = MOST_SECONDS
    ) -> None:
        self._command, self._most_seconds = tuple(command), most_seconds
        self._turns = Turns()
        self._process: subprocess.Popen[bytes] | None = None
        self._ended, self._closed = "", False
        self._number = self._works = 0

    def load(self, name: str = "default", progress: Progress | None = None) -> Loaded:
        """Load a model of the catalogue, or one that ATTNVIZ_MODELS lists.

        Raises:
            InputError: if it cannot be loaded, or the process had to end.
        """
        return Loaded(**self._ask({"do": "load", "name": name}, progress))

    def capture(
        self,
        text: "str | np.ndarray",
        text_pair: str | None = None,
        target: str | None = None,
        ablate: Sequence[tuple[int, int]] = (),
        *,
        window: int | None = None,
        edits: Sequence[Sequence[str | int]] = (),
        name: str = "default",
        progress: Progress | None = None,
    ) -> Capture:
        """Run a model on a text or a picture, as `Model.capture` does."""
        pairs = [list(pair) for pair in ablate]
        request = {"do": "capture", "name": name, "texts": [text, text_pair, target]}
        request |= {"ablate": pairs, "window": window, "edits": [list(each) for each in edits]}
        return self._ask(request, progress)

    def output_matrix(
        self,
        layer: int,
        text: "str | np.ndarray",
        text_pair: str | None = None,
        target: str | None = None,
        ablate: Sequence[tuple[int, int]] = (),
        *,
        window: int | None = None,
        edits: Sequence[Sequence[str | int]] = (),
        name: str = "default",
        progress: Progress | None = None,
    ) -> OutputMatrix:
        """Run a model as `capture` does, and give what a layer does with its heads."""
        pairs = [list(pair) for pair in ablate]
        request = {"do": "output", "layer": layer, "name": name, "texts": [text, text_pair, target]}
        request |= {"ablate": pairs, "window": window, "edits": [list(each) for each in edits]}
        return self._ask(request, progress)

    def write(
        self,
        text: str,
        n_tokens: int = 0,
        *,
        seed: int = 0,
        edits: Sequence[Sequence[str | int]] = (),
        name: str = "default",
        progress: Progress | None = None,
    ) -> Written:
        """Let a causal model go on with a text, as `writing.write` does."""
        how = {"n_tokens": n_tokens, "seed": seed, "edits": [list(each) for each in edits]}
        return self._ask({"do": "write", "name": name, "texts": [text], "how": how}, progress)

    def worth(
        self,
        text: "str | np.ndarray",
        text_pair: str | None = None,
        target: str | None = None,
        *,
        window: int | None = None,
        name: str = "default",
        progress: Progress | None = None,
    ) -> Worth:
        """Switch every head off in turn, as `ablating.worth` does; others may ask in between.

        Where it is stopped, or at work for too long, what the slopes say is given nevertheless.
        """
        self._works += 1
        request = {"name": name, "texts": [text, text_pair, target], "window": window}
        request |= {"work": self._works}
        turn = Turn(progress)
        with self._turns.long(turn):
            return self._worth(request, turn)

    def _worth(self, request: wire.Message, turn: Turn) -> Worth:
        known = self._ask(request | {"do": "slopes"}, turn.progress, turn)
        counts, loss, slopes = known["counts"], known["loss"], known["slopes"]
        heads = [(layer, head) for layer, n in enumerate(counts) for head in range(n)]
        runs, turn.gentle = [], True
        try:
            for place in heads:
                share = len(runs) / len(heads)
                if turn.progress is not None:
                    turn.progress("ablate", share)
                if turn.seconds > self._most_seconds:
                    raise InputError("models.slow", seconds=round(self._most_seconds))
                one = {"do": "without", "head": place, "last": place == heads[-1]}
                runs.append(self._ask(request | one, turn.progress, turn, share))
        except InputError as reason:
            if not slopes or reason.code not in GIVEN_UP:
                raise
            return Worth(moved=(), loss=loss, slopes=slopes, ended=reason.code)
        return worth_of(counts, loss, runs, slopes)

    def cancel(self, whose: Progress | None = None) -> None:
        """End the process, and with it the request that it works on; the next one starts anew.

        `whose` is what a request tells its progress: that one alone is stopped, and where it still
        waits for its turn nobody else's is.
        """
        self._turns.give_up(whose, lambda: self._end("models.cancelled"))

    def close(self) -> None:
        """End the process for good: whoever asks from now on is refused."""
        self._closed = True
        self._end("models.cancelled")

    def _ask(
        self,
        request: wire.Message,
        progress: Progress | None,
        turn: Turn | None = None,
        share: float = 0.0,
    ) -> Any:
        """Ask once the turn has come; `share` is how much of its work was done before."""
        if not allowed(request["name"], folders=False):
            raise InputError("models.not_allowed", name=request["name"])
        turn = turn or Turn(progress)
        with self._turns.of(turn, share):
            self._ended = ""
            process = self._started()
            clock = threading.Timer(self._most_seconds, self._end, ("models.slow",))
            clock.daemon = True
            clock.start()
            began = time.monotonic()
            try:
                return self._answered(process, request, progress)
            except (OSError, ValueError) as reason:
                process.kill()
                raise self._broken(process) from reason
            finally:
                clock.cancel()
                turn.seconds += time.monotonic() - began

    def _answered(
        self, process: "subprocess.Popen[bytes]", request: wire.Message, progress: Progress | None
    ) -> Any:
        if process.stdin is None or process.stdout is None:
            raise ValueError("the process of the models must have pipes, got none")
        answers = cast(BufferedReader, process.stdout)
        self._number += 1
        wire.write(process.stdin, request | {"number": self._number})
        while (message := wire.read(answers)) is not None:
            if message["number"] != self._number:
                continue  # the answer to a page that did not wait for it
            if "stage" in message:
                if progress is not None:
                    progress(message["stage"], message["share"])
            elif "error" in message:
                raise InputError(message["error"], **message["values"])
            else:
                return message["done"]
        raise self._broken(process)

    def _started(self) -> "subprocess.Popen[bytes]":
        if self._closed:
            raise InputError("models.cancelled")
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None if os.environ.get("ATTNVIZ_DEBUG") else subprocess.DEVNULL,
                env=_SPARING | os.environ,
            )
        return self._process

    def _broken(self, process: "subprocess.Popen[bytes]") -> InputError:
        """Say why no answer came: it was ended, it was too slow, it was killed, it crashed."""
        code = process.wait()
        _close_pipes(process)
        if self._ended:
            return InputError(self._ended, **self._values())
        return InputError("models.memory" if code == -9 else "models.crashed")

    def _values(self) -> dict[str, object]:
        return {"seconds": round(self._most_seconds)} if self._ended == "models.slow" else {}

    def _end(self, code: str) -> None:
        process, self._ended = self._process, code
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        process.wait()
        # Whoever waits for an answer closes the pipes; where nobody does, they are closed here.
        self._turns.unless_at_work(lambda: _close_pipes(process))


def _close_pipes(process: "subprocess.Popen[bytes]") -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
