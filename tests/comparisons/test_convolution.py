"""A convolution by attention: exact numbers, torch, and the laws of the border."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.comparisons.convolution import (
    SEED,
    as_attention,
    convolve,
    drawn_picture,
    errors,
    likeness,
    offsets,
    placed,
)


def torchs(content, kernel, bias=None):
    """Convolve as torch does, with the channels last again."""
    sides = [side // 2 for side in kernel.shape[2:]]
    convolution = {1: torch.nn.functional.conv1d, 2: torch.nn.functional.conv2d}[len(sides)]
    channels_first = torch.tensor(np.moveaxis(content, -1, 0))[None]
    bias = None if bias is None else torch.tensor(bias)
    found = convolution(channels_first, torch.tensor(kernel), bias, padding=tuple(sides))
    return np.moveaxis(found[0].numpy(), 0, -1)


@pytest.mark.parametrize(
    ("grid", "cells"), [((5, 10), (3, 3)), ((7, 6), (5, 3)), ((11,), (3,)), ((13,), (7,))]
)
def test_both_convolutions_are_torchs(grid, cells):
    rng = np.random.default_rng(3)
    content, bias = rng.normal(size=(*grid, 2)), rng.normal(size=5)
    kernel = rng.normal(size=(5, 2, *cells))
    expected = torchs(content, kernel, bias)
    np.testing.assert_allclose(convolve(content, kernel, bias), expected, atol=1e-12)
    ring = max(cells) // 2
    found = likeness(content, kernel, sharpness=60, ring=ring).found + bias
    np.testing.assert_allclose(found, expected, atol=1e-10)


def test_the_bias_is_the_layers_own():
    kernel = np.random.default_rng(0).normal(size=(2, 3, 3))
    np.testing.assert_array_equal(as_attention(kernel, [1.0, 2.0], sharpness=3).b_o, [1, 2])


def test_the_lectures_picture_errs_inside_by_what_the_sharpness_says():
    found = errors(*drawn_picture(SEED), (1, 5, 10, 20))
    assert [f"{inside:.2g}" for inside, _ in found] == ["13", "0.48", "0.0033", "1.5e-07"]
    assert round(found[0, 0], 1) == 12.6
    np.testing.assert_allclose(found[1:, 1], 10.6, atol=0.1)  # sharper is no better at the border


def test_a_ring_of_zero_tokens_puts_the_border_right():
    found = errors(*drawn_picture(SEED), (1, 5, 10, 20), ring=1)
    assert [f"{max(each):.2g}" for each in found] == ["14", "0.6", "0.0042", "1.9e-07"]


def test_fifty_is_as_sharp_as_numbers_can_tell():
    content, kernel = drawn_picture(SEED)
    assert likeness(content, kernel, sharpness=50, ring=1).error.max() < 1e-12


@given(
    seed=st.integers(0, 10_000),
    rows=st.integers(3, 6),
    columns=st.integers(3, 7),
    sharpness=st.sampled_from((8, 12, 16)),
)
@settings(max_examples=25, deadline=None)
def test_the_leak_is_what_the_nearest_neighbours_take(seed, rows, columns, sharpness):
    rng = np.random.default_rng(seed)
    content, kernel = rng.normal(size=(rows, columns, 2)), rng.normal(size=(3, 2, 3, 3))
    same = likeness(content, kernel, sharpness=sharpness, ring=1)
    most = 2 * np.abs(content).max() * np.abs(kernel).sum()
    assert same.error.max() <= 4.1 * np.exp(-sharpness) * most
    np.testing.assert_allclose(same.trace.weights.sum(axis=-1), 1)


def test_each_head_looks_at_its_own_cell():
    content, kernel = drawn_picture(SEED)
    same = likeness(content, kernel, sharpness=20)
    for head, (down, right) in enumerate(offsets(kernel)):
        looks = same.looks(head, (2, 4))
        assert np.unravel_index(looks.argmax(), looks.shape) == (2 + down, 4 + right)
        assert looks.max() > 1 - 1e-8


def test_a_head_without_a_neighbour_falls_back_on_the_nearest_token():
    content, kernel = drawn_picture(SEED)
    looks = likeness(content, kernel, sharpness=20).looks(0, (0, 0))  # up and left of the corner
    assert looks.argmax() == 0
    assert looks[0, 0] > 1 - 1e-8


def test_all_heads_share_keys_and_values():
    layer = as_attention(np.zeros((4, 3, 3, 3)), sharpness=2)
    assert (layer.n_heads, layer.n_kv_heads) == (9, 1)
    assert layer.w_o is not None
    assert layer.w_o.shape == (27, 4)


def test_no_sharpness_reads_everyone_alike():
    content, kernel = drawn_picture(1)
    np.testing.assert_allclose(likeness(content, kernel, sharpness=0).trace.weights, 1 / 50)


def test_tokens_carry_their_place():
    tokens = placed(np.ones((2, 3, 1)), ring=1)
    assert tokens.shape == (20, 5)
    np.testing.assert_array_equal(tokens[:, 0].reshape(4, 5)[1:3, 1:4], 1)
    assert tokens[:, 0].sum() == 6
    np.testing.assert_array_equal(tokens[:, 4], tokens[:, 2] ** 2 + tokens[:, 3] ** 2)


@pytest.mark.parametrize("cells", [(2,), (3, 4), ()])
def test_an_even_side_is_refused(cells):
    with pytest.raises(ValueError, match="must be odd"):
        as_attention(np.zeros((1, 1, *cells)), sharpness=1)


def test_a_kernel_must_fit_its_grid():
    with pytest.raises(ValueError, match="cannot slide"):
        convolve(np.zeros((5, 5, 1)), np.zeros((1, 1, 3)))


def test_sharpness_below_0_is_refused():
    with pytest.raises(ValueError, match="at least 0"):
        as_attention(np.zeros((1, 1, 3)), sharpness=-1)
