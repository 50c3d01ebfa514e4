import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention import Projections, attend_heads

LAW = settings(max_examples=25, deadline=None, database=None, derandomize=True)
seeds = st.integers(0, 2**32 - 1)


def draw(seed, *shapes):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in shapes]


def test_projections_know_their_sizes():
    w = Projections(*draw(1, (6, 5, 2), (3, 7, 2), (3, 7, 11), (66, 13)))
    assert (w.n_heads, w.n_kv_heads, w.d_model, w.d_memory) == (6, 3, 5, 7)
    assert (w.d_k, w.d_v, w.d_out) == (2, 11, 13)
    assert dataclasses.replace(w, w_o=None).d_out == 66


@pytest.mark.parametrize(
    ("n_kv_heads", "read"),
    [(6, [0, 1, 2, 3, 4, 5]), (3, [0, 0, 1, 1, 2, 2]), (2, [0, 0, 0, 1, 1, 1]), (1, [0] * 6)],
)
def test_neighbouring_heads_share_keys_and_values(n_kv_heads, read):
    w = Projections.random(5, 6, d_k=2, d_v=3, seed=0, n_kv_heads=n_kv_heads)
    assert [w.kv_head(head) for head in range(6)] == read


@pytest.mark.parametrize("head", [-1, 6])
def test_kv_head_refuses_what_is_not_there(head):
    w = Projections.random(5, 6, d_k=2, d_v=3, seed=0)
    with pytest.raises(ValueError, match=rf"^head must be 0 ... 5, got {head}; heads count from 0"):
        w.kv_head(head)


@LAW
@given(seed=seeds)
def test_split_gives_each_head_a_block_of_columns(seed):
    w_q, w_k, w_v, w_o = draw(seed, (5, 12), (5, 4), (5, 14), (42, 13))
    b_q, b_k, b_v, b_o = draw(seed + 1, 12, 4, 14, 13)
    w = Projections.split(w_q, w_k, w_v, w_o, 6, 2, b_q=b_q, b_k=b_k, b_v=b_v, b_o=b_o)
    for head in range(6):
        np.testing.assert_array_equal(w.w_q[head], w_q[:, 2 * head : 2 * head + 2])
        np.testing.assert_array_equal(w.b_q[head], b_q[2 * head : 2 * head + 2])
    for head in range(2):
        np.testing.assert_array_equal(w.w_k[head], w_k[:, 2 * head : 2 * head + 2])
        np.testing.assert_array_equal(w.w_v[head], w_v[:, 7 * head : 7 * head + 7])
        np.testing.assert_array_equal(w.b_k[head], b_k[2 * head : 2 * head + 2])
        np.testing.assert_array_equal(w.b_v[head], b_v[7 * head : 7 * head + 7])
    np.testing.assert_array_equal(w.w_o, w_o)
    np.testing.assert_array_equal(w.b_o, b_o)


@LAW
@given(seed=seeds)
def test_split_projects_like_the_whole_matrix_cut_into_heads(seed):
    w_q, w_k, w_v, inputs = draw(seed, (5, 6), (5, 6), (5, 21), (11, 5))
    trace = attend_heads(inputs, Projections.split(w_q, w_k, w_v, None, n_heads=3))
    cut = (inputs @ w_q).reshape(11, 3, 2).transpose(1, 0, 2)
    np.testing.assert_allclose(trace.query, cut, atol=1e-13)


