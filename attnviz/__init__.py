"""attnviz: every number of attention, and where it came from.

    >>> import attnviz
    >>> trace = attnviz.attend(query, key, value)
    >>> trace.weights, trace.output

The package, from the ground up; each floor imports only from those before it:

    attention/   the maths on numpy arrays: `attend` is the whole formula, read `attend.py` first
    lessons/     example sentences and vectors, and the reading of what a person types
    settings.py  every choice a person can make, and its link
    scene.py     the settings as arrays: tokens, inputs, matrices, and their trace
    text/        every word for people, in each language
    figures/     a trace as Plotly figures, formulas, sentences and the code that recomputes it
    exports/     all of it as files: JSON, NPZ, CSV, HTML, pictures, a lesson bundle
    show.py      a trace in a notebook
    cli/         `python -m attnviz`: the same without a browser
    components/  the parts of the page that answer without asking the server
    ui/          session, caches, controls and panels of the Streamlit app
"""

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
    attend_heads,
    linear_attend,
)
from attnviz.errors import InputError
from attnviz.show import show

__all__ = [
    "MASKS",
    "NORMALIZERS",
    "POSITIONS",
    "SCORES",
    "HeadChoices",
    "HeadTrace",
    "InputError",
    "MultiHeadTrace",
    "Projections",
    "Step",
    "attend",
    "attend_heads",
    "linear_attend",
    "show",
]
