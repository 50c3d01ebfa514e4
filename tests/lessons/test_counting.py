"""The counter of learned numbers."""

import pytest

from attnviz.lessons.counting import counted, learned, splits
from attnviz.scene import scene_of
from attnviz.settings import Settings


def counts(positions="none", **chosen):
    trace = scene_of(Settings(positions=positions, **chosen)).trace
    return counted(trace, positions)


def named(found):
    return {each.name: each for each in found}


def test_the_hero_learns_three_times_three_by_two_numbers():
    found = counts()
    assert learned(found) == 18
    assert [each.name for each in found if each.learned] == ["w_q", "w_k", "w_v"]
    assert {each.shape for each in found if each.learned} == {(3, 2)}
    computed = ["inputs", "query", "key", "value", "scores", "weights", "output"]
    assert [each.name for each in found if not each.learned] == computed
    assert named(found)["scores"].count == 16


def test_more_tokens_learn_nothing_more():
    assert learned(counts(sentence="saw " * 30)) == 18


def test_heads_bring_their_own_matrices_and_one_that_joins_them():
    found = counts(n_heads=4, w_source="random")
    assert named(found)["w_o"].shape == (8, 3)
    assert learned(found) == 4 * 18 + 24


def test_shared_keys_and_values_are_counted_once():
    found = named(counts(n_heads=4, n_kv_heads=2, w_source="random"))
    assert (found["w_q"].blocks, found["w_k"].blocks, found["key"].blocks) == (4, 2, 2)


@pytest.mark.parametrize(
    ("positions", "chosen", "more"),
    [
        ("none", {}, 0),
        ("sinusoidal", {}, 0),
        ("rotary", {}, 0),
        ("alibi", {}, 0),
        ("learned", {}, 4 * 3),
        ("learned", {"position_vectors": ((0.5, 1, 0),) * 4}, 4 * 3),
        ("t5", {"n_buckets": 6}, 6),
        ("shaw", {"clip": 1}, 3 * 2 + 3 * 2),
    ],
)
def test_positions_count_where_they_are_learned(positions, chosen, more):
    assert learned(counts(positions, **chosen)) == 18 + more


def test_the_examples_own_positions_are_given_not_learned():
    found = counts("example", example="two_heads")
    assert named(found)["positions"].learned is False
    assert learned(found) == learned(counts(example="two_heads"))


@pytest.mark.parametrize(
    ("score", "more"), [("dot", 0), ("cosine", 0), ("bilinear", 4), ("additive", 4 + 4 + 2)]
)
def test_a_score_with_matrices_of_its_own_learns_them_once(score, more):
    assert learned(counts(score=score)) == 18 + more


def test_more_heads_of_the_same_width_learn_as_much():
    shared = splits(4, 4, 4, 8)
    assert [split.n_heads for split in shared] == [1, 2, 4]
    assert {split.count for split in shared} == {64}
    assert [(split.d_k, split.d_v) for split in shared] == [(4, 4), (2, 2), (1, 1)]


def test_a_split_counts_what_that_layer_counts():
    for split in splits(3, 6, 6, 8):
        made = {"n_heads": split.n_heads, "d_k": split.d_k, "d_v": split.d_v}
        layer = counts(w_source="random", **made)
        joining = 0 if split.n_heads > 1 else split.joining  # one head alone has no W^o
        assert learned(layer) + joining == split.count


def test_widths_that_share_no_divisor_stay_in_one_head():
    assert [split.n_heads for split in splits(3, 2, 3, 8)] == [1]