def test_random_is_the_same_for_the_same_seed_only():
    first, again, other = (Projections.random(7, 3, 2, 11, seed) for seed in (5, 5, 6))
    for name in ("w_q", "w_k", "w_v", "w_o"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
        assert (getattr(first, name) != getattr(other, name)).any()
    assert first.w_o.shape == (33, 7)


def test_random_keeps_the_size_of_what_it_multiplies():
    w = Projections.random(512, 2, d_k=128, d_v=64, seed=0)
    inputs = np.random.default_rng(0).standard_normal((64, 512))
    for name in ("w_q", "w_k", "w_v"):
        np.testing.assert_allclose((inputs @ getattr(w, name)[0]).std(), 1, rtol=0.05)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64"])
def test_projections_are_at_least_float32(dtype):
    w_q = np.ones((1, 3, 2), dtype)
    wanted = np.float32 if dtype in ("float16", "float32") else np.float64
    assert Projections(w_q, w_q, w_q).w_k.dtype == wanted


def test_projections_are_copied_and_locked():
    w_q = np.ones((1, 3, 2))
    w = Projections(w_q, w_q, w_q)
    w_q[:] = 0
    assert (w.w_q == 1).all()
    with pytest.raises(ValueError, match="read-only"):
        w.w_q[:] = 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        w.w_q = w_q


FITTING = {
    "w_q": (6, 5, 2),
    "w_k": (3, 5, 2),
    "w_v": (3, 5, 11),
    "w_o": (66, 13),
    "b_q": (6, 2),
    "b_k": (3, 2),
    "b_v": (3, 11),
    "b_o": (13,),
}


def test_projections_that_fit_are_accepted():
    Projections(**{name: np.ones(shape) for name, shape in FITTING.items()})


@pytest.mark.parametrize(
    ("name", "shape", "message"),
    [
        (
            "w_q",
            (5, 2),
            r"w_q must have the axes \(head, d_model, d_k\), got shape \(5, 2\); give it",
        ),
        (
            "w_q",
            (4, 5, 2),
            "n_heads must be a multiple of n_kv_heads, got 4 heads and 3; let every",
        ),
        (
            "w_k",
            (3, 5, 7),
            r"w_k must be \(kv_head, d_memory, d_k\) = \(3, 5, 2\), got \(3, 5, 7\); fit",
        ),
        (
            "w_v",
            (2, 5, 11),
            r"w_v must be \(kv_head, d_memory, d_v\) = \(3, 5, 11\), got \(2, 5, 11\)",
        ),
        ("w_v", (3, 7, 11), r"w_v must be .* = \(3, 5, 11\), got \(3, 7, 11\); fit it to"),
        (
            "w_o",
            (33, 13),
            r"w_o must be \(head x d_v, d_out\) = \(66, 13\), got \(33, 13\); fit it",
        ),
        ("b_q", (3, 2), r"b_q must be \(head, d_k\) = \(6, 2\), got \(3, 2\); fit it to"),
        ("b_k", (6, 2), r"b_k must be \(kv_head, d_k\) = \(3, 2\), got \(6, 2\); fit it to"),
        ("b_v", (3, 2), r"b_v must be \(kv_head, d_v\) = \(3, 11\), got \(3, 2\); fit it to"),
        ("b_o", (5,), r"b_o must be \(d_out\) = \(13,\), got \(5,\); fit it to"),
    ],
)
def test_projections_that_do_not_fit_are_refused(name, shape, message):
    matrices = {each: np.ones(size) for each, size in FITTING.items()}
    with pytest.raises(ValueError, match=f"^{message}"):
        Projections(**(matrices | {name: np.ones(shape)}))


def test_projections_that_are_not_finite_are_refused():
    w = np.ones((1, 3, 2))
    bad = w.copy()
    bad[0, 2, 1] = np.nan
    place = r"\[0, 2, 1\] \(kv_head 0, d_memory 2, d_k 1\)"
    with pytest.raises(ValueError, match=rf"^w_k must hold finite .* got nan at {place}"):
        Projections(w, bad, w)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_heads": 5}, "columns of w_q must share out evenly over n_heads, got 6 columns and 5"),
        ({"n_heads": 0}, "columns of w_q must share out evenly over n_heads, got 6 columns and 0"),
        (
            {"n_kv_heads": 4},
            "columns of w_k must share out evenly over n_kv_heads, got 6 columns and 4",
        ),
        (
            {"b_q": np.ones(5)},
            "columns of b_q must share out evenly over n_heads, got 5 columns and 3",
        ),
    ],
)
def test_split_refuses_columns_that_do_not_share_out(change, message):
    w = np.ones((5, 6))
    with pytest.raises(ValueError, match=f"^the {message}; choose a number that divides"):
        Projections.split(**({"w_q": w, "w_k": w, "w_v": w, "w_o": None, "n_heads": 3} | change))
