"""What is taken away of one layer: its settings, its tokens and every array by name."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

import numpy as np
from jaxtyping import Shaped

from attnviz.attention.trace import MultiHeadTrace, Step
from attnviz.scene import Scene, scene_of
from attnviz.settings import Settings

MATRICES = {
    "w_q": ("head", "d_model", "d_k"),
    "w_k": ("kv_head", "d_model", "d_k"),
    "w_v": ("kv_head", "d_model", "d_v"),
    "w_o": ("concatenated", "d_model"),
}
"""The matrices of a layer with a word for each of their axes."""

LONGEST_LINK = 8_000
"""Characters that a link may have in every browser and in most messages."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Record:
    """One layer as it is kept in a file.

    `arrays` are the matrices, the mask, what was added to the scores, and every step of the trace.
    `settings` is None for a trace that no settings made; the language names an example's tokens.
    """

    tokens: tuple[str, ...]
    arrays: tuple[Step, ...]
    settings: Settings | None = None
    language: str = "en"

    def array(self, name: str) -> Shaped[np.ndarray, "..."]:
        """Give one array by its name.

        Raises:
            KeyError: if there is none of that name.
        """
        return {step.name: step.array for step in self.arrays}[name]

    def scene(self) -> Scene:
        """Compute the layer again from its settings: the same numbers to the last bit.

        Raises:
            ValueError: if no settings were kept.
        """
        if self.settings is None:
            raise ValueError(
                "a record must hold settings to make a scene, got none; use its arrays"
            )
        return scene_of(self.settings, self.language)


def record_of(scene: Scene, settings: Settings, language: str) -> Record:
    """Keep a scene; `settings` and `language` are those that it was made of."""
    return Record(
        tokens=scene.tokens,
        arrays=tuple(arrays_of(scene.trace)),
        settings=settings,
        language=language,
    )


def arrays_of(trace: MultiHeadTrace) -> Iterator[Step]:
    """Go through the matrices, the mask and the bias of a layer, then through its steps."""
    for name, axes in MATRICES.items():
        matrix = getattr(trace.projections, name)
        if matrix is not None:
            yield Step(name, matrix, axes)
    for name in ("mask", "bias"):
        table = getattr(trace, name)
        if table is not None:
            yield Step(name, table, ("head", "query", "key")[-table.ndim :])
    yield from trace.steps()


def link_of(settings: Settings) -> str:
    """Write the part of a link after the address, "?q=2&…"; "" for what is too long for one."""
    link = "?" + urlencode(settings.to_query())
    return link if len(link) <= LONGEST_LINK else ""
