"""Why one weight is what it is: every step is the layer's own formula."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.models.explained import MOST_PRODUCTS, explained
from attnviz.models.layers import Layer
from attnviz.models.visible import Bias, Visible

few = settings(max_examples=40, deadline=None)


def a_layer(seed: int, n: int = 7, *, causal=False, bias=False, cap=None, sinks=False) -> Layer:
    rng = np.random.default_rng(seed)
    made = [
        rng.normal(size=shape).astype(np.float32) for shape in ((4, n, 11), (2, n, 11), (2, n, 5))
    ]
    table = rng.normal(size=(4, n, n)).astype(np.float32)
    return Layer(
        name="made",
        visible=Visible(n_query=n, n_key=n, ahead=0 if causal else None),
        query=made[0],
        key=made[1],
        value=made[2],
        scale=0.3,
        bias=Bias.of(table) if bias else None,
        soft_cap=cap,
        sinks=rng.normal(size=4) if sinks else None,
    )


@few
@given(
    st.integers(0, 999),
    st.integers(0, 3),
    st.tuples(st.integers(0, 6), st.integers(0, 6)),
    st.fixed_dictionaries(
        {
            "causal": st.booleans(),
            "bias": st.booleans(),
            "cap": st.none() | st.just(1.5),
            "sinks": st.booleans(),
        }
    ),
)
def test_the_steps_end_at_the_layers_own_weight_and_output(seed, head, pair, how):
    layer = a_layer(seed, **how)
    found = explained(layer, head, *pair)
    query, key = pair
    assert found.weight == pytest.approx(float(layer.weights(head, query)[key]), abs=1e-5)
    assert found.score == pytest.approx(float(layer.scores(head, query)[key]), abs=1e-4)
    assert found.allowed == (not how["causal"] or key <= query)
    assert found.weight == (
        0 if not found.allowed else pytest.approx(found.exponential / found.total)
    )
    assert found.output == pytest.approx(np.linalg.norm(layer.output(head)[query]), abs=1e-4)
    assert found.adds == pytest.approx(
        found.weight * np.linalg.norm(layer.value[head // 2][key]), abs=1e-5
    )


@few
@given(st.integers(0, 999))
def test_the_largest_products_and_the_rest_are_the_score(seed):
    found = explained(a_layer(seed), 1, 3, 4)
    assert found.products[found.first].sum() + found.rest == pytest.approx(found.score)
    sizes = np.abs(found.products[found.order])
    assert (np.diff(sizes) <= 0).all()
    assert len(found.first) == MOST_PRODUCTS


def test_a_query_that_sees_nothing_has_the_weight_0():
    layer = a_layer(0)
    hidden = Visible(n_query=7, n_key=7, table=np.zeros((1, 7, 7), dtype=bool))
    blind = Layer(name="blind", visible=hidden, query=layer.query, key=layer.key)
    found = explained(blind, 0, 2, 2)
    assert (found.weight, found.total, found.n_allowed) == (0, 0, 0)
    assert found.adds is None


def test_weights_alone_have_no_scores():
    given_ = np.full((1, 2, 2), 0.5, dtype=np.float32)
    layer = Layer(name="given", visible=Visible(n_query=2, n_key=2), given=given_)
    with pytest.raises(ValueError, match="weights alone"):
        explained(layer, 0, 0, 0)
