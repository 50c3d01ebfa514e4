"""The page Train: a small self-attention model learns, and everything in it can be watched."""

from attnviz.ui.rooms.train import training
from attnviz.ui.rooms.train.head import head

PANELS = {"training": training.panel}

__all__ = ["PANELS", "head"]
