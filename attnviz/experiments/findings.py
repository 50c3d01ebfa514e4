"""The numbers that an experiment is about, by the names that its sentences call them.

A number is a number; a whole number counts something; an array is a vector to be written out; a
tuple is the index of a token, or of a query and a key, counted from 0.
"""

import numpy as np

from attnviz.attention import HeadTrace
from attnviz.experiments.contrast import Contrast
from attnviz.lessons.twins import twins
from attnviz.scene import Scene

Finding = float | int | np.ndarray | tuple[int, ...]


def findings(contrast: Contrast) -> dict[str, Finding]:
    """Collect what may be said about the row in hand, before and after the change."""
    scene, i = contrast.one, contrast.one.query
    partner = 0 if i else min(1, len(scene.tokens) - 1)
    best = int(contrast.heads[0].weights[i].argmax())
    where: dict[str, Finding] = {
        "i": (i,),
        "place": i + 1,
        "partner": partner + 1,
        "best": (i, best),
        "best_key": (best,),
        "pair": (i, partner),
        "mirror": (partner, i),
        "n_tokens": len(scene.tokens),
        "d_k": scene.projections.d_k,
    }
    sides = zip(("before", "after"), contrast.heads, (contrast.one, contrast.other), strict=True)
    for when, head, side in sides:
        found = _of_head(head, i, best, partner) | {"twins": _twins(side)}
        where |= {f"{name}_{when}": value for name, value in found.items()}
    for name, values in (("entropy", contrast.entropies), ("effective", contrast.effective)):
        where |= {f"{name}_before": float(values[0][i]), f"{name}_after": float(values[1][i])}
    return where | _changes(contrast, i)


def _of_head(head: HeadTrace, i: int, best: int, partner: int) -> dict[str, Finding]:
    weights, scores, seen = head.weights, head.scores, np.isfinite(head.masked_scores)
    return {
        "top": float(weights[i].max()),
        "weight_best": float(weights[i, best]),
        "score_best": float(scores[i, best]),
        "score_pair": float(scores[i, partner]),
        "score_mirror": float(scores[partner, i]),
        "weight_pair": float(weights[i, partner]),
        "weight_mirror": float(weights[partner, i]),
        "score_least": float(scores[i].min()),
        "score_most": float(scores[i].max()),
        "weights": weights[i],
        "output": head.output[i],
        "value_best": head.value[best],
        "value_mean": head.value[seen[i]].mean(axis=0) if seen[i].any() else 0 * head.value[0],
        "sum": float(weights[i].sum()),
        "sums": weights.sum(axis=1),
        "zeros": int(((weights == 0) & seen).sum()),
        "temperature": float(head.choices.temperature),
        "lost": int((~weights.any(axis=1)).sum()),
        "seen": int(seen[i].sum()),
        "most_entropy": float(np.log(max(1, seen[i].sum()))),
        "own_top": _own_top(weights),
        "naive": _over_sum(head.masked_scores[i]),
    }


def _own_top(weights: np.ndarray) -> int:
    """Count the rows in which the token's own key has the largest weight, alone or with others."""
    return int((weights.diagonal() == weights.max(axis=1)).sum())


def _over_sum(scores: np.ndarray) -> np.ndarray:
    """Divide scores by their sum, as no normalizer does; NaN where the sum is 0."""
    seen = np.where(np.isfinite(scores), scores, 0)
    total = seen.sum()
    return seen / total if total else np.full_like(seen, np.nan)


def _twins(scene: Scene) -> float:
    """Give how far the outputs of two equal tokens are apart; NaN where no two are equal."""
    found = twins(scene.trace.inputs, scene.trace.output)
    return float("nan") if found is None else found.difference


def _changes(contrast: Contrast, i: int) -> dict[str, Finding]:
    one, other = contrast.heads
    distances = contrast.distances
    sums, renormalised = contrast.masked_afterwards()
    same_width = one.query.shape == other.query.shape
    moved = np.abs(other.query - one.query).max() if same_width else np.nan
    return {
        "moved": float("nan") if distances is None else float(distances[i]),
        "still": 0 if distances is None else int((distances == 0).sum()),
        "queries_moved": float(moved),
        "scores_moved": float(np.abs(other.scores - one.scores).max()),
        "weights_moved": float(np.abs(contrast.weights_change).max()),
        "afterwards": sums,
        "afterwards_difference": float(np.abs(renormalised - other.weights).max()),
    }
