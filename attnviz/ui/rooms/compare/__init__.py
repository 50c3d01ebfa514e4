"""The page Compare: attention beside what came before it, and what it becomes elsewhere."""

from attnviz.ui.rooms.compare.convolution import convolution
from attnviz.ui.rooms.compare.costs import costs
from attnviz.ui.rooms.compare.graph import graph
from attnviz.ui.rooms.compare.head import head
from attnviz.ui.rooms.compare.labelling import labelling
from attnviz.ui.rooms.compare.linear import linear
from attnviz.ui.rooms.compare.picture import picture
from attnviz.ui.rooms.compare.receptive import receptive
from attnviz.ui.rooms.compare.recurrence import recurrence
from attnviz.ui.rooms.compare.speech import speech
from attnviz.ui.rooms.compare.window_fc import window_fc

PANELS = {
    "convolution": convolution,
    "receptive": receptive,
    "picture": picture,
    "window_fc": window_fc,
    "speech": speech,
    "labelling": labelling,
    "recurrence": recurrence,
    "graph": graph,
    "linear": linear,
    "costs": costs,
}

__all__ = ["PANELS", "head"]
