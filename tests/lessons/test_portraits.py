"""Each position code by itself: what it says of places, distances and heads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.attention import POSITIONS
from attnviz.attention.position_codes import alibi_slopes, t5_buckets
from attnviz.attention.positions import PositionSizes
from attnviz.lessons.portraits import buckets, portrait, toeplitz_spread

SIZES = PositionSizes(11, 11, d_model=6, d_k=4, d_v=3, n_heads=3)


@pytest.mark.parametrize("name", POSITIONS)
def test_every_code_has_a_portrait(name):
    drawn = portrait(name, SIZES, {})
    assert drawn.map.shape == (11, 11)
    assert len(drawn.table) == len(drawn.places)
    assert np.isfinite(drawn.table).all()


@pytest.mark.parametrize("name", ["sinusoidal", "sinusoidal_tensor2tensor", "rotary"])
@pytest.mark.parametrize("n", [4, 32, 128])
def test_waves_and_turns_meet_by_their_distance_alone(name, n):
    drawn = portrait(name, PositionSizes(n, n, 6, 4, 3, 1), {})
    assert drawn.spread < 2e-14
    assert drawn.by_distance


def test_an_odd_width_ends_with_a_sine_that_has_no_cosine():
    drawn = portrait("sinusoidal", PositionSizes(32, 32, 3, 2, 2, 1), {})
    assert not drawn.by_distance
    assert portrait("sinusoidal", PositionSizes(32, 32, 4, 2, 2, 1), {}).by_distance


def test_the_two_sinusoidal_codes_are_not_the_same():
    paper, library = (
        portrait(name, PositionSizes(2, 2, 4, 2, 2, 1), {}).table[1]
        for name in ("sinusoidal", "sinusoidal_tensor2tensor")
    )
    np.testing.assert_allclose(paper, [0.84147, 0.5403, 0.01, 0.99995], atol=5e-5)
    np.testing.assert_allclose(library, [0.84147, 0.0001, 0.5403, 1.0], atol=5e-5)


def test_a_learned_table_does_not_know_distances():
    assert not portrait("learned", SIZES, {"seed": 3}).by_distance


def test_a_typed_table_is_drawn_as_it_is():
    table = np.arange(12.0).reshape(4, 3)
    drawn = portrait(table, PositionSizes(4, 4, 3, 2, 2, 1), {})
    np.testing.assert_array_equal(drawn.table, table)
    np.testing.assert_array_equal(drawn.map, table @ table.T)


def test_alibi_falls_by_the_slope_of_each_head():
    drawn = portrait("alibi", SIZES, {}, head=2)
    np.testing.assert_array_equal(drawn.places, np.arange(-10, 11))
    np.testing.assert_allclose(drawn.table, -np.abs(drawn.places)[:, None] * alibi_slopes(3))
    assert drawn.map[0, 10] == pytest.approx(-10 * alibi_slopes(3)[2])
    one_way = portrait("alibi", SIZES, {"symmetric": False})
    np.testing.assert_allclose(one_way.table, drawn.places[:, None] * alibi_slopes(3))


def test_biases_and_distances_are_read_from_the_map_by_distance():
    for name in ("alibi", "t5"):
        drawn = portrait(name, SIZES, {}, head=1)
        for i, j in ((0, 10), (10, 0), (4, 6), (5, 5)):
            assert drawn.map[i, j] == drawn.table[j - i + 10, 1]


def test_shaw_counts_what_lies_beyond_as_the_farthest():
    drawn = portrait("shaw", SIZES, {"clip": 3})
    assert (drawn.map[0, 3], drawn.map[0, 9], drawn.map[9, 0]) == (3, 3, -3)
    np.testing.assert_array_equal(drawn.table[0], drawn.table[7])
    assert (drawn.table[7] != drawn.table[8]).all()


@given(st.integers(0, 10**6), st.integers(1, 7))
def test_the_spread_is_0_just_where_a_map_depends_on_the_distance(seed, n):
    by_distance = np.random.default_rng(seed).normal(size=2 * n - 1)
    table = by_distance[np.subtract.outer(np.arange(n), np.arange(n)) + n - 1]
    assert toeplitz_spread(table) == 0
    if n > 1:
        table[0, 0] += 1
        assert toeplitz_spread(table) == pytest.approx(1)


@given(st.integers(2, 16), st.integers(9, 60), st.booleans())
def test_buckets_hold_every_distance_once(n_buckets, far, both):
    n_buckets += n_buckets % 2 if n_buckets > 3 or not both else 4 - n_buckets
    found = buckets(n_buckets, far, both)
    for distance in range(-far - 5, far + 6):
        mine = [b.number for b in found if _inside(b, distance, both)]
        asked = {"bidirectional": both, "n_buckets": n_buckets, "max_distance": far}
        assert mine == [int(t5_buckets(np.array([distance]), **asked)[0])]


def _inside(bucket, distance: int, both: bool) -> bool:
    near, last = bucket.nearest, bucket.farthest
    if near == 0 and last is None:
        return distance >= 0
    if (near > 0) != (distance > 0) or (near == 0) != (distance == 0):
        return False
    return abs(near) <= abs(distance) and (last is None or abs(distance) <= abs(last))
