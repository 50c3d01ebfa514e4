"""How the package's own model learned: what it could do at ten moments of its training."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).with_name("induction")
SCORES = FOLDER / "film.json"
FRAMES = FOLDER / "film.safetensors"
"""The weights of every moment but the last, whose weights are the model's: "step/name"."""

PerHead = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Moment:
    """What the model had learned after a number of steps.

    `loss` is that of the repeated piece, in nats a sign. previous[layer][head] and
    induction[layer][head] are measured on random strings that are written twice.
    """

    step: int
    loss: float
    previous: PerHead
    induction: PerHead

    @property
    def best_previous(self) -> float:
        """The largest share that a head has on the token before."""
        return max(map(max, self.previous))

    @property
    def best_induction(self) -> float:
        """The largest share that a head has on what followed an earlier copy."""
        return max(map(max, self.induction))


@cache
def moments() -> tuple[Moment, ...]:
    """Give the moments of the training in their order; the last is the finished model."""
    return tuple(map(_moment, json.loads(SCORES.read_text("utf-8"))["moments"]))


def _moment(fields: dict) -> Moment:
    scores = {name: tuple(map(tuple, fields.pop(name))) for name in ("previous", "induction")}
    return Moment(**scores, **fields)
