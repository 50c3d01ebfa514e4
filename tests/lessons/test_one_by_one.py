"""Pair by pair, or all at once: the same numbers and the same work."""

import numpy as np
import pytest

from attnviz.attention import MASKS, NORMALIZERS, SCORES
from attnviz.lessons.one_by_one import alone, one_by_one, work
from attnviz.scene import scene_of
from attnviz.settings import Settings

CROWD = {"n_heads": 2, "w_source": "random", "d_k": 4, "d_v": 3, "head": 1}
PLACED = ["none", "sinusoidal", "rotary", "alibi", "t5", "shaw"]


def head(**chosen):
    scene = scene_of(Settings(**chosen))
    return scene.trace.head(scene.head)


def test_the_hero_takes_sixteen_products_of_two_terms():
    trace = head()
    np.testing.assert_array_equal(one_by_one(trace), trace.scores)
    whole = work(trace)
    assert (whole.pairs, whole.terms) == (16, 2)
    assert (whole.multiplications, whole.additions) == (32, 16)
    assert work(trace, 5).multiplications == 10


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("positions", PLACED)
def test_pair_by_pair_gives_the_scores_to_the_last_bit(score, positions):
    trace = head(score=score, positions=positions, **CROWD)
    assert np.abs(one_by_one(trace) - trace.scores).max() <= 1e-15 * np.abs(trace.scores).max()
    assert work(trace).terms == 4


@pytest.mark.parametrize("normalizer", NORMALIZERS)
@pytest.mark.parametrize("positions", PLACED)
@pytest.mark.parametrize("mask", ["everyone", "causal"])
def test_an_output_needs_no_other_output(normalizer, positions, mask):
    trace = head(normalizer=normalizer, positions=positions, mask=mask, scale="sqrt_d_k", **CROWD)
    for query in range(trace.n_query):
        np.testing.assert_allclose(alone(trace, query), trace.output[query], rtol=1e-12, atol=1e-14)


def test_who_sees_nothing_is_zero_alone_as_well():
    trace = head(mask="custom", cells=("1010", "0000", "0110", "1111"))
    np.testing.assert_array_equal(alone(trace, 1), [0, 0])


def test_one_token_is_one_product():
    trace = head(sentence="saw")
    assert work(trace).pairs == 1
    np.testing.assert_array_equal(one_by_one(trace), trace.scores)


def test_the_causal_mask_hides_and_does_not_save_products():
    assert work(head(mask="causal")).pairs == MASKS["everyone"](4, 4).sum()
