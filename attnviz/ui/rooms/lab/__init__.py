"""The page Lab: two settings side by side, and experiments on each part of attention."""

from attnviz.ui.rooms.lab import importance
from attnviz.ui.rooms.lab.bench import bench
from attnviz.ui.rooms.lab.dropout import attention_dropout
from attnviz.ui.rooms.lab.normalizers import normalizers
from attnviz.ui.rooms.lab.painter import mask_painter
from attnviz.ui.rooms.lab.scaling import width_explorer
from attnviz.ui.rooms.lab.score_functions import score_functions
from attnviz.ui.rooms.lab.temperatures import two_temperatures

PANELS = {
    "bench": bench,
    "scaling": width_explorer,
    "temperatures": two_temperatures,
    "normalizers": normalizers,
    "score_functions": score_functions,
    "painter": mask_painter,
    "importance": importance.panel,
    "dropout": attention_dropout,
}
