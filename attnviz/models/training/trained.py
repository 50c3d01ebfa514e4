"""What a process was asked to train, and what has come of it so far."""

import time
from dataclasses import asdict
from typing import Any

from attnviz.errors import InputError
from attnviz.models import wire
from attnviz.models.training.data_size import Making, Point, PointPlan, PointSoFar
from attnviz.models.training.learning import Learner, Plan, Snapshot


class Work:
    """One order, how far it is, and whether more will come.

    `state` is "new", "waiting" (others are before it), "running", "left" (nobody watched), "done"
    or "failed", of which `error` says why.
    """

    def __init__(self, plan: Plan | PointPlan) -> None:
        self.plan: Any = plan
        self.steps = plan.checked().steps
        self.state = "new"
        self.error: InputError | None = None
        self.seconds = 0.0
        self._watchers: dict[str, float] = {}

    @property
    def over(self) -> bool:
        """True once nothing more will come."""
        return self.state in ("done", "failed")

    @property
    def step(self) -> int:
        """How many steps are done."""
        return 0

    @property
    def remaining(self) -> float | None:
        """Give the seconds that the rest will take, None before the first steps are done."""
        if not self.step or not self.seconds:
            return None
        return (self.steps - self.step) * self.seconds / self.step

    def watched_by(self, who: str) -> None:
        """Remember who asked for news."""
        self._watchers[who] = time.monotonic()

    def left_by(self, who: str) -> None:
        """Forget who asked for news."""
        self._watchers.pop(who, None)

    def watched(self, seconds: float) -> bool:
        """Tell whether anybody asked for news in the last seconds."""
        now = time.monotonic()
        return any(now - asked < seconds for asked in self._watchers.values())

    def take(self, fields: wire.Message) -> None:
        """Take what has come; what was there already changes nothing."""
        raise NotImplementedError


class Training(Work):
    """A training, with its snapshots."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.learner: Learner = plan.checked()
        self.snapshots: tuple[Snapshot, ...] = ()

    @property
    def step(self) -> int:
        """How many steps are done."""
        return self.snapshots[-1].step if self.snapshots else 0

    def take(self, fields: wire.Message) -> None:
        """Take one more snapshot; those of a repeated training are there already."""
        if not self.snapshots or fields["step"] > self.step:
            self.snapshots = (*self.snapshots, Snapshot(**fields))


class PointWork(Work):
    """A point of the curves of `data_size` that is being made."""

    def __init__(self, plan: PointPlan) -> None:
        super().__init__(plan)
        self.so_far = PointSoFar(step=0)

    @property
    def step(self) -> int:
        """How many steps are done."""
        return self.so_far.step

    def take(self, fields: wire.Message) -> None:
        """Take how far it is, and the networks that have learned."""
        if fields["step"] > self.step:
            points = tuple(Point(**point) for point in fields["points"])
            self.so_far = PointSoFar(step=fields["step"], points=points)


def work_of(plan: Plan | PointPlan) -> Work:
    """Begin to keep what comes of an order.

    Raises:
        InputError: if it cannot be done.
    """
    return PointWork(plan) if isinstance(plan, PointPlan) else Training(plan)


def order_of(plan: Plan | PointPlan) -> wire.Message:
    """Write an order as the process reads it."""
    return {"point" if isinstance(plan, PointPlan) else "plan": asdict(plan)}


def read_order(message: wire.Message) -> Plan | PointPlan | None:
    """Read an order, None where a message is none."""
    if "plan" in message:
        return Plan(**message["plan"])
    if "point" in message:
        fields = message["point"]
        return PointPlan(**fields | {"making": Making(**fields["making"])})
    return None
