"""A convolution, and the same computed by attention: one head looks at each cell of the kernel.

Every token carries where it stands: [content, 1, p, ‖p‖²]. A head that is to look δ away scores
−β‖p_j − p_i − δ‖², which is a plain dot product of such vectors; the larger β, the less of its
weight goes elsewhere. Beyond the border there is nobody to look at, unless a ring of tokens whose
content is zero is put around. "Convolution" is cross-correlation, as in torch.

Source: Cordonnier et al. 2020, On the Relationship between Self-Attention and Convolutional
Layers, theorem 1 and lemmas 1 and 2.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from jaxtyping import Float, Int

from attnviz.attention import MultiHeadTrace, Projections, attend_heads
from attnviz.attention.arrays import Numbers

Grid = tuple[int, ...]


def convolve(
    content: Float[np.ndarray, "*grid c_in"],
    kernel: Float[np.ndarray, "c_out c_in *cells"],
    bias: Float[np.ndarray, " c_out"] | None = None,
) -> Float[np.ndarray, "*grid c_out"]:
    """Slide a kernel over a sequence or a picture, with zeros beyond the border.

    Raises:
        ValueError: if the kernel has not one odd side for each axis of the grid.
    """
    cells = _odd(kernel)
    grid = content.shape[:-1]
    if len(grid) != len(cells):
        raise ValueError(f"a kernel of {len(cells)} axes cannot slide over a grid of {len(grid)}")
    padded = np.pad(content, (*((cell // 2, cell // 2) for cell in cells), (0, 0)))
    summed = np.zeros((*grid, kernel.shape[0]))
    for cell in product(*map(range, cells)):
        place = tuple(slice(at, at + side) for at, side in zip(cell, grid, strict=True))
        summed += padded[place] @ kernel[(slice(None), slice(None), *cell)].T
    return summed if bias is None else summed + bias


def offsets(kernel: Float[np.ndarray, "c_out c_in *cells"]) -> Int[np.ndarray, "head axis"]:
    """List where each head looks, relative to who asks: one for each cell, in reading order."""
    cells = _odd(kernel)
    return np.array(list(product(*(range(-(side // 2), side // 2 + 1) for side in cells))))


def as_attention(
    kernel: Numbers, bias: Numbers | None = None, *, sharpness: float | int
) -> Projections:
    """Write a kernel (c_out, c_in, side, …) as the matrices of an attention layer.

    The heads differ in W^q alone: keys and values are shared. W^v takes the content, and W^o holds
    the kernel, cell by cell. The inputs are those of `placed`.

    Raises:
        ValueError: if a side of the kernel is even, or the sharpness is below 0.
    """
    kernel = np.asarray(kernel, dtype=float)
    if not sharpness >= 0:
        raise ValueError(f"sharpness must be at least 0, got {sharpness}")
    shifts = offsets(kernel)  # (n_heads, n_axes)
    c_out, c_in = kernel.shape[:2]
    w_k = _key_matrix(c_in, shifts.shape[1])
    w_q = np.stack([_query_matrix(c_in, shift, sharpness) for shift in shifts])
    w_v = np.eye(len(w_k), c_in)
    by_cell = np.moveaxis(kernel.reshape(c_out, c_in, -1), (2, 1, 0), (0, 1, 2))
    w_o = by_cell.reshape(-1, c_out)  # (n_heads · c_in, c_out)
    return Projections(w_q, w_k[None], w_v[None], w_o, b_o=bias)


def _query_matrix(
    c_in: int, shift: Int[np.ndarray, " axis"], sharpness: float | int
) -> Float[np.ndarray, "d_model d_k"]:
    """Turn [content, 1, p, ‖p‖²] into β [2(p + δ), −1, −‖p + δ‖²]."""
    n_axes = len(shift)
    one, squared = c_in, c_in + 1 + n_axes
    matrix = np.zeros((squared + 1, n_axes + 2))
    for axis, step in enumerate(shift.tolist()):
        matrix[one, axis], matrix[one + 1 + axis, axis] = 2 * step, 2
        matrix[one + 1 + axis, -1] = -2 * step
    matrix[one, n_axes] = -1
    matrix[one, -1] = -float(shift @ shift)
    matrix[squared, -1] = -1
    return sharpness * matrix


def _key_matrix(c_in: int, n_axes: int) -> Float[np.ndarray, "d_model d_k"]:
    """Turn [content, 1, p, ‖p‖²] into [p, ‖p‖², 1]."""
    one, squared = c_in, c_in + 1 + n_axes
    matrix = np.zeros((squared + 1, n_axes + 2))
    for axis in range(n_axes):
        matrix[one + 1 + axis, axis] = 1
    matrix[squared, n_axes] = matrix[one, -1] = 1
    return matrix


def placed(
    content: Float[np.ndarray, "*grid c_in"], ring: int = 0
) -> Float[np.ndarray, "token d_model"]:
    """Give the tokens of a sequence or a picture in reading order, each with its place.

    `ring` rows of tokens without content go around; a sequence gets them at both ends.
    """
    around = [(ring, ring)] * (content.ndim - 1)
    content = np.pad(content, (*around, (0, 0)))
    places = np.stack(np.meshgrid(*map(np.arange, content.shape[:-1]), indexing="ij"), axis=-1)
    flat = places.reshape(-1, places.shape[-1]).astype(float)
    ones, squared = np.ones((len(flat), 1)), (flat**2).sum(axis=1, keepdims=True)
    return np.hstack([content.reshape(len(flat), -1), ones, flat, squared])


@dataclass(frozen=True, eq=False)
class Likeness:
    """A convolution beside the attention layer that computes it."""

    exact: Float[np.ndarray, "*grid c_out"]
    trace: MultiHeadTrace
    ring: int

    @property
    def grid(self) -> Grid:
        """(rows, columns) of the picture, or (places,) of a sequence."""
        return self.exact.shape[:-1]

    @property
    def _inside(self) -> tuple[slice, ...]:
        return tuple(slice(self.ring, self.ring + side) for side in self.grid)

    @cached_property
    def found(self) -> Float[np.ndarray, "*grid c_out"]:
        """What attention gives, without the ring."""
        wide = tuple(side + 2 * self.ring for side in self.grid)
        return self.trace.output.reshape(*wide, -1)[self._inside]

    @cached_property
    def error(self) -> Float[np.ndarray, "*grid"]:
        """The largest difference at each pixel, over the channels."""
        return np.abs(self.found - self.exact).max(axis=-1)

    def interior_error(self, radius: int = 1) -> float:
        """Give the largest difference among the pixels whose neighbours all exist."""
        inner = self.error[tuple(slice(radius, side - radius) for side in self.grid)]
        return float(inner.max()) if inner.size else 0.0

    def border_error(self, radius: int = 1) -> float:
        """Give the largest difference among the pixels that lack a neighbour."""
        border = np.ones(self.grid, dtype=bool)
        border[tuple(slice(radius, side - radius) for side in self.grid)] = False
        return float(self.error[border].max())

    def looks(self, head: int, place: Grid) -> Float[np.ndarray, "*wide"]:
        """Give where a head looks from a place: its weights over all tokens, the ring too."""
        wide = tuple(side + 2 * self.ring for side in self.grid)
        row = int(np.ravel_multi_index(tuple(at + self.ring for at in place), wide))
        return self.trace.weights[head, row].reshape(wide)


def likeness(
    content: Float[np.ndarray, "*grid c_in"],
    kernel: Float[np.ndarray, "c_out c_in *cells"],
    *,
    sharpness: float | int,
    ring: int = 0,
) -> Likeness:
    """Compute a convolution, and the same by attention."""
    projections = as_attention(kernel, sharpness=sharpness)
    return Likeness(
        convolve(content, kernel), attend_heads(placed(content, ring), projections), ring
    )


def errors(
    content: Float[np.ndarray, "*grid c_in"],
    kernel: Float[np.ndarray, "c_out c_in *cells"],
    sharpnesses: tuple[float | int, ...],
    *,
    ring: int = 0,
) -> Float[np.ndarray, "sharpness 2"]:
    """Give the largest error inside and at the border, for each sharpness."""
    found = (likeness(content, kernel, sharpness=each, ring=ring) for each in sharpnesses)
    return np.array([(each.interior_error(), each.border_error()) for each in found])


def _odd(kernel: Float[np.ndarray, "c_out c_in *cells"]) -> Grid:
    cells = kernel.shape[2:]
    if not cells or any(side % 2 == 0 for side in cells):
        raise ValueError(f"every side of a kernel must be odd, got {cells}")
    return cells


GRID, CHANNELS, OUT = (5, 10), 3, 4
"""The picture of the lecture: 5 rows, 10 columns, 3 colours; the kernel gives 4 numbers."""
SEED = 6981
"""Of the picture and kernel that are shown first."""


def drawn_picture(seed: int) -> tuple[Float[np.ndarray, "5 10 3"], Float[np.ndarray, "4 3 3 3"]]:
    """Draw a picture and a 3 × 3 kernel, each number on its own from the standard normal."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(*GRID, CHANNELS)), rng.normal(size=(OUT, CHANNELS, 3, 3))
