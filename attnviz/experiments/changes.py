"""Changes of one thing, computed from the person's own scene: what the other side has different."""

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Float

from attnviz.experiments.sides import MATRICES, table_of, tupled
from attnviz.scene import Scene
from attnviz.settings import Settings

Change = Callable[[Settings, Scene], dict[str, Any]]
Heads = Float[np.ndarray, "_head _d_model _width"]


def fixed(**different: object) -> Change:
    """Set fields to the same values whatever the scene is."""
    return lambda settings, scene: dict(different)


def temperature(times: float) -> Change:
    """Multiply the temperature."""
    return lambda settings, scene: {"temperature": settings.temperature * times}


def tied(settings: Settings, scene: Scene) -> dict[str, Any]:
    """Make keys with the matrix that makes queries: W^k = W^q."""
    return _typed(scene, w_k=_one_a_group(scene))


def swapped(settings: Settings, scene: Scene) -> dict[str, Any]:
    """Make queries with the matrix of the keys, and keys with that of the queries."""
    return _typed(scene, w_q=_for_every_head(scene), w_k=_one_a_group(scene))


def zero_query(settings: Settings, scene: Scene) -> dict[str, Any]:
    """Make every query 0: W^q = 0."""
    return _typed(scene, w_q=np.zeros_like(scene.projections.w_q))


def identity_value(settings: Settings, scene: Scene) -> dict[str, Any]:
    """Let each token hand over its own vector, cut or filled up with zeros: W^v = I."""
    count, rows, columns = scene.projections.w_v.shape
    return _typed(scene, w_v=np.tile(np.eye(rows, columns), (count, 1, 1)))


def doubled(settings: Settings, scene: Scene) -> dict[str, Any]:
    """Double every number of every token's vector."""
    return {"vectors": tupled(2 * scene.inputs)}


def gauge(settings: Settings, scene: Scene) -> dict[str, Any]:
    """Multiply W^q by an invertible M and W^k by M⁻ᵀ: q · k = (q M) · (k M⁻ᵀ)."""
    own, m = scene.projections, gauge_matrix(scene.projections.d_k, settings.seed)
    return _typed(scene, w_q=own.w_q @ m, w_k=own.w_k @ np.round(np.linalg.inv(m), 9).T)


def gauge_matrix(d_k: int, seed: int) -> Float[np.ndarray, "{d_k} {d_k}"]:
    """Draw an invertible matrix of small whole numbers, whose inverse is whole as well.

    One number alone would have to be 1 or −1, which is hardly a change: there it is 2.
    """
    if d_k == 1:
        return np.array([[2.0]])
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(2, d_k - 1))
    lower, upper = np.diag(signs[0], -1), np.diag(signs[1], 1)
    return (np.eye(d_k) + lower) @ (np.eye(d_k) + upper)


def no_self(settings: Settings, scene: Scene) -> dict[str, Any]:
    """Hide each token from itself."""
    n_tokens = len(scene.tokens)
    seen = np.ones((n_tokens, n_tokens), dtype=bool) if scene.mask is None else scene.mask
    seen = seen & ~np.eye(n_tokens, dtype=bool)
    return {
        "mask": "custom",
        "cells": tuple("".join("01"[int(cell)] for cell in row) for row in seen),
    }


def _one_a_group(scene: Scene) -> Heads:
    """Give W^q of one head for each W^k, that of the head in hand in its own group."""
    own = scene.projections
    share = own.n_heads // own.n_kv_heads
    return own.w_q[scene.head % share :: share]


def _for_every_head(scene: Scene) -> Heads:
    """Give W^k for every head, shared ones repeated."""
    own = scene.projections
    return np.repeat(own.w_k, own.n_heads // own.n_kv_heads, axis=0)


def _typed(scene: Scene, **matrices: Heads) -> dict[str, Any]:
    """Type some matrices over, and keep the others as they are on the screen."""
    kept = {name: table_of(scene, name) for name in MATRICES}
    changed = {
        name: tupled(np.concatenate(list(heads), axis=1)) for name, heads in matrices.items()
    }
    return {"w_source": "typed", **kept, **changed}
