"""Playing a training: where it stands, and how fast it goes; kept in the tab until it rests."""

import time
import uuid

from attnviz.models.training.learning import Plan
from attnviz.models.training.trainer import Training
from attnviz.ui import cached, session
from attnviz.ui.rooms.train import asked

SPEEDS = {"slow": 3.0, "normal": 9.0, "full": 1e9}
"""Snapshots a second."""

EVERY = 0.4
"""Seconds between two looks at a training."""


def who() -> str:
    """Name this tab among those that watch the same training."""
    if not session.held("train.who"):
        session.hold("train.who", uuid.uuid4().hex)
    return session.held("train.who")


def plays(plan: Plan) -> bool:
    """Tell whether this training is being played."""
    return session.held("train.playing") == repr(plan)


def speed() -> str:
    """Give the speed that is chosen."""
    chosen = session.held("train.speed")
    return chosen if chosen in SPEEDS else "normal"


def play(plan: Plan, steps: int) -> None:
    """Play from the snapshot that is shown, or from the start where it is the last."""
    asked.begin()
    shown = session.settings().snapshot or 0
    place = 0 if shown >= steps else _place(plan, shown)
    session.hold("train.playing", repr(plan))
    session.hold("train.at", str(float(place)))
    session.hold("train.tick", repr(time.monotonic()))
    session.change("train", snapshot=None)


def _place(plan: Plan, step: int) -> int:
    return sum(moment < step for moment in plan.checked().moments)


def advance(training: Training) -> int:
    """Go on by the time that has passed, as far as the training is; give the snapshot's place."""
    now, last = time.monotonic(), len(training.snapshots) - 1
    passed = now - float(session.held("train.tick") or now)
    place = min(float(session.held("train.at") or 0) + passed * SPEEDS[speed()], max(0, last))
    session.hold("train.at", str(place))
    session.hold("train.tick", repr(now))
    return int(place)


def at() -> int:
    """Give the place of the snapshot that is played."""
    return int(float(session.held("train.at") or 0))


def rest(step: int | None, plan: Plan) -> None:
    """Stop at a step; a training that nobody else watches stops too."""
    session.hold("train.playing", "")
    cached.trainings().stop(plan, who())
    session.change("train", snapshot=step)


def step_on(plan: Plan) -> None:
    """Show the next snapshot."""
    asked.begin()
    moments = plan.checked().moments
    place = at() if plays(plan) else _place(plan, session.settings().snapshot or 0)
    rest(moments[min(place + 1, len(moments) - 1)], plan)


def pause(plan: Plan) -> None:
    """Stop where it is."""
    rest(plan.checked().moments[at()], plan)
