"""Switches every head of a model off in turn, and measures what each is worth on one text."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from attnviz.errors import InputError
from attnviz.models.editing.changes import relative
from attnviz.models.editing.edits import Edit
from attnviz.models.editing.sloping import Gates, slopes_of_loss, slopes_of_vectors
from attnviz.models.editing.worth import MOST_SLOPED, PerLayer, Worth, worth_of
from attnviz.models.model import Model
from attnviz.models.recorder import numbers

Progress = Callable[[str, float], None]


class Ablation:
    """One text on one model: what comes as the model is, and without each of its heads."""

    def __init__(
        self,
        model: Model,
        text: "str | np.ndarray",
        text_pair: str | None = None,
        target: str | None = None,
        *,
        window: int | None = None,
    ) -> None:
        if model.tier != "exact":
            raise InputError("models.no_ablation", name=model.name)
        if window is not None and isinstance(text, str) and text_pair is None:
            text, _ = model._part(text, window)
        self._model = model
        self._inputs = model._given(text, text_pair, target).inputs
        with torch.inference_mode():
            self.counts, self.loss, self._plain = _run(model, self._inputs, ())

    def slopes(self, progress: Callable[[float], None]) -> PerLayer:
        """Run the model backwards; none of a text of more than MOST_SLOPED tokens."""
        return _slopes(self._model, self._inputs, progress)

    def without(self, layer: int, head: int) -> tuple[float, float]:
        """Run the model without a head: how far the last vectors move, and its loss, NaN if none.

        Layers and heads count from 0.
        """
        edit = Edit(kind="off", layer=layer, head=head)
        with torch.inference_mode():
            _, loss, vectors = _run(self._model, self._inputs, (edit,))
        moved = float(relative(self._plain, vectors).mean())
        return moved, np.nan if loss is None else loss


def worth(
    model: Model,
    text: "str | np.ndarray",
    text_pair: str | None = None,
    target: str | None = None,
    *,
    window: int | None = None,
    progress: Progress | None = None,
) -> Worth:
    """Run the model once as it is, once backwards, and once without each head.

    `progress` is told "slope", then "ablate", and the share of runs that are done.

    Raises:
        InputError: if the model cannot read the text, or nothing can be changed in it.
    """
    tell = progress or (lambda stage, share: None)
    found = Ablation(model, text, text_pair, target, window=window)
    slopes = found.slopes(lambda share: tell("slope", share))
    runs, total = [], sum(found.counts)
    for layer, n_heads in enumerate(found.counts):
        for head in range(n_heads):
            tell("ablate", len(runs) / total)
            runs.append(found.without(layer, head))
    return worth_of(found.counts, found.loss, runs, slopes)


def _run(
    model: Model, inputs: dict[str, Any], edits: tuple[Edit, ...]
) -> tuple[list[int], float | None, np.ndarray]:
    """Give how many heads each layer has, the loss, and the last vectors."""
    recorder = model._recorder(edits)
    with recorder.recording():
        loss, last = _outcome(model, inputs)
    if not recorder.layers:
        raise InputError("models.nothing_recorded", name=model.name)
    counts = [layer.n_heads for layer in recorder.layers]
    return counts, None if loss is None else float(loss), numbers(last)


def _slopes(
    model: Model, inputs: dict[str, Any], progress: Callable[[float], None]
) -> tuple[np.ndarray, ...]:
    """Give the slope at the gate of each head: of the loss, or of the last vectors without one."""
    if max(each.shape[1] for name, each in inputs.items() if each.ndim > 1) > MOST_SLOPED:
        return ()
    gates = Gates()
    with torch.inference_mode(False), torch.enable_grad(), gates.recording():
        progress(0.0)
        loss, last = _outcome(model, inputs)
        if loss is None:
            return slopes_of_vectors(last, gates.gates, progress)
        return slopes_of_loss(loss, gates.gates)


def _outcome(model: Model, inputs: dict[str, Any]) -> tuple[torch.Tensor | None, torch.Tensor]:
    """Run the model; give its loss where it predicts, and its last vectors, (query, d)."""
    known = inspect.signature(type(model.network).forward).parameters
    plain = {"use_cache": False} if "use_cache" in known else {}
    out = model.network(**inputs, **plain, output_hidden_states=True)
    last = getattr(out, "last_hidden_state", None)
    if last is None:
        last = (getattr(out, "decoder_hidden_states", None) or out.hidden_states)[-1]
    return _loss(model, out, inputs), last[0]


def _loss(model: Model, out: Any, inputs: dict[str, Any]) -> torch.Tensor | None:
    """Give the mean −ln p of each next token, None where the model predicts none."""
    logits = getattr(out, "logits", None)
    ids = inputs.get("decoder_input_ids", inputs.get("input_ids"))
    predicts = model.kind in ("causal", "encoder_decoder")
    if logits is None or ids is None or not predicts or ids.shape[1] < 2:
        return None
    exact = logits[0, :-1].to(torch.promote_types(logits.dtype, torch.float32))
    return torch.nn.functional.cross_entropy(exact, ids[0, 1:])
