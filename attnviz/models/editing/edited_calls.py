"""Carries the edits of one layer out on what its attention is computed from, in torch."""

import torch

from attnviz.models.editing.edits import EVERY_HEAD, LayerEdits

_HIDDEN = -1e30


def even_queries(query: torch.Tensor, heads: tuple[int, ...]) -> torch.Tensor:
    """Give some heads queries of zeros, (batch, head, query, d_k): every score of theirs is 0."""
    if not heads:
        return query
    query = query.clone()
    query[:, list(heads)] = 0
    return query


def even_bias(
    bias: torch.Tensor | None, heads: tuple[int, ...], n_heads: int
) -> torch.Tensor | None:
    """Take from some heads what is added to their scores; what hides a key stays."""
    if bias is None or bias.dtype == torch.bool or not heads:
        return bias
    bias = bias.expand(-1, n_heads, -1, -1).clone()
    chosen = list(heads)
    bias[:, chosen] = bias[:, chosen].where(bias[:, chosen] <= _HIDDEN, 0.0)
    return bias


def without_sinks(
    sinks: torch.Tensor | None, heads: tuple[int, ...], n_heads: int
) -> torch.Tensor | None:
    """Take the sinks from some heads, so that their keys share all of the weight."""
    if sinks is None or not heads:
        return sinks
    sinks = sinks.detach().clone()
    sinks.view(n_heads)[list(heads)] = -torch.inf
    return sinks


def edited_mask(
    mask: torch.Tensor, edits: LayerEdits, n_heads: int, *, themselves: bool
) -> torch.Tensor:
    """Hide masked keys and cut edges in a mask (batch, head, query, key): of bools, or to add.

    `themselves`: a masked key is seen by the query at its own place.
    """
    apart = any(head != EVERY_HEAD for head, _, _ in edits.cuts)
    mask = mask.expand(-1, n_heads if apart else -1, -1, -1).clone()
    hidden = False if mask.dtype == torch.bool else -torch.inf
    shift = mask.shape[3] - mask.shape[2]
    for key in edits.masked:
        own = mask[:, :, key - shift, key].clone() if themselves and key >= shift else None
        mask[..., key] = hidden
        if own is not None:
            mask[:, :, key - shift, key] = own
    for head, query, key in edits.cuts:
        mask[:, slice(None) if head == EVERY_HEAD else head, query, key] = hidden
    return mask
