"""Trainings beside the pages: a place in line, leaving, stopping, and a process that dies."""

import sys
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from attnviz.errors import InputError
from attnviz.models.training.learning import Plan
from attnviz.models.training.train import train
from attnviz.models.training.trainer import Trainings, most_at_once

PLAN = Plan(placed=True, steps=12)
LONG = Plan(width=64, heads=4, steps=5_000)
PATIENCE = 120.0  # seconds; a busy machine is no failure


@pytest.fixture(scope="module")
def one() -> Iterator[Trainings]:
    """One training at a time; its process stays for the next."""
    trainings = Trainings(most=1)
    yield trainings
    trainings.close()


def until(holds: Callable[[], object], *watched: Callable[[], object]) -> None:
    """Wait, asking for news as a page would."""
    begun = time.monotonic()
    while not holds():
        assert time.monotonic() - begun < PATIENCE
        for watch in watched:
            watch()
        time.sleep(0.02)


def test_the_snapshots_are_those_of_the_training_itself(one):
    training = one.watch(PLAN)
    until(lambda: training.over, lambda: one.watch(PLAN))
    assert (training.state, training.error) == ("done", None)
    expected = list(train(PLAN))
    assert [found.step for found in training.snapshots] == [found.step for found in expected]
    for came, made in zip(training.snapshots, expected, strict=True):
        assert came.accuracy == made.accuracy
        for name, array in made.parameters.items():
            np.testing.assert_array_equal(came.parameters[name], array)


def test_equal_plans_share_one_training(one):
    assert one.watch(PLAN, "a") is one.watch(Plan(placed=True, steps=12), "b")
    assert one.known(PLAN) is one.watch(PLAN)


def test_a_second_training_waits_until_the_first_is_stopped(one):
    first = one.watch(LONG)
    until(lambda: first.step > 0, lambda: one.watch(LONG))
    second = one.watch(Plan(placed=True, steps=13))
    assert (second.state, one.place(second), one.place(first)) == ("waiting", 1, 0)
    one.stop(LONG)
    until(lambda: second.over, lambda: one.watch(second.plan))
    assert first.state == "left"
    assert first.step < LONG.steps
    assert second.state == "done"


def test_one_who_stops_leaves_it_to_those_who_still_watch(one):
    training = one.watch(LONG, "a")
    one.watch(LONG, "b")
    before = training.step
    one.stop(LONG, "a")
    until(lambda: training.step > before, lambda: one.watch(LONG, "b"))
    assert training.state == "running"
    one.stop(LONG, "b")
    until(lambda: training.state == "left")


def test_a_training_that_nobody_watches_ends(one):
    plan = Plan(width=64, heads=4, steps=4_999)
    training = one.watch(plan)
    until(lambda: training.step > 0, lambda: one.watch(plan))
    until(lambda: training.state == "left")
    stopped = training.step
    assert 0 < stopped < plan.steps
    until(lambda: training.step > stopped, lambda: one.watch(plan))  # asked again, it goes on
    steps = [found.step for found in training.snapshots]
    assert steps == sorted(set(steps))
    one.stop(plan)


def test_what_still_waits_can_be_stopped(one):
    first, second = one.watch(LONG), one.watch(Plan(seed=77))
    one.stop(second.plan)
    until(lambda: second.state == "left", lambda: one.watch(first.plan))
    one.stop(LONG)


def test_a_plan_that_cannot_be_is_refused_before_anything_starts(one):
    with pytest.raises(InputError) as refused:
        one.watch(Plan(rate=1e6))
    assert refused.value.code == "training.rate"
    assert one.known(Plan(rate=1e6)) is None


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("import sys; sys.exit(3)", "training.crashed"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "training.memory"),
        ("print('no message at all' * 9)", "training.crashed"),
    ],
    ids=["exit", "killed", "noise"],
)
def test_a_process_that_dies_is_a_sentence_and_can_be_tried_again(program, code):
    trainings = Trainings((sys.executable, "-c", program))
    training = trainings.watch(PLAN)
    until(lambda: training.over)
    assert training.state == "failed"
    assert training.error is not None
    assert training.error.code == code
    trainings.forget(PLAN)
    again = trainings.watch(PLAN)
    assert again is not training
    until(lambda: again.over)
    trainings.close()


@pytest.mark.parametrize(("said", "most"), [("", 2), ("5", 5), ("0", 1), ("many", 2)])
def test_how_many_run_at_once_can_be_said(monkeypatch, said, most):
    monkeypatch.setenv("ATTNVIZ_TRAININGS", said)
    assert most_at_once() == most
