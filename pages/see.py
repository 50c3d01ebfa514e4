"""See: one sentence and every number of its self-attention, on one screen."""

from attnviz.ui import frame, see

frame.show(see.PANELS, empty=see.empty_panels())
