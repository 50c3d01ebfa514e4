"""The page Train: a small self-attention model learns, and everything in it can be watched."""

from attnviz.ui.rooms.train import data_size, film, seeds, training
from attnviz.ui.rooms.train.head import head

PANELS = {
    "training": training.panel,
    "seeds": seeds.panel,
    "data_size": data_size.panel,
    "film": film.panel,
}

__all__ = ["PANELS", "head"]
