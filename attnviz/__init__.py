"""attnviz: every number of attention, and where it came from.

    >>> import attnviz
    >>> trace = attnviz.attend(query, key, value)
    >>> trace.weights, trace.output

The package, from the ground up; each floor imports only from those before it:

    attention/   the maths on numpy arrays: `attend` is the whole formula, read `attend.py` first
    lessons/     example sentences and vectors, and the reading of what a person types
    models/      real transformers models, and what their attention layers did with a text
    settings/    every choice a person can make, and its link
    scene.py     the settings as arrays: tokens, inputs, matrices, and their trace
    experiments/ one setting against another: what differs, and the numbers of what comes of it
    text/        every word for people, in each language
    figures/     a trace as Plotly figures, formulas, sentences and the code that recomputes it
    exports/     all of it as files: JSON, NPZ, CSV, HTML, pictures, a lesson bundle
    show.py      a trace in a notebook
    cli/         `python -m attnviz`: the same without a browser
    components/  the parts of the page that answer without asking the server
    ui/          session, caches, controls and panels of the Streamlit app
"""

import importlib
from typing import TYPE_CHECKING

from attnviz.attention import (
    MASKS,
    NORMALIZERS,
    POSITIONS,
    SCORES,
    HeadChoices,
    HeadTrace,
    MultiHeadTrace,
    Projections,
    Step,
    attend,
    attend_again,
    attend_heads,
    linear_attend,
    metrics,
)
from attnviz.errors import InputError
from attnviz.show import show

if TYPE_CHECKING:
    from attnviz.models.load import load_model
    from attnviz.models.results import Capture

__all__ = [
    "MASKS",
    "NORMALIZERS",
    "POSITIONS",
    "SCORES",
    "Capture",
    "HeadChoices",
    "HeadTrace",
    "InputError",
    "MultiHeadTrace",
    "Projections",
    "Step",
    "attend",
    "attend_again",
    "attend_heads",
    "linear_attend",
    "load_model",
    "metrics",
    "show",
]

# Models bring torch: they are imported when they are asked for.
_LATER = {"Capture": "attnviz.models.results", "load_model": "attnviz.models.load"}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_LATER[name]), name)
