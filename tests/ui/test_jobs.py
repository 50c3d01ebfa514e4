"""Work that another thread does says how far it is, gives what came of it, and can be stopped."""

import threading

import pytest

from attnviz.errors import InputError
from attnviz.ui.jobs import Job

LONG = 60.0


def test_work_gives_what_came_of_it_and_says_how_far_it_was():
    def work(tell):
        tell("heads", 0.5)
        return 7

    job = Job.started(work)
    assert job.wait(LONG)
    assert job.result() == 7
    assert (job.stage, job.share) == ("heads", 0.5)
    assert not job.failed
    assert not job.stopping


def test_work_that_is_stopped_gives_up_the_next_time_it_says_how_far_it_is():
    going, held, later = threading.Event(), threading.Event(), []

    def work(tell):
        tell("heads", 0.25)
        going.set()
        held.wait(LONG)
        tell("heads", 0.5)
        later.append(True)

    job = Job.started(work)
    assert going.wait(LONG)
    job.stop()
    assert job.stopping
    assert not job.done
    held.set()
    assert job.wait(LONG)
    assert job.failed
    assert job.share == 0.25
    assert not later
    with pytest.raises(InputError, check=lambda error: "models.cancelled" in error.code):
        job.result()


def test_work_that_is_done_stays_done_when_it_is_stopped():
    job = Job.finished(lambda: 3)
    job.stop()
    assert job.result() == 3
