"""The process of the models answers, and whatever happens to it becomes a sentence."""

import sys
import threading

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attnviz.errors import InputError
from attnviz.models.editing import ablating
from attnviz.models.worker import Worker

SLOW = (sys.executable, "-c", "import sys, time; sys.stdin.buffer.read(1); time.sleep(60)")
GONE = (sys.executable, "-c", "import sys; sys.stdin.buffer.read(1); sys.exit(3)")
CHATTY = (sys.executable, "-c", "print('hello ' * 99)")


@pytest.fixture(scope="module")
def worker(folder):
    made = Worker()
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("ATTNVIZ_MODELS", f"default,{folder('gpt2')},{folder('vit')}")
        yield made
    made.close()


def refused(ask):
    with pytest.raises(InputError) as refusal:
        ask()
    return refusal.value.code


def test_a_capture_of_the_process_is_the_one_of_this_process(worker, folder, tiny):
    name = str(folder("gpt2"))
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
    assert refused(lambda: worker.capture("a", name=name, ablate=[(7, 0)])) == "models.no_layer"
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


def test_a_web_page_may_load_only_what_is_listed(folder, monkeypatch):
    monkeypatch.delenv("ATTNVIZ_MODELS", raising=False)
    worker = Worker(GONE)
    assert refused(lambda: worker.load(str(folder("gpt2")))) == "models.not_allowed"


def test_a_process_that_ends_is_told_and_started_again():
    worker = Worker(GONE)
    for _ in range(2):
        assert refused(worker.load) == "models.crashed"
    worker.close()


def test_nothing_starts_again_once_it_is_closed():
    worker = Worker(GONE)
    worker.close()
    assert refused(worker.load) == "models.cancelled"


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

    def __init__(self, worker, name="default", then=lambda: None):
        super().__init__()
        self.worker, self.began, self.came = worker, threading.Event(), ""
        self.name_asked, self.then = name, then

    def tell(self, stage, share):
        self.began.set()

    def run(self):
        try:
            self.came = self.worker.load(self.name_asked, progress=self.tell).name
            self.then()
        except InputError as reason:
            self.came = reason.code


@pytest.mark.parametrize("who", ["first", "second"])
def test_one_who_stops_leaves_the_others_alone(who):
    worker = Worker(LAZY, most_seconds=20.0)
    first, second = Asking(worker), Asking(worker)
    first.start()
    assert first.began.wait(15)
    second.start()
    while second.tell not in [turn.progress for turn in worker._turns.waiting]:
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


def test_a_short_question_is_answered_before_long_work_on_every_head_ends(worker, folder):
    name = str(folder("gpt2"))
    heard, order = [], []

    def ask_meanwhile(stage, share):
        heard.append(stage)
        if stage == "slope" and not order:
            order.append("asked")
            short.start()
            while short.tell not in [turn.progress for turn in worker._turns.waiting]:
                short.join(0.01)

    short = Asking(worker, name, lambda: order.append("short"))
    found = worker.worth("the cat sat", name=name, progress=ask_meanwhile)
    order.append("long")
    short.join(60)
    assert order == ["asked", "short", "long"]
    assert short.came == "gpt2"
    assert "wait" in heard
    assert heard.index("wait") < len(heard) - 1
    assert not found.ended


def test_work_on_every_head_is_the_one_of_this_process(worker, folder, tiny):
    own = ablating.worth(tiny("gpt2"), "the cat sat")
    came = worker.worth("the cat sat", name=str(folder("gpt2")))
    assert came.loss == own.loss
    for one, other in ((came.moved, own.moved), (came.losses, own.losses)):
        assert_array_equal(np.concatenate(one), np.concatenate(other))
    assert_allclose(np.concatenate(came.slopes), np.concatenate(own.slopes), atol=1e-7)


def test_what_the_slopes_say_stays_when_the_runs_are_stopped(worker, folder):
    name = str(folder("gpt2"))

    def stop(stage, share):
        if stage == "ablate" and share > 0:
            worker.cancel(stop)

    found = worker.worth("the cat sat", name=name, progress=stop)
    assert (found.ended, found.moved) == ("models.cancelled", ())
    assert [len(heads) for heads in found.slopes] == [4, 4]
    process = worker._process
    assert worker.load(name).name == "gpt2"
    assert worker._process is process


def test_what_the_slopes_say_stays_when_the_runs_take_too_long(worker, folder, monkeypatch):
    monkeypatch.setattr(worker, "_most_seconds", 60.0)

    def be_slow(stage, share):
        if stage == "ablate":
            worker._most_seconds = 0.0

    found = worker.worth("the cat sat", name=str(folder("gpt2")), progress=be_slow)
    assert (found.ended, found.losses) == ("models.slow", ())
    assert found.slopes


def test_long_work_goes_on_where_another_one_ended_the_process(worker, folder, tiny):
    ended = []

    def end_it(stage, share):
        if stage == "ablate" and share >= 0.5 and not ended:
            ended.append(share)
            worker.cancel()

    own = ablating.worth(tiny("gpt2"), "a dog sat on")
    came = worker.worth("a dog sat on", name=str(folder("gpt2")), progress=end_it)
    assert ended
    assert_allclose(np.concatenate(came.losses), np.concatenate(own.losses), atol=1e-6)
