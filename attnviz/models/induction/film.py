"""How the package's own model learned: what it could do at ten moments of its training."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

KEY = "induction"
"""The key of the finished model in the catalogue."""

FOLDER = Path(__file__).with_name("weights")
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


def name_at(step: int) -> str:
    """Name the model as it was after so many steps, as `load_model` takes it."""
    return KEY if step == moments()[-1].step else f"{KEY}-{step}"


def step_of(name: str) -> int | None:
    """Give the step that a name of a moment before the last says, None for any other name."""
    return next((each.step for each in moments()[:-1] if name == name_at(each.step)), None)


def stirs(best: Sequence[float]) -> int:
    """Find the first moment at which a score is more than twice what it was at the start."""
    return next((place for place, score in enumerate(best) if score > 2 * best[0]), len(best) - 1)
