"""`attnviz.metrics`: every metric under one name."""

import inspect

import numpy as np
import pytest
import torch

import attnviz
from attnviz import metrics
from tests.attention.weights import heads

PROMISED = {
    "rows": ("entropy", "effective_tokens", "jensen_shannon"),
    "shares": ("mean_distance", "next_share", "self_share", "token_share", "sink_share"),
    "patterns": ("previous_share", "induction_score", "duplicate_score"),
    "layers": ("rollout", "flow", "norm_weighted", "effective_attention", "head_map"),
}


def test_the_names_others_rely_on_are_there():
    assert {name for names in PROMISED.values() for name in names} <= set(metrics.__all__)
    assert attnviz.metrics is metrics
    assert "metrics" in attnviz.__all__


def test_everything_listed_is_there_and_says_what_it_is():
    for name in metrics.__all__:
        listed = getattr(metrics, name)
        assert name == "HEAD_TYPES" or inspect.getdoc(listed), name


@pytest.mark.parametrize(
    ("name", "keywords"),
    [
        ("entropy", {"unit", "normalized", "allowed"}),
        ("norm_weighted", {"residual", "layer_norm"}),
        ("flow", {"normalized", "rows", "columns", "progress"}),
    ],
)
def test_the_keywords_others_rely_on_are_there(name, keywords):
    parameters = inspect.signature(getattr(metrics, name)).parameters
    assert keywords <= set(parameters)


PLAIN = (
    metrics.entropy,
    metrics.effective_tokens,
    metrics.mean_distance,
    metrics.previous_share,
    metrics.next_share,
    metrics.self_share,
    metrics.sink_share,
)


@pytest.mark.parametrize("metric", PLAIN)
def test_a_tensor_a_list_and_an_array_give_the_same(metric):
    weights = heads(1, 2, 4)
    expected = metric(weights)
    np.testing.assert_array_equal(metric(torch.tensor(weights)), expected)
    np.testing.assert_array_equal(metric(weights.tolist()), expected)
    assert metric(weights[0]) == pytest.approx(expected[0])
