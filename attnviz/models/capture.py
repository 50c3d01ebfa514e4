"""The function that transformers calls for every attention layer.

It is registered under two names, chosen when a model is loaded: FAST takes the fused kernel where
a layer is plain attention, OWN always the model's own eager function.
"""

import sys
from collections.abc import Callable
from typing import Any

import torch
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import repeat_kv, sdpa_attention_forward
from transformers.masking_utils import eager_mask, sdpa_mask

from attnviz.models.recorder import ACTIVE, FAST, OWN, Call


def fast(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    **extras: Any,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Attend with the fused kernel, or as the model itself does where a layer is more than that."""
    call = _changed(Call(module, query, key, value, attention_mask, scaling, extras))
    if not call.plain:
        return _eager(call, dropout)
    out, _ = sdpa_attention_forward(
        module, call.query, key, value, call.mask, dropout=dropout, scaling=scaling, **call.extras
    )
    return _kept(call, out), None


def own(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    **extras: Any,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Attend as the model itself does."""
    call = Call(module, query, key, value, attention_mask, scaling, extras)
    return _eager(_changed(call), dropout)


def register() -> None:
    """Tell transformers both names, for attention and for masks."""
    for name, function, mask in ((FAST, fast, _fast_mask), (OWN, own, eager_mask)):
        AttentionInterface.register(name, function)
        AttentionMaskInterface.register(name, mask)


def _fast_mask(*arguments: Any, dtype: torch.dtype | None = None, **options: Any) -> Any:
    return sdpa_mask(*arguments, **options)


def _changed(call: Call) -> Call:
    recorder = ACTIVE.get()
    return call if recorder is None else recorder.changed(call)


def _kept(call: Call, out: torch.Tensor) -> torch.Tensor:
    recorder = ACTIVE.get()
    return out if recorder is None else recorder.keep(call, out)


def _eager(call: Call, dropout: float) -> tuple[torch.Tensor, torch.Tensor | None]:
    function = _own_eager(call.module) or _plain_eager
    out, weights = function(
        call.module,
        call.query,
        call.key,
        call.value,
        call.additive_mask(),
        scaling=call.scaling,
        dropout=dropout,
        **call.extras,
    )
    return _kept(call, out), weights


def _own_eager(module: torch.nn.Module) -> Callable | None:
    """Find the eager function in the file of the module's class, or of a class it is made from."""
    for each in type(module).__mro__:
        names = vars(sys.modules.get(each.__module__, object))
        found = [names[name] for name in names if name.endswith("eager_attention_forward")]
        if found:
            return names.get("eager_attention_forward", found[0])
    return None


def _plain_eager(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    **_: Any,
) -> tuple[torch.Tensor, torch.Tensor]:
    groups = query.shape[1] // key.shape[1]
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    scores = query @ repeat_kv(key, groups).transpose(2, 3) * scale
    weights = (scores if attention_mask is None else scores + attention_mask).softmax(dim=-1)
    return (weights @ repeat_kv(value, groups)).transpose(1, 2).contiguous(), weights


register()
