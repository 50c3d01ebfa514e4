"""One setting against another: what the other side has different, and what comes of it.

    sides.py     the other side: the fields it has different, and their short form in a link
    changes.py   changes that are computed from the person's own matrices and vectors
    contrast.py  two scenes of the same tokens, number by number
    findings.py  the numbers that an experiment is about

`EXPERIMENTS` at the end lists them all: each answers one question that people get wrong.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from attnviz.experiments import changes
from attnviz.experiments.contrast import Contrast
from attnviz.experiments.sides import defaults_of
from attnviz.scene import Scene
from attnviz.settings import Settings


@dataclass(frozen=True)
class Experiment:
    """One click: the fields that the other side has different, and the law that then holds.

    `law` tells whether what the experiment says of every plain head is true here as well; positions
    or another score can break it.
    """

    key: str
    change: changes.Change
    law: Callable[[Contrast], bool] | None = None

    def fields(self, settings: Settings, scene: Scene) -> dict[str, Any]:
        """Give the fields of the other side; where the settings have them already, the defaults."""
        found = self.change(settings, scene)
        return defaults_of(found) if self.is_back(settings, scene) else found

    def is_back(self, settings: Settings, scene: Scene) -> bool:
        """Tell whether the settings are what the experiment makes: the other side is plain then."""
        found = self.change(settings, scene)
        return all(getattr(settings, name) == value for name, value in found.items())

    def holds(self, contrast: Contrast) -> bool:
        """Tell whether its law holds between the plain side and the changed one."""
        return self.law is None or self.law(contrast)


EXPERIMENTS: dict[str, Experiment] = {
    experiment.key: experiment
    for experiment in (
        Experiment("scale", changes.fixed(scale="sqrt_d_k")),
        Experiment("temperature_low", changes.temperature(0.25)),
        Experiment("temperature_high", changes.temperature(4.0)),
        Experiment("sparsemax", changes.fixed(normalizer="sparsemax")),
        Experiment("hardmax", changes.fixed(normalizer="hardmax")),
        Experiment("divide_by_sum", changes.fixed(normalizer="relu_sum")),
        Experiment("relu", changes.fixed(normalizer="relu")),
        Experiment("relu_length", changes.fixed(normalizer="relu_length")),
        Experiment("sigmoid", changes.fixed(normalizer="sigmoid")),
        Experiment("softmax1", changes.fixed(normalizer="softmax1")),
        Experiment("tied", changes.tied, Contrast.is_symmetric),
        Experiment("swapped", changes.swapped, Contrast.is_transposed),
        Experiment("gauge", changes.gauge, Contrast.has_equal_scores),
        Experiment("zero_query", changes.zero_query, Contrast.is_even),
        Experiment("identity_value", changes.identity_value, Contrast.has_equal_weights),
        Experiment("doubled", changes.doubled, Contrast.is_fourfold),
        Experiment("additive", changes.fixed(score="additive")),
        Experiment("cosine", changes.fixed(score="cosine")),
        Experiment("mask_after", changes.fixed(mask="causal"), Contrast.masks_alike),
        Experiment("causal", changes.fixed(mask="causal")),
        Experiment("no_self", changes.no_self),
        Experiment("positions", changes.fixed(positions="sinusoidal")),
    )
}
