"""One query against every key, scored in every way."""

import numpy as np
import pytest

from attnviz.attention import attend_heads
from attnviz.lessons.scored import WAYS, choices_of, in_each_way
from attnviz.scene import scene_of
from attnviz.settings import Settings

CHOSEN = [
    {},
    {"normalizer": "topk", "k": 1, "mask": "causal"},
    {"positions": "shaw", "n_heads": 2, "head": 1, "w_source": "random", "d_k": 3},
    {"positions": "alibi", "temperature": 0.5, "query": 3},
    {"positions": "rotary", "score": "additive", "seed": 4},
]


@pytest.mark.parametrize("chosen", CHOSEN, ids=str)
def test_each_way_is_what_a_whole_head_with_that_score_computes(chosen):
    scene = scene_of(Settings(**chosen))
    head, i = scene.trace.head(scene.head), scene.query
    for one in in_each_way(head, i, scene.seed):
        choices = choices_of(one.name, head, scene.seed)
        trace = attend_heads(
            scene.inputs, scene.projections, choices, mask=scene.mask, positions=scene.positions
        ).head(scene.head)
        np.testing.assert_allclose(one.scores, trace.scaled_scores[i], atol=1e-12)
        np.testing.assert_allclose(one.weights, trace.weights[i], atol=1e-12)


def test_a_score_is_the_sum_of_its_products_and_stays_in_its_range():
    scene = scene_of(Settings(w_source="random", d_k=5, seed=2))
    for one in in_each_way(scene.trace.head(0), 1, scene.seed):
        summed = np.array([left @ right for left, right in one.terms])
        scale = 1 / np.sqrt(5) if one.name == "scaled" else 1
        np.testing.assert_allclose(summed * scale, one.scores, atol=1e-12)
        if one.range is not None:
            assert one.range[0] <= one.scores.min() <= one.scores.max() <= one.range[1]
    assert [one.range is None for one in in_each_way(scene.trace.head(0), 1, 0)] == [
        True,
        True,
        False,
        False,
        True,
    ]


def test_the_hero_is_scored_by_hand():
    by_name = dict(zip(WAYS, in_each_way(scene_of(Settings()).trace.head(0), 1, 0), strict=True))
    np.testing.assert_array_equal(by_name["dot"].scores, [-2, 0, 1, 0])
    np.testing.assert_allclose(
        by_name["scaled"].weights, [0.0569, 0.2341, 0.4748, 0.2341], atol=5e-5
    )
    np.testing.assert_allclose(by_name["cosine"].scores, [-2 / 20**0.5, 0, 1 / 10**0.5, 0])
