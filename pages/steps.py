"""Step by step: one output, from its query to the weighted sum."""

from attnviz.ui import frame, walk

frame.show(walk.PANELS)
