"""The lines of Python that give exactly the numbers of a panel, with the person's own inputs.

`numpy_code` derives them step by step; `package_code` asks the package for the same. Both run as
they stand and print what the panel shows.
"""

from attnviz.figures import code_numpy, code_package
from attnviz.figures.steps import STEPS
from attnviz.scene import Scene
from attnviz.text import Words

PANELS = ("see", "scores", "heads", "nudge")
"""The panels that have code; each step of STEPS has some too, "scores" the panel's own."""

_OF_LAYER = ("heads", "output")


def numpy_code(
    scene: Scene, panel: str, t: Words, *, token: int | None = None, amount: float = 0.1
) -> str:
    """Write numpy lines that give the numbers of a panel or step of this scene.

    Variables have the names of the trace. "nudge" gives distance_moved, for `amount` added to
    every number of input `token`, the last one if none is named.

    Raises:
        ValueError: if there is no such panel.
    """
    _check(panel)
    if panel == "nudge":
        return code_numpy.nudged(scene, t, _token(scene, token), amount)
    if panel in _OF_LAYER:
        return code_numpy.all_heads(scene, panel, t)
    return code_numpy.one_head(scene, panel, t)


def package_code(
    scene: Scene, panel: str, t: Words, *, token: int | None = None, amount: float = 0.1
) -> str:
    """Write the lines that compute the same with attnviz, which is all that they import.

    Raises:
        ValueError: if there is no such panel.
    """
    _check(panel)
    if panel == "nudge":
        return code_package.nudged(scene, t, _token(scene, token), amount)
    return code_package.program(scene, panel, t)


def _token(scene: Scene, token: int | None) -> int:
    return len(scene.tokens) - 1 if token is None else token


def _check(panel: str) -> None:
    known = dict.fromkeys((*PANELS, *STEPS))
    if panel not in known:
        raise ValueError(f"panel must be one of {', '.join(known)}, got {panel!r}; choose one")
