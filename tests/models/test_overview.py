"""A map in a few pixels is the whole map, pooled; and it is never made whole."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from attnviz.models import layers, overview
from attnviz.models.layers import Layer
from attnviz.models.visible import Visible


def random_layer(n_query, n_key, ahead=None, seed=0):
    rng = np.random.default_rng(seed)
    query = rng.normal(size=(2, n_query, 5)).astype(np.float32)
    key = rng.normal(size=(1, n_key, 5)).astype(np.float32)
    rule = Visible(n_query=n_query, n_key=n_key, ahead=ahead)
    return Layer(name="l", visible=rule, query=query, key=key, value=key, scale=0.4)


def pooled(weights, found, how):
    rows = [slice(*each) for each in zip(found.row_edges, found.row_edges[1:], strict=False)]
    columns = [slice(*e) for e in zip(found.column_edges, found.column_edges[1:], strict=False)]
    return np.array([[how(weights[row, column]) for column in columns] for row in rows])


@settings(deadline=None)
@given(
    n=st.integers(1, 23),
    more=st.integers(0, 7),
    pixels=st.integers(1, 30),
    ahead=st.sampled_from([None, 0, 2]),
    tile=st.integers(1, 200),
)
def test_each_pixel_is_the_largest_and_the_mean_of_its_block(n, more, pixels, ahead, tile):
    layer = random_layer(n, n + more, ahead)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(overview, "TILE", tile)
        patch.setattr(layers, "TILE", tile)
        found = overview.overview(layer, 1, pixels)
        largest = overview.largest_of_blocks(layer, 1, pixels)
    np.testing.assert_array_equal(largest, found.largest)
    weights = layer.weights(1)
    assert found.largest.shape == (min(n, pixels), min(n + more, pixels))
    assert_allclose(found.largest, pooled(weights, found, np.max), atol=1e-6)
    assert_allclose(found.mean, pooled(weights, found, np.mean), atol=1e-6)


@settings(deadline=None)
@given(n=st.integers(1, 23), tile=st.integers(1, 60))
def test_an_output_made_in_tiles_is_weights_times_values(n, tile):
    layer = random_layer(n, n, 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layers, "TILE", tile)
        output = layer.output(1)
    assert_allclose(output, layer.weights(1) @ layer.value[0], atol=1e-5)


def test_a_long_map_is_never_made_whole():
    layer = random_layer(5_003, 5_003, 0)
    tracemalloc.start()
    overview.overview(layer, 0, 128)
    overview.row_check(layer, 0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * layers.TILE * np.float32().nbytes < 5_003**2 * np.float32().nbytes


def test_no_pixels_are_refused():
    with pytest.raises(ValueError, match="pixels must be 1 or more"):
        overview.overview(random_layer(3, 3), 0, 0)


@settings(deadline=None)
@given(n=st.integers(1, 23), small=st.integers(1, 300), few=st.sampled_from([0, 1_024]))
def test_scores_made_a_few_rows_at_a_time_are_the_same(n, small, few):
    layer = random_layer(n, n, 0)
    whole = layer.scores(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layers, "SMALL_PRODUCT", small)
        patch.setattr(layers, "FEW", few)
        assert_allclose(layer.scores(1), whole, rtol=1e-5, atol=1e-6)
