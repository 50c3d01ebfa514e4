from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention import MASKS, NORMALIZERS, HeadChoices, Projections, attend_heads
from attnviz.attention.checks import checks

LAW = settings(max_examples=40, deadline=None, database=None, derandomize=True)


def layer(seed=0, normalizer="softmax", mask=None, positions="none"):
    inputs = np.random.default_rng(seed).standard_normal((5, 7))
    w = Projections.random(7, 3, d_k=2, d_v=2, seed=seed)
    return attend_heads(
        inputs, w, HeadChoices(normalizer=normalizer), mask=mask, positions=positions
    )


def failing(trace):
    return {check.name for check in checks(trace) if not check.holds}


@LAW
@given(
    seed=st.integers(0, 10_000),
    normalizer=st.sampled_from(sorted(NORMALIZERS)),
    mask=st.sampled_from([None, "causal", "block"]),
    positions=st.sampled_from(["none", "sinusoidal", "shaw", "alibi"]),
)
def test_every_trace_keeps_every_law(seed, normalizer, mask, positions):
    made = {
        "causal": MASKS["causal"](5, 5),
        "block": MASKS["block"](5, 5, 2) & ~np.eye(5, dtype=bool),  # the last row sees nothing
        None: None,
    }[mask]
    assert failing(layer(seed, normalizer, made, positions)) == set()


@pytest.mark.parametrize(
    ("field", "spoilt", "law"),
    [
        ("weights", lambda w: w * 1.01, {"rows", "outputs"}),
        ("head_outputs", lambda b: b + 1e-6, {"outputs", "heads"}),
        ("output", lambda o: o + 1e-6, {"heads"}),
    ],
)
def test_a_spoilt_trace_fails_the_law_it_breaks(field, spoilt, law):
    trace = layer()
    assert failing(replace(trace, **{field: spoilt(getattr(trace, field))})) == law


def test_a_weight_behind_the_mask_is_found():
    trace = layer(mask=MASKS["causal"](5, 5))
    leaking = np.array(trace.weights)
    leaking[0, 0] = [0.5, 0.5, 0, 0, 0]
    assert "masked" in failing(replace(trace, weights=leaking))


def test_rows_are_not_asked_to_sum_to_one_where_they_do_not():
    assert not next(c for c in checks(layer(normalizer="relu")) if c.name == "rows").applies
