"""What the first visitor would otherwise wait for: imports, and one drawing of the first page."""

from attnviz.figures import heatmaps, steps
from attnviz.settings import Settings
from attnviz.text import LANGUAGES, words
from attnviz.ui import cached, see, walk

PAGES = (see, walk)


def draw_once() -> None:
    """Compute the first example in each language and draw its figures."""
    for language in LANGUAGES:
        t = words(language)
        scene = cached.scene(Settings(), language)
        head = scene.trace.head(0)
        heatmaps.heatmap(head.weights, "weights", scene.tokens, scene.tokens, t).to_json()
        for step in head.steps():
            steps.step_figure(scene.trace, step.name, scene.query, scene.tokens, t)
