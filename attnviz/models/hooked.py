"""Queries, keys and values of models that call their attention by themselves, caught by hooks.

A module with a map for each of the three, or one map for all of them, is taken for an attention
layer. What its maps make is kept, and what linear maps are given right after: what the heads put
out is among that. `rebuilt.py` finds out what of it can be trusted.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

import torch
from transformers.pytorch_utils import Conv1D

from attnviz.models.layers import Layer

SEPARATE = (
    ("query", "key", "value"),
    ("q_proj", "k_proj", "v_proj"),
    ("query_proj", "key_proj", "value_proj"),
    ("q_lin", "k_lin", "v_lin"),
    ("q", "k", "v"),
)
"""Names of the maps that make queries, keys and values."""
FUSED = ("query_key_value", "Wqkv", "c_attn", "qkv", "in_proj")
"""Names of a map that makes all three at once."""

_LINEAR = (torch.nn.Linear, Conv1D)
_BEHIND = 4
"""Inputs of linear maps that are kept after a layer's own: maps of positions may come between."""

CATCHING: ContextVar["Catcher | None"] = ContextVar("attnviz_catcher", default=None)
"""The catcher of this thread: sessions that share a model never see each other's calls."""

KNOWN: ContextVar[Sequence[Layer]] = ContextVar("attnviz_known", default=())
"""The layers of an earlier pass of this thread on the same input, see `Catcher`."""


@dataclass(eq=False)
class Caught:
    """One call of an attention layer: what it was given, what its maps made, and what came next."""

    name: str
    module: torch.nn.Module
    wanted: tuple[str, ...]
    arguments: dict[str, Any]
    made: dict[str, torch.Tensor] = field(default_factory=dict)
    behind: list[torch.Tensor] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """True once every map of the layer has run."""
        return len(self.made) == len(self.wanted)


class Catcher:
    """Keeps what the attention layers of one forward pass are made of, in the order of their calls.

    `known` are the layers of an earlier pass on the same input: then `layers` grows by the next
    of them as soon as its maps have run, as those of a Recorder do.
    """

    def __init__(self, network: torch.nn.Module, known: Sequence[Layer] = ()) -> None:
        self.calls: list[Caught] = []
        self._network, self._known = network, tuple(known)

    @property
    def layers(self) -> list[Layer]:
        """The known layers that have run so far."""
        left, ran = list(self._known), []
        for call in self.calls:
            place = next((at for at, each in enumerate(left) if each.name == call.name), None)
            if call.complete and place is not None:
                ran.append(left.pop(place))
        return ran

    @contextmanager
    def catching(self) -> Iterator["Catcher"]:
        """Catch what this thread runs until the block ends; every hook is gone then."""
        token, hooks = CATCHING.set(self), []
        try:
            for hook in self._hooks():
                hooks.append(hook)
            yield self
        finally:
            CATCHING.reset(token)
            for hook in hooks:
                hook.remove()

    def _hooks(self) -> Iterator[Any]:
        own = set()
        for name, module, wanted in sites(self._network):
            yield module.register_forward_pre_hook(self._opens(name, wanted), with_kwargs=True)
            for child in wanted:
                own.add(id(module.get_submodule(child)))
                yield module.get_submodule(child).register_forward_hook(self._keeps(module, child))
        for module in self._network.modules():
            if isinstance(module, _LINEAR) and id(module) not in own:
                yield module.register_forward_hook(self._looks)

    def _opens(self, name: str, wanted: tuple[str, ...]) -> Any:
        def hook(module: torch.nn.Module, given: tuple[Any, ...], named: dict[str, Any]) -> None:
            if CATCHING.get() is self:
                self.calls.append(Caught(name, module, wanted, _named(module, given, named)))

        return hook

    def _keeps(self, owner: torch.nn.Module, child: str) -> Any:
        def hook(_module: torch.nn.Module, _given: tuple[Any, ...], made: Any) -> None:
            if CATCHING.get() is not self or not self.calls or self.calls[-1].module is not owner:
                return
            if isinstance(made, torch.Tensor):  # a map that is used again has made positions
                self.calls[-1].made.setdefault(child, made)

        return hook

    def _looks(self, _module: torch.nn.Module, given: tuple[Any, ...], _made: Any) -> None:
        if CATCHING.get() is not self or not self.calls or not given:
            return
        call = self.calls[-1]
        if call.complete and len(call.behind) < _BEHIND and isinstance(given[0], torch.Tensor):
            call.behind.append(given[0])


@contextmanager
def again(known: Sequence[Layer]) -> Iterator[None]:
    """Let the catchers of this thread know what an earlier pass on the same input gave."""
    token = KNOWN.set(known)
    try:
        yield
    finally:
        KNOWN.reset(token)


def _named(
    module: torch.nn.Module, given: tuple[Any, ...], named: dict[str, Any]
) -> dict[str, Any]:
    """Give what a module is called with by the names of its parameters."""
    try:
        arguments = dict(signature(module.forward).bind_partial(*given, **named).arguments)
    except TypeError:  # a name of an earlier version, which the module still understands
        return named
    return arguments | arguments.pop("kwargs", {})


def sites(network: torch.nn.Module) -> Iterator[tuple[str, torch.nn.Module, tuple[str, ...]]]:
    """List name, module and names of the maps of every module that is taken for a layer."""
    for name, module in network.named_modules():
        children = dict(module.named_children())
        for wanted in (*SEPARATE, *((each,) for each in FUSED)):
            if all(isinstance(children.get(each), _LINEAR) for each in wanted):
                yield name, module, wanted
                break
