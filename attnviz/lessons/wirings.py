"""Three ways to give heads their matrices: slice the input, one W each, or one large W, cut."""

import numpy as np
from jaxtyping import Float

from attnviz.attention.arrays import product
from attnviz.attention.projections import Projections
from attnviz.errors import InputError
from attnviz.lessons.joining import with_matrices


def slices(d_model: int, n_heads: int) -> tuple[slice, ...]:
    """Cut the numbers of an input into one run for each head, the first ones longer if need be.

    Raises:
        InputError: if there are more heads than numbers.
    """
    if n_heads > d_model:
        raise InputError("heads.no_slice", n_heads=n_heads, d_model=d_model)
    runs = np.array_split(np.arange(d_model), n_heads)
    return tuple(slice(int(run[0]), int(run[-1]) + 1) for run in runs)


def sliced(projections: Projections) -> Projections:
    """Let each head read its own slice of the input only: what reads the rest becomes 0.

    Heads that share keys and values get their own ones first, since each reads another slice.

    Raises:
        InputError: if there are more heads than numbers in an input.
    """
    own = _for_every_head(projections)
    seen = slice_mask(projections.d_model, projections.n_heads)
    cut = {
        name: np.where(seen[:, :, None], getattr(own, name), 0) for name in ("w_q", "w_k", "w_v")
    }
    return with_matrices(own, **cut)


def slice_mask(d_model: int, n_heads: int) -> np.ndarray:
    """Say for each head which numbers of an input it reads: (head, d_model)."""
    seen = np.zeros((n_heads, d_model), dtype=bool)
    for head, run in enumerate(slices(d_model, n_heads)):
        seen[head, run] = True
    return seen


def cut_again(projections: Projections) -> Projections:
    """Put each head's matrix into one large W, side by side, and cut that into heads again."""
    w = projections
    large = {name: side_by_side(getattr(w, name)) for name in ("w_q", "w_k", "w_v")}
    return Projections.split(**large, w_o=w.w_o, n_heads=w.n_heads, n_kv_heads=w.n_kv_heads)


def side_by_side(weights: Float[np.ndarray, "head d_model d"]) -> Float[np.ndarray, "d_model hd"]:
    """Join one matrix per head into a large one: each head owns d columns, the first the first."""
    return np.concatenate(list(weights), axis=1)


def project_then_cut(
    tokens: Float[np.ndarray, "token d_model"], weights: Float[np.ndarray, "head d_model d"]
) -> Float[np.ndarray, "head token d"]:
    """Multiply by the large W once, and cut the product: reshape to (token, head, d), turn."""
    n_heads, _, width = weights.shape
    whole = product(tokens, side_by_side(weights))
    return whole.reshape(len(tokens), n_heads, width).transpose(1, 0, 2)


def parameters(projections: Projections, wiring: str) -> int:
    """Count the numbers that are learned; of sliced heads, those that read their slice."""
    joint = 0 if projections.w_o is None else projections.w_o.size
    if wiring != "slice":
        return joint + sum(getattr(projections, name).size for name in ("w_q", "w_k", "w_v"))
    per_row = 2 * projections.d_k + projections.d_v
    return joint + int(slice_mask(projections.d_model, projections.n_heads).sum()) * per_row


def _for_every_head(projections: Projections) -> Projections:
    share = projections.n_heads // projections.n_kv_heads
    return with_matrices(
        projections,
        w_k=np.repeat(projections.w_k, share, axis=0),
        w_v=np.repeat(projections.w_v, share, axis=0),
    )
