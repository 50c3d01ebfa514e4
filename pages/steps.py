"""Step by step: one output, from its query to the weighted sum."""

from attnviz.ui import bar, walk

bar.draw()
bar.head()
walk.asking_token()
walk.deck()
