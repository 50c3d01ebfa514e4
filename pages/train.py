"""Train: a small self-attention model learns, and everything in it can be watched."""

from attnviz.ui import frame
from attnviz.ui.rooms import train

frame.show_one(train.PANELS, head=train.head)
