"""A trace as pictures and formulas: result → Plotly figure, text or LaTeX. Maths is elsewhere.

heatmaps.py   one matrix with its digits, or all heads side by side
steps.py      one picture for each step from the inputs to the output
plane.py      vectors with two features as arrows
bars.py       one number a token
formulas.py   the same numbers written out, as plain text and as LaTeX
notation.py   tokens as rows or as columns: how all of these are laid out, named and worded

`theme.py` has the colours, `sheet.py` draws small matrices, `writing.py` sets formulas in type.
"""
