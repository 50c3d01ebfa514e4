"""The page Matrices: the same computation as matrices, and what they are for."""

from attnviz.ui.rooms.matrices.axis import axis
from attnviz.ui.rooms.matrices.counting import counting
from attnviz.ui.rooms.matrices.ladder import ladder
from attnviz.ui.rooms.matrices.ribbon import ribbon
from attnviz.ui.rooms.matrices.together import together

PANELS = {
    "ribbon": ribbon,
    "axis": axis,
    "together": together,
    "counting": counting,
    "ladder": ladder,
}
