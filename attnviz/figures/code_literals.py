"""Arrays as Python writes them: every number by its repr, on lines that can be read."""

import textwrap
from collections.abc import Sequence

import numpy as np
from jaxtyping import Shaped

WIDTH = 96

_Spelled = list | str


def literal(
    start: str, array: Shaped[np.ndarray, "..."], end: str = "", remarks: Sequence[str] = ()
) -> list[str]:
    """Write an array between two texts, on one line if it fits; a remark goes beside each row."""
    spelled = _spelled(array)
    one_line = f"{start}{_flat(spelled)}{end}"
    if not remarks and len(one_line) <= WIDTH:
        return [one_line]
    return [f"{start}[", *_rows(_aligned(spelled), remarks), f"]{end}"]


def numpy_array(
    name: str, array: Shaped[np.ndarray, "..."], remarks: Sequence[str] = ()
) -> list[str]:
    """Write `name = np.array(...)`, with the dtype that the numbers alone do not say."""
    floats = array.dtype.kind == "f" and _whole(array)
    kind = ", dtype=bool" if array.dtype == bool else ", dtype=float" if floats else ""
    return literal(f"{name} = np.array(", array, f"{kind})", remarks)


def constant(value: float | int) -> str:
    """Write one number so that nothing of it is lost."""
    return repr(int(value)) if _whole(np.asarray(value)) else repr(float(value))


def _whole(array: np.ndarray) -> bool:
    """Tell whether whole numbers say it all; a negative zero would lose its sign."""
    if array.dtype.kind in "iub":
        return True
    whole = np.isfinite(array).all() and (array == np.round(array)).all()
    return bool(whole and (np.abs(array) < 2**53).all() and not np.signbit(array[array == 0]).any())


def _spelled(array: np.ndarray) -> _Spelled:
    """Give nested lists of texts."""
    whole = _whole(array)

    def spell(value: object) -> _Spelled:
        if isinstance(value, list):
            return [spell(each) for each in value]
        return repr(int(value) if whole else value)  # type: ignore[call-overload]

    return spell(array.tolist())


def _flat(spelled: _Spelled) -> str:
    if isinstance(spelled, str):
        return spelled
    return f"[{', '.join(map(_flat, spelled))}]"


def _aligned(spelled: _Spelled) -> _Spelled:
    """Set numbers under each other."""
    width = max(map(len, _leaves(spelled)))

    def pad(value: _Spelled) -> _Spelled:
        return value.rjust(width) if isinstance(value, str) else [pad(each) for each in value]

    return pad(spelled)


def _leaves(spelled: _Spelled) -> list[str]:
    if isinstance(spelled, str):
        return [spelled]
    return [leaf for each in spelled for leaf in _leaves(each)]


def _rows(spelled: _Spelled, remarks: Sequence[str] = (), indent: str = "    ") -> list[str]:
    """Write the entries of a list one a line, folding what is too long."""
    if all(isinstance(each, str) for each in spelled):
        joined = ", ".join(map(_flat, spelled)) + ","
        return textwrap.wrap(joined, WIDTH, initial_indent=indent, subsequent_indent=indent)
    lines = []
    for place, each in enumerate(spelled):
        remark = f"  # {remarks[place]}" if remarks else ""
        line = f"{indent}{_flat(each)},"
        if len(line) <= WIDTH:
            lines.append(line + remark)
        else:
            lines += [f"{indent}[{remark}", *_rows(each, (), indent + "    "), f"{indent}],"]
    return lines
