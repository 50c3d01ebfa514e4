"""A figure for a projector is the same picture with larger lengths."""

import numpy as np

from attnviz.figures import bars, heatmaps
from attnviz.figures.sizes import enlarged
from attnviz.text import words

T = words("en")


def test_a_larger_heat_map_has_larger_lettering_and_the_same_numbers():
    weights = np.eye(3)
    figure = heatmaps.heatmap(weights, "weights", "abc", "abc", T, row=1)
    larger = enlarged(figure, 1.5)
    assert larger.layout.height == 1.5 * figure.layout.height
    assert larger.layout.width == 1.5 * figure.layout.width
    assert larger.layout.font.size == 1.5 * figure.layout.font.size
    assert larger.layout.margin.l == 1.5 * figure.layout.margin.l
    assert larger.layout.xaxis.tickfont.size == 1.5 * figure.layout.xaxis.tickfont.size
    assert larger.layout.shapes[0].line.width == 1.5 * figure.layout.shapes[0].line.width
    assert larger.layout.yaxis.range == figure.layout.yaxis.range
    assert larger.to_plotly_json()["data"][0]["z"] == figure.to_plotly_json()["data"][0]["z"]
    assert larger.data[0].xgap == 1.5 * figure.data[0].xgap


def test_bars_keep_their_share_of_the_axis():
    figure = bars.perturbation_bars(np.array([0.5, 1.0]), ["a", "b"], T)
    larger = enlarged(figure, 2)
    assert larger.data[0].width == figure.data[0].width
    assert larger.layout.height == 2 * figure.layout.height


def test_drawing_once_as_large_changes_nothing():
    figure = heatmaps.heatmap(np.eye(2), "scores", "ab", "ab", T)
    assert enlarged(figure, 1).to_json() == figure.to_json()
