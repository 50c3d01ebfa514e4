"""Two settings compared, in words: what an experiment found, and one sentence from the numbers."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from jaxtyping import Shaped

from attnviz.attention.normalizers import DISTRIBUTIONS
from attnviz.experiments import Experiment
from attnviz.experiments.contrast import Contrast
from attnviz.experiments.findings import Finding, findings
from attnviz.figures.labels import pair, subscript
from attnviz.figures.spoken_words import Voice
from attnviz.text import Words
from attnviz.text.numbers import magnitude, number, table

MOST_NUMBERS = 6  # of a vector that is written in full
_KEPT = 3
_WITH_TWINS = ("causal", "positions")


def say_finding(experiment: Experiment, contrast: Contrast, t: Words, digits: int = 2) -> str:
    """Say what an experiment found between the plain side and the changed one, in its numbers.

    Where positions or another score break its law, that is said instead.
    """
    if not experiment.holds(contrast):
        return t("bench.no_law")
    found = findings(contrast)
    twins = experiment.key in _WITH_TWINS and found["twins_before"] == found["twins_before"]
    said = {name: _written(value, t, digits) for name, value in found.items()}
    for when, side in (("before", contrast.one), ("after", contrast.other)):
        said[f"normalizer_{when}"] = t(f"normalizer.{side.choices.normalizer}")
    key = experiment.key
    return t(f"experiment.{key}.result_twins" if twins else f"experiment.{key}.result", **said)


def say_why(experiment: Experiment, contrast: Contrast, t: Words) -> str:
    """Say why it comes out like this; nothing where its law is broken."""
    if not experiment.holds(contrast):
        return ""
    return t(f"experiment.{experiment.key}.why", d_k=contrast.one.projections.d_k)


def say_contrast(contrast: Contrast, t: Words, digits: int = 2) -> str:
    """Say in one sentence how entropy, weights and outputs go from the one side to the other."""
    voice = Voice(t, digits)
    clauses = [_entropy(contrast, voice), _weights(contrast, voice), _output(contrast, voice)]
    said = t("say.semicolon").join(filter(None, clauses))
    return t("bench.say.all", said=said[:1].upper() + said[1:])


def _entropy(contrast: Contrast, voice: Voice) -> str:
    t, i = voice.t, contrast.one.query
    before, after = (float(rows[i]) for rows in contrast.entropies)
    if math.isnan(before) or math.isnan(after):
        side = t("bench.side_a" if math.isnan(before) else "bench.side_b")
        head = contrast.heads[0 if math.isnan(before) else 1]
        total = voice.number(round(float(head.weights[i].sum()), 12))
        return t("bench.say.no_distribution", place=i + 1, side=side, sum=total)
    said = {"place": i + 1, "before": voice.number(before), "after": voice.number(after)}
    if abs(after - before) < 1e-12:
        return t("bench.say.same_entropy", **said)
    return t("bench.say.entropy", **said)


def _weights(contrast: Contrast, voice: Voice) -> str:
    t, (query, key) = voice.t, contrast.largest_change
    change = abs(float(contrast.weights_change[query, key]))
    if change == 0:
        return t("bench.say.same_weights")
    if change < 1e-12:
        return t("bench.say.rounded_weights")
    before, after = (voice.number(head.weights[query, key]) for head in contrast.heads)
    return t("bench.say.weight", pair=pair(query, key), before=before, after=after)


def _output(contrast: Contrast, voice: Voice) -> str:
    t, distances, i = voice.t, contrast.distances, contrast.one.query
    if distances is None:
        return t("bench.say.other_width")
    if not distances.any():
        return t("bench.say.same_outputs")
    best = int(distances.argmax())
    said = {"i": subscript(i), "distance": voice.number(distances[i])}
    if best == i or math.isclose(distances[best], distances[i]):
        return t("bench.say.output_most", **said)
    most = {"most": subscript(best), "largest": voice.number(distances[best])}
    return t("bench.say.output", **said, **most)


def is_shared(contrast: Contrast) -> tuple[bool, bool]:
    """Tell of each side whether its rows are distributions."""
    one, other = (head.choices.normalizer in DISTRIBUTIONS for head in contrast.heads)
    return one, other


def or_none(value: float, t: Words, digits: int) -> str:
    """Write a number; what is not defined is "n/a", what is too small for the digits is said so."""
    if math.isnan(value):
        return t("bench.undefined")
    if 0 < abs(value) < 0.5 * 10**-digits:
        return magnitude(value)
    return number(round(value, 12), digits)


def written_table(rows: Iterable[Iterable[float]], t: Words, digits: int) -> list[list[str]]:
    """Write a table with the same decimals in each cell; what is not defined is "n/a"."""
    values = [[round(float(value), 12) for value in row] for row in rows]
    numbers = [[0.0 if math.isnan(value) else value for value in row] for row in values]
    cells = table(numbers, digits)
    return [
        [
            t("bench.undefined") if math.isnan(value) else text
            for value, text in zip(*row, strict=True)
        ]
        for row in zip(values, cells, strict=True)
    ]


def _written(value: Finding, t: Words, digits: int) -> str:
    if isinstance(value, tuple):
        return subscript(value[0]) if len(value) == 1 else pair(*value)
    if isinstance(value, np.ndarray):
        return short_vector(value, t, digits)
    return str(value) if isinstance(value, int) else or_none(value, t, digits)


def short_vector(values: Shaped[np.ndarray, " n"], t: Words, digits: int) -> str:
    """Write a vector, of a long one its first numbers and its last."""
    if np.isnan(values).any():
        return t("bench.undefined")
    written: Sequence[str] = table([np.round(values, 12)], digits)[0]
    if len(written) > MOST_NUMBERS:
        written = [*written[:_KEPT], "…", written[-1]]
    return f"({', '.join(written)})"
