"""Lab: two settings side by side, and what each choice in attention does."""

from attnviz.ui import frame
from attnviz.ui.rooms import lab

frame.show_one(lab.PANELS)
