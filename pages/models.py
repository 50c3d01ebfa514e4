"""Models: a real model and a text of one's own, and what its heads do with it."""

from attnviz.ui import frame
from attnviz.ui.rooms import models
from attnviz.ui.rooms.models import head, in_hand

frame.show_one(
    models.PANELS,
    groups=models.groups(),
    applies=models.applies,
    head=head.draw,
    news=head.wait,
    beside=in_hand.draw,
)
