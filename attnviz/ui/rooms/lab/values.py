"""The values of the fields that side B can have different: which there are, and how they read."""

from collections.abc import Callable, Sequence
from typing import Any

from attnviz.attention import MASKS, NORMALIZERS, POSITIONS, SCORES
from attnviz.lessons.examples import EXAMPLES
from attnviz.scene import Scene
from attnviz.settings import (
    MASK_FIELDS,
    NORMALIZER_FIELDS,
    POSITION_FIELDS,
    RANGES,
    Settings,
)
from attnviz.text.numbers import significant

SIZES = ("n_heads", "n_kv_heads", "d_model", "d_k", "d_v")
_FAMILIES = {"positions": "position"}
_ONLY_IN_LINKS = ("align", "position_vectors")


def editable(settings: Settings) -> tuple[str, ...]:
    """Name the fields that can be set for side B, with those that its choices read."""
    own = (
        *NORMALIZER_FIELDS.get(settings.normalizer, ()),
        *MASK_FIELDS.get(settings.mask, ()),
        *POSITION_FIELDS.get(settings.positions, ()),
    )
    named = ("scale", "temperature", "normalizer", "score", "mask", "positions", "w_source")
    numbers = tuple(name for name in own if name in RANGES)
    return tuple(dict.fromkeys((*named, "seed", "n_heads", "d_k", *numbers)))


def label(name: str, t: Callable[..., str]) -> str:
    """Call a field what the drawer calls it; a few are set by links and files alone."""
    return t(f"setting.{name}" if name in _ONLY_IN_LINKS else f"drawer.{name}")


def shown(name: str, settings: Settings, scene: Scene) -> Any:
    """Give the value of a field; of a size that is the example's, how large it is."""
    return getattr(scene.projections if name in SIZES else settings, name)


def written(name: str, value: Any, t: Callable[..., str]) -> str:
    """Write the value of a field as the drawer does."""
    if isinstance(value, str):
        if name == "align":
            return t(f"align.{value}")
        return t(f"{_FAMILIES.get(name, name)}.{value}")
    if isinstance(value, bool):
        return t("bench.yes" if value else "bench.no")
    if value is None:
        return t("bench.default")
    return f"× {significant(value)}" if name == "scale" else significant(value)


def _scales(settings: Settings, value: object) -> Sequence[object]:
    return tuple(dict.fromkeys(("none", "sqrt_d_k", value, settings.scale)))


def _positions(settings: Settings, value: object) -> Sequence[object]:
    own = ("example",) if EXAMPLES[settings.example].cycle is not None else ()
    return tuple(dict.fromkeys((*POSITIONS, *own, value)))


CHOICES: dict[str, Callable[[Settings, Any], Sequence]] = {
    "scale": _scales,
    "normalizer": lambda settings, value: tuple(NORMALIZERS),
    "score": lambda settings, value: tuple(SCORES),
    "mask": lambda settings, value: tuple(MASKS),
    "positions": _positions,
    "w_source": lambda settings, value: tuple(
        dict.fromkeys(("example", "identity", "random", value))
    ),
}
