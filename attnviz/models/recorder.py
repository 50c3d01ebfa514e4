"""What one attention call is made of, and the recorder that writes every call of a pass down."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from attnviz.errors import InputError
from attnviz.models.editing.edited_calls import edited_mask, even_bias, even_queries, without_sinks
from attnviz.models.editing.edits import Edit, LayerEdits, of_layer
from attnviz.models.layers import Layer
from attnviz.models.visible import Bias, Visible

FAST, OWN = "attnviz", "attnviz_own"
"""Names of our attention in transformers: the fused kernel, or the model's own eager function."""

# What a model may pass beside queries, keys and values without being more than plain attention;
# of everything else its own eager function knows the meaning.
_PLAIN = {
    "is_causal",
    "position_bias",
    "sliding_window",
    "position_ids",
    "cache_position",
    "use_cache",
    "output_attentions",
    "output_hidden_states",
    "return_dict",
    "deterministic",
}
_CROSS = ("encoder_attn", "encdecattention", "crossattention", "cross_attn", "cross_attention")
_HIDDEN = -1e30
"""Scores lowered by more than this are masked, whatever least number a model uses."""

ACTIVE: ContextVar["Recorder | None"] = ContextVar("attnviz_recorder", default=None)
"""The recorder of this thread: sessions that share a model never see each other's calls."""


class Call:
    """One attention layer about to be computed, as transformers hands it over."""

    def __init__(
        self,
        module: torch.nn.Module,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        mask: torch.Tensor | None,
        scaling: float | None,
        extras: Mapping[str, Any],
    ) -> None:
        self.module, self.query, self.key, self.value = module, query, key, value
        self.mask, self.scaling, self.extras = mask, scaling, extras
        self.edits = LayerEdits()
        self.own: Call | None = None

    def changed(self, edits: LayerEdits, *, themselves: bool) -> "Call":
        """Give this call with heads made even, edges cut and tokens masked.

        Its `own` is the call before edges and tokens were hidden.
        """
        n_heads, extras = self.query.shape[1], dict(self.extras)
        if extras.get("position_bias") is not None:
            extras["position_bias"] = even_bias(extras["position_bias"], edits.even, n_heads)
        if self.sinks is not None:
            extras["s_aux"] = without_sinks(self.sinks, edits.even, n_heads)
        query = even_queries(self.query, edits.even)
        mask = even_bias(self.mask, edits.even, n_heads)
        rest = self.scaling, extras
        own = Call(self.module, query, self.key, self.value, mask, *rest)
        if edits.cuts or edits.masked:
            mask = edited_mask(own.whole_mask(), edits, n_heads, themselves=themselves)
        made = Call(self.module, query, self.key, self.value, mask, *rest)
        made.edits, made.own = edits, own
        return made

    @property
    def scale(self) -> float:
        """What the scores are multiplied by."""
        return self.query.shape[-1] ** -0.5 if self.scaling is None else float(self.scaling)

    @property
    def sinks(self) -> torch.Tensor | None:
        """One score for each head that takes a share of the weights, None without."""
        return self.extras.get("s_aux")

    @property
    def causal(self) -> bool:
        """True where no mask is given because the kernel is told to hide what comes later."""
        asked = self.extras.get("is_causal")
        causal = getattr(self.module, "is_causal", True) if asked is None else asked
        implementation = getattr(getattr(self.module, "config", None), "_attn_implementation", FAST)
        return (
            implementation != OWN and self.mask is None and self.query.shape[2] > 1 and bool(causal)
        )

    @property
    def plain(self) -> bool:
        """True where the fused kernel computes the same as the model's own function."""
        given = {name for name, value in self.extras.items() if value is not None}
        return given <= _PLAIN

    def whole_mask(self) -> torch.Tensor:
        """Give the mask (batch, head, query, key), written out where it was only a rule."""
        n_query, n_key = self.query.shape[2], self.key.shape[2]
        if self.mask is not None:
            return self.mask.expand(-1, -1, n_query, n_key)
        every = torch.ones(n_query, n_key, dtype=torch.bool, device=self.query.device)
        return (every.tril() if self.causal else every)[None, None]

    def additive_mask(self) -> torch.Tensor | None:
        """Give the mask as numbers to add, which is what eager functions want."""
        allowed = self.whole_mask() if self.causal else self.mask
        if allowed is None or allowed.dtype != torch.bool:
            return allowed
        least = torch.finfo(self.query.dtype).min
        return torch.zeros((), dtype=self.query.dtype).where(allowed, least)


