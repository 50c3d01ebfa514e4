"""What a person can try on two equal tokens, and what each does by itself."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from attnviz.lessons.examples import EXAMPLES
from attnviz.settings import MAX_HEADS, Settings


@dataclass(frozen=True)
class Trial:
    """A change of the settings that can be switched on and off; `words` is the key of its name."""

    words: str
    on: Callable[[Settings], dict[str, Any]]
    off: Callable[[Settings], dict[str, Any]]
    holds: Callable[[Settings], bool]

    def alone(self, settings: Settings) -> Settings:
        """Give the settings with this change, and with no other that could tell tokens apart."""
        plain = replace(settings, positions="none", mask="everyone")
        return replace(plain, **self.on(plain))


def _code(name: str) -> Trial:
    return Trial(
        f"position.{name}",
        lambda settings: {"positions": name},
        lambda settings: {"positions": "none"},
        lambda settings: settings.positions == name,
    )


def _mask(name: str) -> Trial:
    return Trial(
        f"mask.{name}",
        lambda settings: {"mask": name},
        lambda settings: {"mask": "everyone"},
        lambda settings: settings.mask == name,
    )


def _own_heads(settings: Settings) -> int:
    return EXAMPLES[settings.example].projections.n_heads


def _more_heads(settings: Settings) -> dict[str, Any]:
    return {"n_heads": min(MAX_HEADS, 2 * _own_heads(settings)), "n_kv_heads": 0}


def _own_matrices(settings: Settings) -> dict[str, Any]:
    typed = settings.w_q or settings.w_k or settings.w_v or settings.w_o
    return {"w_source": "typed" if typed else "example"}


TRIALS: dict[str, Trial] = {
    "heads": Trial(
        "lamp.heads",
        _more_heads,
        lambda settings: {"n_heads": 0, "n_kv_heads": 0},
        lambda settings: settings.n_heads > _own_heads(settings),
    ),
    "matrices": Trial(
        "lamp.matrices",
        lambda settings: {"w_source": "random", "seed": (settings.seed + 1) % 2**31},
        _own_matrices,
        lambda settings: settings.w_source == "random",
    ),
    "scale": Trial(
        "lamp.scale",
        lambda settings: {"scale": "sqrt_d_k"},
        lambda settings: {"scale": "none"},
        lambda settings: settings.scale == "sqrt_d_k",
    ),
    **{name: _code(name) for name in ("sinusoidal", "learned", "rotary", "alibi")},
    **{name: _mask(name) for name in ("causal", "window", "graph")},
}


def changes(settings: Settings, chosen: set[str]) -> dict[str, Any]:
    """Give the fields that make exactly these trials hold; of two codes the new one counts."""
    before = {name for name, trial in TRIALS.items() if trial.holds(settings)}
    fields: dict[str, Any] = {}
    for name in before - chosen:
        fields |= TRIALS[name].off(settings)
    for name in chosen - before:
        fields |= TRIALS[name].on(settings)
    return fields
