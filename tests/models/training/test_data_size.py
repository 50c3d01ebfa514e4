"""Little data and much: the strings, the curves that are shipped, and the script that made them."""

import json
from collections import Counter
from dataclasses import asdict, replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnviz.errors import InputError
from attnviz.models.training import make_data_size as script
from attnviz.models.training.data_size import (
    CURVES,
    FAR,
    LENGTH,
    LOCAL,
    N_TESTS,
    NETWORKS,
    POOLS,
    SEEDS,
    SIZES,
    Making,
    Point,
    PointPlan,
    crossing,
    curves,
    examples,
    has_motif,
    lessons,
    new_strings,
    strings,
)

FEW = Making(steps=3)


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 300))
def test_a_label_is_what_the_string_says(seed, n):
    drawn = strings(np.random.default_rng(seed), n)
    assert drawn.signs.shape == (n, LENGTH)
    assert set(drawn.signs[:, 1:].ravel().tolist()) <= set(range(10))
    np.testing.assert_array_equal(drawn.signs[:, 0], np.where(drawn.far, FAR, LOCAL))
    local, far = ~drawn.far, drawn.far
    there = has_motif(drawn.signs).any(axis=1)
    np.testing.assert_array_equal(there[local], drawn.labels[local] == 1)
    equal = drawn.signs[:, 1] == drawn.signs[:, -1]
    np.testing.assert_array_equal(equal[far], drawn.labels[far] == 1)


def test_a_small_set_is_part_of_a_larger_one_and_none_of_it_is_tested():
    small, large = lessons(0, 100), lessons(0, 1_000)
    np.testing.assert_array_equal(small.signs, large.signs[:100])
    assert len(new_strings().labels) == N_TESTS
    assert 0.25 < new_strings().far.mean() < 0.35
    assert 0.45 < new_strings().labels.mean() < 0.55
    known = {row.tobytes() for row in lessons(0, max(SIZES)).signs}
    assert not known & {row.tobytes() for row in new_strings().signs}


def test_the_shown_examples_are_of_each_kind():
    found = examples()
    pairs = list(zip(found.far.tolist(), found.labels.tolist(), strict=True))
    assert pairs == [(False, 1), (False, 0), (True, 1), (True, 0)]


def test_the_shipped_points_are_every_one_that_the_script_makes():
    found = curves()
    expected = {
        (network, pool, n, seed)
        for network in NETWORKS
        for pool in POOLS
        for n in SIZES
        for seed in range(SEEDS)
    }
    counted = Counter((each.network, each.pool, each.n, each.seed) for each in found.points)
    assert counted == dict.fromkeys(expected, 1)
    assert found.sizes == SIZES
    assert found.making == Making()
    assert found.weights == {network: script.n_weights(network) for network in NETWORKS}
    assert set(found.versions) == {"python", "torch", "numpy"}
    assert CURVES.stat().st_size < 40_000


def test_the_parts_of_a_shipped_point_add_up_to_the_whole():
    share_far = float(new_strings().far.mean())
    for point in curves().points:
        whole = (1 - share_far) * point.local + share_far * point.far
        assert point.both == pytest.approx(whole, abs=2e-4)
        assert min(point.learned, point.local, point.far) >= 0
        assert max(point.learned, point.local, point.far) <= 1


def test_a_shipped_point_is_made_again():
    shipped = next(
        each
        for each in curves().points
        if (each.network, each.pool, each.n, each.seed) == ("convolution", "mean", 300, 0)
    )
    again = script.learned("convolution", "mean", [(300, 0)], Making())[0]
    # sums in another order end a little elsewhere after so many steps
    assert again.learned == shipped.learned
    for what in ("both", "local", "far"):
        assert getattr(again, what) == pytest.approx(getattr(shipped, what), abs=0.04)


def test_the_toy_carries_the_claim_little_data_and_much():
    convolution, attention = (curves().shares(each, "mean", "both") for each in NETWORKS)
    assert (convolution[:3].min(axis=1) > attention[:3].max(axis=1)).all()
    assert (attention[-2:].min(axis=1) > convolution[-2:].max(axis=1)).all()
    assert crossing(curves(), "mean", "both") == (2, 3)
    learned = curves().shares("attention", "mean", "learned")
    assert (learned[:2] == 1).all()  # by heart
    assert (attention[:2] < 0.65).all()


