"""The process of the models answers, and whatever happens to it becomes a sentence."""

import sys
import threading

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from attnviz.errors import InputError
from attnviz.models.worker import Worker

SLOW = (sys.executable, "-c", "import sys, time; sys.stdin.buffer.read(1); time.sleep(60)")
GONE = (sys.executable, "-c", "import sys; sys.stdin.buffer.read(1); sys.exit(3)")
CHATTY = (sys.executable, "-c", "print('hello ' * 99)")


@pytest.fixture(scope="module")
def worker():
    made = Worker()
    yield made
    made.close()


def refused(ask):
    with pytest.raises(InputError) as refusal:
        ask()
    return refusal.value.code


def test_a_capture_of_the_process_is_the_one_of_this_process(worker, folder, tiny, monkeypatch):
    name = str(folder("gpt2"))
    monkeypatch.setenv("ATTNVIZ_MODELS", f"default,{name},{folder('vit')}")
    stages = []
    loaded = worker.load(name, progress=lambda stage, share: stages.append(stage))
    assert (loaded.name, loaded.kind, loaded.tier) == ("gpt2", "causal", "exact")
    assert {"load", "check"} <= set(stages)
    came = worker.capture("the cat sat", name=name, ablate=[(0, 1)])
    own = tiny("gpt2").capture("the cat sat", ablate=[(0, 1)])
    assert came.ablated == own.ablated == ((0, 1),)
    assert_array_equal(came.weights(1, 2), own.weights(1, 2))

    picture = np.random.default_rng(0).random((9, 9, 3))
    assert worker.capture(picture, name=str(folder("vit"))).grid == (4, 4)

    assert refused(lambda: worker.capture("", name=name)) == "models.no_tokens"
    assert refused(lambda: worker.capture("a", name=name, ablate=[(7, 0)])) == "models.no_head"
    assert worker.capture("the cat sat", name=name).n_layers == 2

    def leave(stage, share):
        raise KeyError(stage)

    with pytest.raises(KeyError):
        worker.capture("the cat", name=name, progress=leave)
    assert len(worker.capture("a dog sat on", name=name).tokens) == len(
        tiny("gpt2").capture("a dog sat on").tokens
    )

    worker.cancel()
    assert worker.capture("the cat", name=name).n_layers == 2


def test_a_web_page_may_load_only_what_is_listed(folder):
    worker = Worker(GONE)
    assert refused(lambda: worker.load(str(folder("gpt2")))) == "models.not_allowed"


def test_a_process_that_ends_is_told_and_started_again():
    worker = Worker(GONE)
    for _ in range(2):
        assert refused(worker.load) == "models.crashed"
    worker.close()


def test_a_process_that_says_something_else_is_told():
    worker = Worker(CHATTY, most_seconds=20.0)
    assert refused(worker.load) in ("models.crashed", "models.memory")
    worker.close()


def test_a_process_that_is_too_slow_is_ended():
    worker = Worker(SLOW, most_seconds=0.3)
    assert refused(worker.load) == "models.slow"
    worker.close()


def test_a_request_can_be_stopped():
    worker = Worker(SLOW)
    timer = threading.Timer(0.3, worker.cancel)
    timer.start()
    assert refused(worker.load) == "models.cancelled"
    timer.join()


LAZY = (
    sys.executable,
    "-c",
    "import sys, time\n"
    "from attnviz.models import wire\n"
    "asked, out = sys.stdin.buffer, sys.stdout.buffer\n"
    "while (request := wire.read(asked)) is not None:\n"
    "    wire.write(out, {'number': request['number'], 'stage': 'load', 'share': 0.5})\n"
    "    time.sleep(1.5)\n"
    "    done = {'name': 'done', 'kind': '', 'tier': '', 'difference': None, 'most_tokens': 1}\n"
    "    wire.write(out, {'number': request['number'], 'done': done})\n",
)
"""Answers everything, a while after it has said that it began."""


class Asking(threading.Thread):
    """Somebody who asks, and can be told from others by what is told of the progress."""

    def __init__(self, worker):
        super().__init__()
        self.worker, self.began, self.came = worker, threading.Event(), ""

    def tell(self, stage, share):
        self.began.set()

    def run(self):
        try:
            self.came = self.worker.load(progress=self.tell).name
        except InputError as reason:
            self.came = reason.code


@pytest.mark.parametrize("who", ["first", "second"])
def test_one_who_stops_leaves_the_others_alone(who):
    worker = Worker(LAZY, most_seconds=20.0)
    first, second = Asking(worker), Asking(worker)
    first.start()
    assert first.began.wait(15)
    second.start()
    while second.tell not in worker._waiting:
        second.join(0.01)
    stopping, other = (first, second) if who == "first" else (second, first)
    worker.cancel(stopping.tell)
    stopping.join(15)
    assert stopping.came == "models.cancelled"
    other.join(15)
    assert other.came == "done"
    worker.cancel(stopping.tell)
    assert worker.load().name == "done"
    worker.close()


def test_a_process_killed_for_memory_is_told():
    worker = Worker((sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"))
    assert refused(worker.load) == "models.memory"
