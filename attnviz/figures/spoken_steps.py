"""Each step from the inputs to the output as one sentence."""

from collections.abc import Callable

import numpy as np

from attnviz.figures.spoken_words import Voice
from attnviz.scene import Scene
from attnviz.text import Words

_MOST_KEYS = 6  # of a row whose numbers are all said
_MOST_VECTORS = 4


def say_step(scene: Scene, step: str, t: Words, digits: int = 2) -> str:
    """Say what one step does for the token that asks, with its numbers.

    Raises:
        ValueError: if there is no such step.
    """
    if step not in _STEPS:
        raise ValueError(f"step must be one of {', '.join(_STEPS)}, got {step!r}; choose one")
    voice = Voice(t, digits)
    if step in _NEED_KEYS and scene.trace.head(scene.head).empty_rows[scene.query]:
        said = t("say.step.empty", token=voice.token(scene.tokens, scene.query))
        return voice.sentences(said)
    values = _STEPS[step](scene, step, voice)
    token = voice.token(scene.tokens, scene.query)
    return voice.sentences(t(f"say.step.{_kind(scene, step)}", token=token, **values))


def _kind(scene: Scene, step: str) -> str:
    if step == "output" and scene.trace.n_heads == 1:
        return "one_output"
    if step == "masked_scores" and scene.trace.bias is not None:
        return "biased_scores" if scene.mask is None else "masked_and_biased"
    return step


def _vector(scene: Scene, step: str, voice: Voice) -> dict[str, object]:
    layer, head = scene.trace, scene.trace.head(scene.head)
    tables = {"encoded_inputs": layer.encoded_inputs, "query": head.query, "output": layer.output}
    numbers = voice.vector(tables.get(step, head.output)[scene.query].tolist())
    return {"numbers": numbers, "count": layer.n_query, "n_heads": layer.n_heads}


def _row(scene: Scene, step: str, voice: Voice) -> dict[str, object]:
    """Say the number of every key, of a long row only the largest."""
    row = getattr(scene.trace.head(scene.head), step)[scene.query]
    entries = [
        _entry(voice, voice.token(scene.tokens, key), number)
        for key, number in enumerate(row.tolist())
    ]
    if len(entries) > _MOST_KEYS:
        best = int(row.argmax())
        said = {"token": voice.token(scene.tokens, best), "number": voice.number(row[best])}
        entries = [voice.t("say.step.largest", **said)]
    rows = voice.t("say.semicolon").join(entries)
    return {"rows": rows, "factor": voice.constant(scene.trace.scale)}


def _entry(voice: Voice, token: str, number: float) -> str:
    if np.isneginf(number):
        return voice.t("say.hidden", token=token)
    return voice.t("say.entry", token=token, number=voice.number(number))


def _table(scene: Scene, step: str, voice: Voice) -> dict[str, object]:
    """Say the vector of every token, of many only that of the token that asks."""
    vectors = getattr(scene.trace.head(scene.head), step).tolist()
    if len(vectors) > _MOST_VECTORS:
        token = voice.token(scene.tokens, scene.query)
        rows = voice.t("say.step.own", token=token, numbers=voice.vector(vectors[scene.query]))
        return {"rows": rows, "count": len(vectors)}
    entries = [
        voice.t("say.entry", token=voice.token(scene.tokens, key), number=voice.vector(vector))
        for key, vector in enumerate(vectors)
    ]
    return {"rows": voice.t("say.semicolon").join(entries), "count": len(vectors)}


_NEED_KEYS = frozenset({"masked_scores", "weights", "head_outputs"})

_STEPS: dict[str, Callable[[Scene, str, Voice], dict[str, object]]] = {
    "encoded_inputs": _vector,
    "query": _vector,
    "key": _table,
    "scores": _row,
    "scaled_scores": _row,
    "masked_scores": _row,
    "weights": _row,
    "value": _table,
    "head_outputs": _vector,
    "together": _vector,
    "output": _vector,
}
