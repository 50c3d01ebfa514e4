"""A head designed in place: its own block changes, every other number stays."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.lessons.challenges import FEATURES, TARGETS, judge, solution, target_of
from attnviz.scene import Scene, scene_of
from attnviz.settings import Settings
from attnviz.ui.rooms.heads import design

CROWD = Settings(n_heads=4, n_kv_heads=2, w_source="random", d_k=3, seed=5)


def changed(settings: Settings, **blocks: np.ndarray) -> Scene:
    return scene_of(replace(settings, **design.exchanged(scene_of(settings), **blocks)))


@pytest.mark.parametrize("head", range(4))
def test_only_the_head_in_hand_changes(head):
    settings = replace(CROWD, head=head)
    before, block = scene_of(settings), np.full((3, 3), 7.0)
    after = changed(settings, w_q=block, w_k=-block)
    np.testing.assert_array_equal(design.block(after, "w_q"), block)
    np.testing.assert_array_equal(design.block(after, "w_k"), -block)
    others = [other for other in range(4) if other != head]
    np.testing.assert_array_equal(after.projections.w_q[others], before.projections.w_q[others])
    own = head // 2
    np.testing.assert_array_equal(after.projections.w_k[1 - own], before.projections.w_k[1 - own])
    for name in ("w_v", "w_o"):
        np.testing.assert_array_equal(
            getattr(after.projections, name), getattr(before.projections, name)
        )


def test_a_fresh_start_keeps_the_tokens_and_the_view_and_forgets_the_rest():
    settings = Settings(sentence="one two one", mask="causal", digits=4, n_heads=3, amount=2)
    fresh = design.fresh(settings, scene_of(settings))
    scene = scene_of(fresh)
    assert scene.tokens == ("one", "two", "one")
    assert design.started(scene)
    assert not design.started(scene_of(settings))
    assert scene.projections.w_q.shape == (1, len(FEATURES), 2)
    assert not scene.projections.w_q.any()
    assert fresh.digits == 4
    assert fresh.amount is None
    assert scene.mask is None


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("sentence", ["", "a b", "the cat sat on the mat and the dog ran"])
def test_every_target_can_be_reached_from_a_fresh_start(target, sentence):
    settings = Settings(sentence=sentence)
    fresh = design.fresh(settings, scene_of(settings))
    w_q, w_k = solution(target, scene_of(fresh).tokens)
    scene = changed(fresh, w_q=w_q, w_k=w_k)
    assert judge(scene.trace.weights[0], target_of(target, scene.tokens)).solved
    moved = design.exchanged(scene, w_q=2 * w_q)
    again = scene_of(replace(fresh, **moved))
    assert judge(again.trace.weights[0], target_of(target, scene.tokens)).solved
