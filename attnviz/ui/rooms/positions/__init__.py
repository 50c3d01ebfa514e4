"""The questions of the page Positions, in the order in which they come up."""

from attnviz.ui.rooms.positions.adding import adding
from attnviz.ui.rooms.positions.codes import codes
from attnviz.ui.rooms.positions.combining import combining
from attnviz.ui.rooms.positions.lamp import two_equal_tokens
from attnviz.ui.rooms.positions.rotation import rotation
from attnviz.ui.rooms.positions.shuffling import shuffling
from attnviz.ui.rooms.positions.wrap import wrap

PANELS = {
    "lamp": two_equal_tokens,
    "shuffle": shuffling,
    "adding": adding,
    "codes": codes,
    "rotation": rotation,
    "combining": combining,
    "wrap": wrap,
}
