"""Compare: attention beside windows, convolutions, pictures and long sound."""

from attnviz.ui import frame
from attnviz.ui.rooms import compare

frame.show_one(compare.PANELS, head=compare.head)
