"""Finds the matrix W^O of a layer while a model reads: the one that takes what the heads give.

No names are asked. It is the linear map that is given the heads' outputs, number for number, right
after they were computed; where something comes between, as a gate, there is none to be told. A
normalization belongs to the layer where it takes the sum of what the map gives and of what the
layer itself read.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from transformers.pytorch_utils import Conv1D

from attnviz.errors import InputError
from attnviz.models.editing.edits import check_place
from attnviz.models.hooked import CATCHING, again
from attnviz.models.layers import Layer
from attnviz.models.outputs import OutputMatrix
from attnviz.models.recorder import ACTIVE, numbers

_LINEAR = (torch.nn.Linear, Conv1D)
_INPUTS = 4
"""How many inputs of linear maps before a layer are kept: that of its queries is among the last."""

WATCHING: ContextVar["_Watch | None"] = ContextVar("attnviz_watch", default=None)


@dataclass(eq=False)
class _Watch:
    """What was seen around one layer of a pass."""

    layer: int
    before: list[torch.Tensor] = field(default_factory=list)
    found: torch.nn.Module | None = None
    given: torch.Tensor | None = None
    made: torch.Tensor | None = None
    norm: torch.nn.LayerNorm | None = None
    past: torch.Tensor | None = None
    over: bool = False

    def see(self, module: torch.nn.Module, given: torch.Tensor, made: torch.Tensor) -> None:
        """Look at one module that has just run."""
        recorder = ACTIVE.get() or CATCHING.get()
        if recorder is None or self.over:
            return
        done = len(recorder.layers)
        linear = isinstance(module, _LINEAR)
        if done == self.layer and linear:
            self.before = [*self.before, given][-_INPUTS:]
        elif done == self.layer + 1:
            if self.found is None:
                if linear and _is_output(given, recorder.layers[self.layer]):
                    self.found, self.given, self.made = module, given, made
            elif isinstance(module, torch.nn.LayerNorm):
                self._see_norm(module, given)
        elif done > self.layer + 1:
            self.over = True

    def _see_norm(self, module: torch.nn.LayerNorm, given: torch.Tensor) -> None:
        """Keep the first normalization after the layer, where it takes the layer's own sum."""
        self.over = True
        if self.made is None or given.shape != self.made.shape or module.weight is None:
            return
        for read in reversed(self.before):
            if read.shape == given.shape and _close(given, read + self.made):
                self.norm, self.past = module, read
                return


def output_matrix(model: Any, layer: int, texts: Sequence[Any], **asked: Any) -> OutputMatrix:
    """Run the model once more on its texts, and give what the layer does with its heads.

    `texts` and `asked` are what `Model.capture` takes.

    Raises:
        InputError: if the model has no such layer, or its W^O cannot be told.
    """
    if model.tier == "weights":
        raise InputError("models.no_output_matrix", name=model.name, layer=layer)
    watch, known = _Watch(layer), ()
    if model.tier != "exact":  # what the heads put out is known after a pass alone
        known = model.capture(*texts, **asked).layers
        watch = _Watch(sum(each.witness is not None for each in known[: max(layer, 0)]))
    with _watching(model.network, watch), again(known):
        captured = model.capture(*texts, **asked)
    check_place(layer, 0, [each.n_heads for each in captured.layers])
    found = _read(watch, captured.layers[layer])
    if found is None:
        raise InputError("models.no_output_matrix", name=model.name, layer=layer)
    return found


@contextmanager
def _watching(network: torch.nn.Module, watch: _Watch) -> Iterator[None]:
    """Let modules tell what they are given and make; passes of other threads are not looked at."""

    def tell(module: torch.nn.Module, given: tuple[Any, ...], made: Any) -> None:
        if WATCHING.get() is watch and given and isinstance(given[0], torch.Tensor):
            watch.see(module, given[0], made)

    kinds = (*_LINEAR, torch.nn.LayerNorm)
    hooks: list[Any] = [
        module.register_forward_hook(_quiet(tell))
        for module in network.modules()
        if isinstance(module, kinds)
    ]
    token = WATCHING.set(watch)
    try:
        yield
    finally:
        WATCHING.reset(token)
        for hook in hooks:
            hook.remove()


def _quiet(tell: Callable[..., None]) -> Callable[..., None]:
    """Make a hook that leaves what was made as it is."""

    def hook(module: torch.nn.Module, given: tuple[Any, ...], made: Any) -> None:
        tell(module, given, made)

    return hook


def _is_output(given: torch.Tensor, layer: Layer) -> bool:
    """Tell whether a module is given what the heads put out, as the last query shows."""
    witness = layer.witness
    if witness is None or given.shape[-1] != witness.size:
        return False
    heads = numbers(given.reshape(-1, given.shape[-1])[-1]).reshape(witness.shape)
    alike = np.isclose(heads, witness, rtol=1e-5, atol=1e-7).all(axis=1)
    silent = ~heads.any(axis=1)
    return bool((alike | silent).all()) and bool(alike.any() or silent.all())


def _read(watch: _Watch, layer: Layer) -> OutputMatrix | None:
    """Take the weights out, once they make of the heads' outputs what the model made of them."""
    module, given, made = watch.found, watch.given, watch.made
    if module is None or given is None or made is None or layer.value is None:
        return None
    weight: torch.Tensor = module.get_parameter("weight").detach()
    matrix = weight.T if isinstance(module, torch.nn.Linear) else weight
    bias: torch.Tensor | None = getattr(module, "bias", None)
    again = given @ matrix + (0 if bias is None else bias)
    if matrix.shape[0] != given.shape[-1] or not _close(again, made):
        return None
    norm, past = watch.norm, watch.past
    more = {}
    if norm is not None and past is not None:
        more = {
            "residual": numbers(past[0]),
            "scale": numbers(norm.weight),
            "shift": numbers(torch.zeros_like(norm.weight) if norm.bias is None else norm.bias),
            "epsilon": float(norm.eps),
        }
    return OutputMatrix(
        matrix=numbers(matrix.contiguous()).reshape(layer.n_heads, -1, matrix.shape[1]),
        bias=None if bias is None else numbers(bias),
        **more,
    )


def _close(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Tell whether two are equal but for rounding."""
    apart = (one.float() - other.float()).abs().max()
    return bool(apart <= torch.finfo(other.dtype).eps ** 0.5 * other.float().abs().max())
