"""HeadChoices: which score, which scale, which normalizer."""

import functools
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from attnviz.attention.arrays import read_only
from attnviz.attention.normalizers import NORMALIZER_PARAMETERS, NORMALIZERS
from attnviz.attention.scores import SCORES


@dataclass(frozen=True, eq=False)
class HeadChoices:
    """How a head compares a query with a key, and how it makes weights of the scores.

    `scale` multiplies the scores: "none" leaves them as they are, "sqrt_d_k" multiplies by
    1/sqrt(d_k), a number by that number. `temperature` divides the masked scores before they are
    normalized; 0 is the limit, where there is one. `parameters` are arguments by name for the score
    function, the normalizer and the position code; where two of them take the same name, write
    "score.name", "normalizer.name" or "position.name".

    Raises:
        ValueError: if one of them is not known, or no number that can be used.
    """

    score: str = "dot"
    scale: str | float | int = "none"
    normalizer: str = "softmax"
    temperature: float | int = 1.0
    parameters: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_key("score", self.score, SCORES)
        _check_key("normalizer", self.normalizer, NORMALIZERS)
        _check_scale(self.scale)
        _check_temperature(self.temperature)
        locked = {name: _locked(value) for name, value in self.parameters.items()}
        object.__setattr__(self, "parameters", MappingProxyType(locked))

    def multiplier(self, d_k: int) -> float:
        """Give the number that the scores of keys with d_k features are multiplied by."""
        if self.scale == "none":
            return 1.0
        return 1 / math.sqrt(d_k) if self.scale == "sqrt_d_k" else float(self.scale)

    def arguments(self, part: str, position: Callable | None = None) -> dict[str, Any]:
        """Those of the parameters that the "score", the "normalizer" or the "position" takes."""
        if not self.parameters:
            return {}
        names = self._known(position)[part]
        asked = {f"{part}.{name}": name for name in names} | {name: name for name in names}
        return {asked[name]: value for name, value in self.parameters.items() if name in asked}

    def check_parameters(self, position: Callable | None = None) -> None:
        """Refuse a parameter that nobody takes, or that more than one could take.

        Raises:
            ValueError: with what each of them takes.
        """
        for name in self.parameters:
            part, _, plain = name.rpartition(".")
            known = self._known(position)
            takers = [each for each in known if part in ("", each) and plain in known[each]]
            if len(takers) != 1:
                raise ValueError(_unplaced(name, plain, takers, known))

    def _known(self, position: Callable | None) -> dict[str, tuple[str, ...]]:
        normalizer = NORMALIZER_PARAMETERS.get(self.normalizer, {})
        return {
            "score": _keywords(SCORES[self.score]),
            "normalizer": tuple(name for name in normalizer if name != "temperature"),
            "position": () if position is None else _keywords(position),
        }


@functools.cache
def _keywords(function: Callable) -> tuple[str, ...]:
    named = inspect.signature(function).parameters.values()
    return tuple(one.name for one in named if one.kind is one.KEYWORD_ONLY)


def _unplaced(name: str, plain: str, takers: list[str], known: dict[str, tuple[str, ...]]) -> str:
    if plain == "temperature":
        return f"parameters must not hold {name!r}, a choice of its own; give it as temperature=..."
    if takers:
        ways = " or ".join(f'"{taker}.{plain}"' for taker in takers)
        return f"parameters must say who takes {name!r}, got it for {len(takers)}; call it {ways}"
    listed = "; ".join(f"{who}: {', '.join(names) or 'none'}" for who, names in known.items())
    return f"parameters must be known to what is chosen, got {name!r}; choose from {listed}"


def _check_key(what: str, key: str, table: Mapping[str, object]) -> None:
    if key not in table:
        raise ValueError(
            f"{what} must be one of {', '.join(table)}, got {key!r}; choose from these"
        )


def _check_scale(scale: str | float | int) -> None:
    if scale in ("none", "sqrt_d_k"):
        return
    if isinstance(scale, str | bool) or not math.isfinite(scale):
        raise ValueError(
            f'scale must be "none", "sqrt_d_k" or a finite number, got {scale!r}; '
            "a number multiplies the scores"
        )


def _check_temperature(temperature: float | int) -> None:
    if not temperature >= 0:  # NaN is not
        raise ValueError(
            f"temperature must be 0 (the limit) or more, got {temperature!r}; "
            "1 leaves the scores as they are"
        )


def _locked(value: object) -> object:
    return read_only(np.array(value)) if isinstance(value, np.ndarray | list) else value


PLAIN = HeadChoices()
