"""Matrices: the whole computation as matrices, every number a row times a column."""

from attnviz.ui import frame
from attnviz.ui.rooms import matrices

frame.show_one(matrices.PANELS)