def test_a_mean_of_local_glances_is_never_better_than_chance_far_apart():
    far = curves().shares("convolution", "mean", "far")
    assert abs(far[1:] - 0.5).max() < 0.05
    by_maximum = curves().shares("convolution", "max", "far").mean(axis=1)
    assert by_maximum[-1] > 0.7


def test_curves_that_never_cross_have_no_crossing():
    assert crossing(curves(), "mean", "far") is None or crossing(curves(), "mean", "far") != (2, 3)
    turned = {"convolution": "attention", "attention": "convolution"}
    swapped = tuple(replace(each, network=turned[each.network]) for each in curves().points)
    other = replace(curves(), points=swapped)
    assert crossing(other, "mean", "both") is None


@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("network", NETWORKS)
def test_networks_that_learn_together_learn_what_each_learns_alone(network, pool):
    wanted = [(100, 0), (300, 1), (40, 2)]
    together = script.learned(network, pool, wanted, Making(steps=20))
    alone = [script.learned(network, pool, [each], Making(steps=20))[0] for each in wanted]
    for one, other in zip(together, alone, strict=True):
        assert (one.n, one.seed) == (other.n, other.seed)
        assert one.both == pytest.approx(other.both, abs=0.01)


@pytest.mark.parametrize("network", NETWORKS)
def test_a_convolution_sees_two_places_away_and_attention_everything(network):
    tensors = {
        name: torch.tensor(array[None], dtype=torch.float32)
        for name, array in script.initial(network, 0).items()
    }
    run = script._convolved if network == "convolution" else script._attended
    x = torch.randn(1, 1, LENGTH, script.WIDTH, generator=torch.Generator().manual_seed(0))
    moved = x.clone()
    moved[0, 0, 8] += 1
    changed = (run(tensors, x) - run(tensors, moved)).abs().amax(dim=-1)[0, 0] > 0
    expected = [abs(place - 8) <= 2 for place in range(LENGTH)]
    assert changed.tolist() == (expected if network == "convolution" else [True] * LENGTH)


def test_a_point_says_how_far_it_is_and_ends_with_both_networks():
    plan = PointPlan(n=40, making=Making(steps=60))
    waits = []
    found = list(script.made(plan, lambda: waits.append(1)))
    assert len(waits) == plan.steps == 120
    assert [each.step for each in found] == [50, 100, 120]
    assert [each.network for each in found[-1].points] == list(NETWORKS)
    alone = script.learned("convolution", "mean", [(40, 0)], plan.making)[0]
    assert found[-1].points[0] == alone


def test_the_last_news_of_a_point_comes_once_and_has_both_networks():
    found = list(script.made(PointPlan(n=40, making=Making(steps=50))))
    assert [(each.step, len(each.points)) for each in found] == [(50, 0), (100, 2)]


@pytest.mark.parametrize("n", [0, 19, 2_001])
def test_a_point_of_too_few_or_too_many_is_refused(n):
    with pytest.raises(InputError) as refused:
        PointPlan(n=n).checked()
    assert refused.value.code == "data_size.n"


def test_the_script_writes_what_is_read(tmp_path, capsys):
    file = tmp_path / "curves.json"
    sizes = ["--sizes", "20", "40"]
    assert script.main([*sizes, "--steps", "3", "--seeds", "2", "--file", str(file)]) == 0
    told = json.loads(file.read_text("utf-8"))
    assert set(told) == {"making", "weights", "versions", "seconds", "points"}
    assert told["making"] == asdict(FEW)
    points = [Point(**each) for each in told["points"]]
    assert len(points) == len(NETWORKS) * len(POOLS) * 2 * 2
    assert "attention max" in capsys.readouterr().out
    assert script.learned("attention", "max", [(20, 1)], FEW)[0].both == pytest.approx(
        next(
            each.both
            for each in points
            if (each.network, each.pool, each.n, each.seed) == ("attention", "max", 20, 1)
        ),
        abs=0.01,
    )
