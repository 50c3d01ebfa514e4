"""Formulas with live digits: the window on `cell_formulas.py` and `step_formulas.py`."""

from attnviz.figures.cell_formulas import (
    cell_equation,
    cell_equations,
    cell_latex,
    cell_lines,
    row_equation,
    row_latex,
    score_equations,
)
from attnviz.figures.step_formulas import step_latex

__all__ = [
    "cell_equation",
    "cell_equations",
    "cell_latex",
    "cell_lines",
    "row_equation",
    "row_latex",
    "score_equations",
    "step_latex",
]
