"""The code of two settings compared: the code of each side, then what changes."""

from collections.abc import Callable

from attnviz.experiments.contrast import Contrast
from attnviz.figures import code
from attnviz.figures.spoken_bench import is_shared
from attnviz.text import Words

_SIDES = ("a", "b")


def numpy_code(contrast: Contrast, t: Words) -> str:
    """Write numpy lines for both sides: weights_a, output_b, and so on, and what changes."""
    lines = [
        f"weights_change = weights_b - weights_a  # {t('bench.code_change')}",
        *_moved(contrast, t, "np.linalg.norm(output_b - output_a, axis=1)"),
    ]
    for side in _shared(contrast):
        above, name = f"weights_{side} > 0", f"weights_{side}"
        lines += [
            _entropy_note(side, t),
            f"logarithms = np.log({name}, where={above}, out=np.zeros_like({name}))",
            f"entropy_{side} = -({name} * logarithms).sum(axis=1)",
        ]
    return _joined(contrast, t, code.numpy_code, "import numpy as np", [], lines)


def package_code(contrast: Contrast, t: Words) -> str:
    """Write the same through the package, which is all that is imported."""
    lines = [
        f"weights_change = weights_b - weights_a  # {t('bench.code_change')}",
        *_moved(contrast, t, "((output_b - output_a) ** 2).sum(axis=1) ** 0.5"),
    ]
    for side in _shared(contrast):
        lines += [_entropy_note(side, t), f"entropy_{side} = metrics.entropy(weights_{side})"]
    more = ["from attnviz.attention import metrics"]
    return _joined(contrast, t, code.package_code, "import attnviz", more, lines)


def _joined(
    contrast: Contrast,
    t: Words,
    write: Callable[..., str],
    first: str,
    more: list[str],
    lines: list[str],
) -> str:
    """Write both sides one after the other; what is printed is what the bench shows."""
    sides = []
    for side, scene in zip(_SIDES, (contrast.one, contrast.other), strict=True):
        sides += [
            "",
            f"# {t('bench.code_side', side=_name(side, t))}",
            *_side(write(scene, "see", t), first),
        ]
        sides += [f"weights_{side}, output_{side} = weights, output"]
    shown = [line.split(" = ")[0] for line in lines if " = " in line and "logarithms" not in line]
    imports = [first, *(more if _shared(contrast) else [])]
    return "\n".join([*imports, *sides, "", *lines, "", *(f"print({name})" for name in shown), ""])


def _side(written: str, first: str) -> list[str]:
    """Take the code of one side's own panel, without what it imports and prints."""
    lines = written.replace(f"{first}\n", "", 1).strip("\n").splitlines()
    return [line for line in lines if not line.startswith("print(")]


def _moved(contrast: Contrast, t: Words, length: str) -> list[str]:
    if contrast.distances is None:
        return []
    return [f"distance_moved = {length}  # {t('bench.code_moved')}"]


def _shared(contrast: Contrast) -> list[str]:
    return [side for side, shares in zip(_SIDES, is_shared(contrast), strict=True) if shares]


def _entropy_note(side: str, t: Words) -> str:
    return f"# {t('bench.code_entropy', side=_name(side, t))}"


def _name(side: str, t: Words) -> str:
    return t(f"bench.side_{side}")
