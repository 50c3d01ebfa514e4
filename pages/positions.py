"""Positions: what an order of tokens is to attention, and each way to tell it."""

from attnviz.ui import frame
from attnviz.ui.rooms import positions

frame.show_one(positions.PANELS)