class Recorder:
    """Writes the attention layers of one forward pass down, in the order of their calls."""

    def __init__(
        self,
        names: Mapping[int, str],
        *,
        two_stacks: bool = False,
        edits: Sequence[Edit] = (),
        n_before: int | None = None,
    ) -> None:
        """`n_before` is how many tokens were read earlier, None where all are read at once."""
        self.layers: list[Layer] = []
        self._names, self._two_stacks, self._edits = names, two_stacks, tuple(edits)
        self._n_before = n_before
        self._numbers: dict[str, int] = {}
        # Layers share one mask and one bias: each is read once. The tensor is kept beside what was
        # read of it, so that no other can get its id.
        self._read: dict[tuple[int, int, int], tuple[torch.Tensor | None, Any]] = {}

    @contextmanager
    def recording(self) -> Iterator["Recorder"]:
        """Record what this thread runs until the block ends."""
        token = ACTIVE.set(self)
        try:
            yield self
        finally:
            ACTIVE.reset(token)

    def changed(self, call: Call) -> Call:
        """Give the next call as it is to be computed: as it is, or with the edits of its layer."""
        if not self._edits:
            return call
        kind = self._kind(*self._named(call))
        (n_heads, n_query), n_key = call.query.shape[1:3], call.key.shape[2]
        own = n_key - n_query if self._n_before is None else self._n_before
        first, gone = (0, 0) if kind == "cross" else (own, own + n_query - n_key)
        edits = of_layer(self._edits, len(self.layers), kind)
        edits = edits.within(n_heads, n_query, n_key, first, gone)
        return call.changed(edits, themselves=kind != "cross") if edits else call

    def keep(self, call: Call, out: torch.Tensor) -> torch.Tensor:
        """Write one call down, and silence the heads that are to be silenced."""
        if call.query.shape[0] != 1:
            raise InputError("models.several_at_once", n=call.query.shape[0])
        name, of_class = self._named(call)
        kind = self._kind(name, of_class)
        number = self._numbers[kind] = self._numbers.get(kind, -1) + 1
        visible, bias = self._visible_and_bias(call.own or call)
        layer = Layer(
            name=name,
            kind=kind,
            number=number,
            visible=call.edits.seen(visible, kind),
            bias=bias,
            query=numbers(call.query[0]),
            key=numbers(call.key[0]),
            value=numbers(call.value[0]),
            scale=call.scale,
            soft_cap=call.extras.get("softcap"),
            sinks=None if call.sinks is None else numbers(call.sinks.reshape(-1)),
        )
        out = _without_sinks(out, layer, call)
        witness, off = numbers(out[0, -1].clone()), call.edits.off
        self.layers.append(replace(layer, witness=witness, silent=off))
        if off:
            out = out.clone()
            out[:, :, list(off)] = 0
        return out

    def _named(self, call: Call) -> tuple[str, str]:
        of_class = type(call.module).__name__
        return self._names.get(id(call.module), of_class), of_class

    def _kind(self, name: str, of_class: str) -> str:
        if not self._two_stacks:
            return "self"
        path = f"{name}.{of_class}".lower()
        if any(sign in path for sign in _CROSS):
            return "cross"
        return "decoder" if "decoder" in path.split(".") else "encoder"

    def _visible_and_bias(self, call: Call) -> tuple[Visible, Bias | None]:
        visible, bias = self._once(call.mask, call, lambda mask: _mask_read(mask, call))
        added = call.extras.get("position_bias")
        if added is None:
            return visible, bias
        if bias is None:
            return visible, self._once(added, call, lambda table: Bias.of(numbers(table[0])))
        every = np.arange(visible.n_query), slice(0, visible.n_key)
        table = np.stack([bias.rows(*every, head) for head in range(call.query.shape[1])])
        return visible, Bias.of(np.add(table, numbers(added[0])))

    def _once(self, tensor: torch.Tensor | None, call: Call, read: Callable) -> Any:
        n_query, n_key = call.query.shape[2], call.key.shape[2]
        place = (-int(call.causal) - 1 if tensor is None else id(tensor), n_query, n_key)
        if place not in self._read:
            self._read[place] = (tensor, read(tensor))
        return self._read[place][1]


def numbers(tensor: torch.Tensor) -> np.ndarray:
    """Give a tensor as a read-only array; halves become float32."""
    tensor = tensor.detach().cpu()
    array = (tensor.float() if tensor.dtype in (torch.bfloat16, torch.float16) else tensor).numpy()
    array.setflags(write=False)
    return array


def _without_sinks(out: torch.Tensor, layer: Layer, call: Call) -> torch.Tensor:
    """Give even heads what they pass on without the sinks, which a model may add by itself."""
    if layer.sinks is None or not call.edits.even:
        return out
    out = out.clone()
    for head in call.edits.even:
        out[0, :, head] = torch.from_numpy(layer.output(head).copy()).to(out.dtype)
    return out


def _mask_read(mask: torch.Tensor | None, call: Call) -> tuple[Visible, Bias | None]:
    """Part a mask into who may see whom and what is added to the scores."""
    n_query, n_key = call.query.shape[2], call.key.shape[2]
    if mask is None:
        return Visible(n_query=n_query, n_key=n_key, ahead=0 if call.causal else None), None
    table = numbers(mask[0]) if mask.dtype == torch.bool else numbers(mask[0].float())
    table = np.broadcast_to(table, (len(table), n_query, n_key))
    if table.dtype == np.bool_:
        return Visible.of(table), None
    allowed = table > _HIDDEN
    return Visible.of(allowed), Bias.of(np.where(allowed, table, 0))
