"""A picture as a vision model wants it: its size, its colours, its patches."""

from dataclasses import dataclass

import numpy as np
import torch

from attnviz.attention.arrays import read_only
from attnviz.errors import InputError

MOST_PIXELS = 64_000_000


@dataclass(frozen=True)
class Eye:
    """How a vision model sees: the side of its picture and of a patch, and how colours are set."""

    side: int
    patch: int
    mean: tuple[float, ...] = (0.5, 0.5, 0.5)
    deviation: tuple[float, ...] = (0.5, 0.5, 0.5)

    @property
    def grid(self) -> tuple[int, int]:
        """(rows, columns) of the patches."""
        return self.side // self.patch, self.side // self.patch

    def see(self, picture: np.ndarray) -> torch.Tensor:
        """Bring a picture (row, column, 3), 0 … 255 or 0 … 1, to the model's size and colours."""
        mean, deviation = (
            torch.tensor(each)[:, None, None] for each in (self.mean, self.deviation)
        )
        return (self._sized(picture) - mean) / deviation

    def seen(self, picture: np.ndarray) -> np.ndarray:
        """Give what the model sees of a picture: 0 … 255, as far as whole patches go."""
        points = self._sized(picture)[0].permute(1, 2, 0).clamp(0, 1)
        rows, columns = (count * self.patch for count in self.grid)
        kept = points[:rows, :columns] * 255
        return read_only(kept.round().to(torch.uint8).numpy().copy())

    def _sized(self, picture: np.ndarray) -> torch.Tensor:
        picture = np.asarray(picture)
        if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype.kind not in "uif":
            raise InputError("models.picture_shape", got=" × ".join(map(str, picture.shape)))
        if not 0 < picture.size <= 3 * MOST_PIXELS:
            raise InputError("models.picture_size", got=picture.size // 3, most=MOST_PIXELS)
        pixels = torch.tensor(picture, dtype=torch.float32).permute(2, 0, 1)[None]
        if not torch.isfinite(pixels).all():
            raise InputError("models.picture_numbers")
        if picture.dtype.kind != "f":
            pixels = pixels / 255
        return torch.nn.functional.interpolate(
            pixels, (self.side, self.side), mode="bilinear", antialias=True
        )
