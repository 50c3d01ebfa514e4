"""See: one sentence and every number of its self-attention, on one screen."""

from attnviz.ui import bar, see

bar.draw()
bar.head()
see.first_screen()
see.ways_on()
see.ancestry()
see.where_weights_come_from()
see.maps()
see.heads()
see.nudge()
see.bert()
