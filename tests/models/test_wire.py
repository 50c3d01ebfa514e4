"""What goes through the pipe comes out as it was, and nothing can change it."""

import io

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from attnviz.models import wire


def sent(message):
    stream = io.BytesIO()
    wire.write(stream, message)
    stream.seek(0)
    return wire.read(stream)


@pytest.mark.parametrize("family", ["t5", "mistral", "deberta", "gpt_oss"])
def test_a_capture_comes_out_as_it_went_in(tiny, family):
    target = "a dog" if family == "t5" else None
    capture = tiny(family).capture("the cat sat on a mat", target=target)
    came = sent({"done": capture})["done"]
    assert came.tokens == capture.tokens
    assert came.target_tokens == capture.target_tokens
    assert came.predictions == capture.predictions
    assert (came.model, came.kind, came.tier) == (capture.model, capture.kind, capture.tier)
    for place, layer in enumerate(capture.layers):
        for head in range(layer.n_heads):
            assert_array_equal(came.weights(place, head), capture.weights(place, head))
            assert came.check(place, head) == capture.check(place, head)
    with pytest.raises(ValueError, match="read-only"):
        (came.layers[0].query if came.layers[0].has_scores else came.layers[0].given)[0, 0, 0] = 1


def test_an_array_that_is_shared_is_sent_once():
    array = np.arange(1000.0)
    stream = io.BytesIO()
    wire.write(stream, {"one": array, "other": array})
    assert len(stream.getvalue()) < 1.5 * array.nbytes
    came = sent({"one": array, "other": array, "none": np.zeros((0, 3), np.int8)})
    assert came["one"] is came["other"]
    assert came["none"].shape == (0, 3)


def test_a_stream_that_breaks_off_is_none():
    stream = io.BytesIO()
    wire.write(stream, {"text": "今天", "numbers": np.ones(5)})
    whole = stream.getvalue()
    for length in (0, 5, 20, len(whole) - 1):
        assert wire.read(io.BytesIO(whole[:length])) is None
    assert wire.read(io.BytesIO(whole))["text"] == "今天"


def test_objects_never_come_through():
    with pytest.raises((TypeError, ValueError)):
        sent({"bad": np.array([{}], dtype=object)})
