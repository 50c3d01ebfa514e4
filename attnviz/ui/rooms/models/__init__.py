"""The page Models: a real model, a text of one's own, and what its heads do with it."""

from attnviz.ui.rooms.models import one_head, overview

PANELS = {
    "all_heads": overview.panel,
    "lines": one_head.lines,
    "map": one_head.map_,
}
