"""The page Models: a real model, a text of one's own, and what its heads do with it."""

from attnviz.ui.rooms.models import (
    head_list,
    hiding,
    one_head,
    overview,
    reading,
    similar,
    why,
)

PANELS = {
    "all_heads": overview.panel,
    "lines": one_head.lines,
    "map": one_head.map_,
    "hidden": hiding.panel,
    "why": why.panel,
    "readings": reading.panel,
    "head_table": head_list.panel,
    "similar": similar.panel,
}
