"""How fast what a model does changes as each head is turned down: all in one backward pass."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from attnviz.attention.arrays import read_only
from attnviz.errors import InputError
from attnviz.models.editing.worth import DIRECTIONS
from attnviz.models.recorder import Call, Recorder

Table = tuple[np.ndarray, ...]


class Gates(Recorder):
    """Multiplies what each head passes on by a gate of its own, 1 unless `values` say otherwise."""

    def __init__(self, values: list[torch.Tensor] | None = None) -> None:
        super().__init__({})
        self.gates: list[torch.Tensor] = []
        self._values = values

    def keep(self, call: Call, out: torch.Tensor) -> torch.Tensor:
        """Put the gates of one layer, (head,), behind what its heads pass on; nothing is kept."""
        if call.query.shape[0] != 1:
            raise InputError("models.several_at_once", n=call.query.shape[0])
        if self._values is None:
            gate = torch.ones(out.shape[2], dtype=out.dtype, requires_grad=True)
        else:
            gate = self._values[len(self.gates)].to(out.dtype)
        self.gates.append(gate)
        return out * gate[None, None, :, None]


def slopes_of_loss(loss: torch.Tensor, gates: list[torch.Tensor]) -> Table:
    """Give ∂L/∂ξ of every head's gate ξ, layer by layer: below 0 where the head keeps L small.

    Source: Michel et al. 2019, §4.1.
    """
    return tuple(read_only(_plain(each)) for each in _grad(loss, gates))


def slopes_of_vectors(
    vectors: torch.Tensor,
    gates: list[torch.Tensor],
    progress: Callable[[float], None] = lambda share: None,
) -> Table:
    """Say how fast the last vectors, (query, d), begin to move: √(mean ‖∂y/∂ξ‖² / ‖y‖²).

    ‖y′ − y‖ has no slope where y′ = y, so it is estimated from DIRECTIONS backward passes, each of
    the vectors seen in a random direction.

    Source: Hutchinson 1990.
    """
    squares = [torch.zeros(len(each), dtype=torch.float64) for each in gates]
    lengths = vectors.detach().norm(dim=-1, keepdim=True).clamp_min(1e-30)
    for done, signs in enumerate(_signs(vectors.shape)):
        progress(done / DIRECTIONS)
        seen = (vectors * signs.to(vectors.dtype) / lengths).sum()
        for square, slope in zip(squares, _grad(seen, gates, again=True), strict=True):
            square += slope.double() ** 2
    scale = DIRECTIONS * len(vectors)
    return tuple(read_only(_plain((each / scale).sqrt())) for each in squares)


def _grad(
    outcome: torch.Tensor, gates: list[torch.Tensor], *, again: bool = False
) -> list[torch.Tensor]:
    found: Any = torch.autograd.grad(outcome, gates, retain_graph=again, allow_unused=True)
    return [
        torch.zeros_like(gate) if slope is None else slope
        for gate, slope in zip(gates, found, strict=True)
    ]


def _signs(shape: torch.Size) -> Iterator[torch.Tensor]:
    """Draw the directions, the same every time: −1 or 1 for each number."""
    drawn = np.random.default_rng(0)
    for _ in range(DIRECTIONS):
        yield torch.from_numpy(drawn.choice([-1.0, 1.0], size=tuple(shape)))


def _plain(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().double().cpu().numpy()
