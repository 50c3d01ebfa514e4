"""Heads: several attentions side by side, how they become one output, and one of your own."""

from attnviz.ui import frame
from attnviz.ui.rooms import heads

frame.show_one(heads.PANELS)
