"""Models: a real model and a text of one's own, and what its heads do with it."""

from attnviz.ui import frame
from attnviz.ui.rooms import models
from attnviz.ui.rooms.models import head

frame.show(models.PANELS, head=head.draw, news=head.wait)
