"""The same number of parameters, whatever the number of heads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.errors import InputError
from attnviz.lessons.head_count import count, even_heads, head_width
from attnviz.lessons.matrices import MatrixSource, Sizes
from attnviz.lessons.sharing import divisors


def test_one_head_of_four_and_two_of_two_have_64_parameters():
    # TEACHING.md (c) 23: with W^O, d_model = 4
    assert [count(even_heads(4, n, seed=0), 4).total for n in (1, 2, 4)] == [64, 64, 64]


@given(d_model=st.integers(1, 16), n_tokens=st.integers(1, 9))
def test_parameters_and_products_do_not_depend_on_the_number_of_heads(d_model, n_tokens):
    made = [count(even_heads(d_model, n, seed=1), n_tokens) for n in divisors(d_model)]
    assert {each.total for each in made} == {4 * d_model**2}
    assert {each.products for each in made} == {
        4 * n_tokens * d_model**2 + 2 * n_tokens**2 * d_model
    }
    assert [each.n_heads * each.d_head for each in made] == [d_model] * len(made)


@pytest.mark.parametrize(("d_model", "n_heads"), [(4, 3), (3, 2), (5, 0), (4, 8)])
def test_heads_that_do_not_divide_the_width_are_refused(d_model, n_heads):
    with pytest.raises(InputError) as refused:
        head_width(d_model, n_heads)
    assert refused.value.code == "heads.not_dividing"
    assert refused.value.values["known"] == ", ".join(map(str, divisors(d_model)))


def test_the_heads_are_those_that_the_drawer_would_draw():
    own = even_heads(4, 2, seed=7)
    source = MatrixSource("random", {}, own, 7)
    drawn = source.matrices(Sizes(2, 2, 4, 2, 2)).projections
    for name in ("w_q", "w_k", "w_v", "w_o"):
        assert (getattr(drawn, name) == getattr(own, name)).all()
