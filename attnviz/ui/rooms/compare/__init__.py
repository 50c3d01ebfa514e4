"""The page Compare: attention beside what came before it, and what it becomes elsewhere."""

from functools import partial

from attnviz.ui.rooms.compare.convolution import convolution
from attnviz.ui.rooms.compare.costs import costs
from attnviz.ui.rooms.compare.graph import graph
from attnviz.ui.rooms.compare.head import head as head_of
from attnviz.ui.rooms.compare.labelling import labelling
from attnviz.ui.rooms.compare.linear import linear
from attnviz.ui.rooms.compare.picture import picture
from attnviz.ui.rooms.compare.receptive import receptive
from attnviz.ui.rooms.compare.recurrence import recurrence
from attnviz.ui.rooms.compare.speech import speech
from attnviz.ui.rooms.compare.window_fc import window_fc

PANELS = {
    "labelling": labelling,
    "window_fc": window_fc,
    "convolution": convolution,
    "receptive": receptive,
    "recurrence": recurrence,
    "speech": speech,
    "picture": picture,
    "graph": graph,
    "linear": linear,
    "costs": costs,
}
"""In the order of the lecture: labels and the window, what came before, what it becomes, costs."""

head = partial(head_of, PANELS)

__all__ = ["PANELS", "head"]
