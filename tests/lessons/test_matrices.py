import numpy as np
import pytest
from numpy.testing import assert_allclose

from attnviz.attention.projections import Projections
from attnviz.errors import InputError
from attnviz.lessons.examples import EXAMPLES
from attnviz.lessons.matrices import MatrixSource, Sizes, random_block, score_parameters, together

HERO, TWO_HEADS = EXAMPLES["hero"].projections, EXAMPLES["two_heads"].projections


def made(source="example", example=HERO, seed=0, typed=None, **sizes):
    own = {"d_model": example.d_model, "d_k": example.d_k, "d_v": example.d_v}
    chosen = {"n_heads": example.n_heads} | own | sizes
    chosen.setdefault("n_kv_heads", chosen["n_heads"])
    return MatrixSource(source, typed or {}, example, seed).matrices(Sizes(**chosen))


def test_the_example_keeps_its_matrices():
    hero, two_heads = made(), made(example=TWO_HEADS)
    assert_allclose(hero.projections.w_q, HERO.w_q, rtol=0)
    assert hero.projections.w_o is None
    assert (hero.head_sources, hero.output_source) == (("typed",), "")
    assert_allclose(two_heads.projections.w_o, TWO_HEADS.w_o, rtol=0)
    assert (two_heads.head_sources, two_heads.output_source) == (("typed", "typed"), "identity")


def test_more_heads_than_the_example_has_are_random():
    more = made(n_heads=3)
    assert_allclose(more.projections.w_k[0], HERO.w_k[0], rtol=0)
    assert more.head_sources == ("typed", "random", "random")
    assert more.projections.w_o is not None
    assert more.projections.w_o.shape == (6, 3)
    assert more.output_source == "random"


@pytest.mark.parametrize("source", ["example", "random", "identity"])
def test_one_head_more_changes_no_other(source):
    fewer, more = made(source, n_heads=2), made(source, n_heads=3)
    for name in ("w_q", "w_k", "w_v"):
        assert_allclose(getattr(more.projections, name)[:2], getattr(fewer.projections, name))


@pytest.mark.parametrize("other", [{"d_model": 5}, {"d_k": 7}])
def test_what_the_example_does_not_have_in_a_size_is_random(other):
    assert made(**other).head_sources == ("random",)


def test_another_width_of_values_leaves_queries_and_keys_alone():
    wider = made(d_v=5)
    assert_allclose(wider.projections.w_q, HERO.w_q, rtol=0)
    assert wider.head_sources == ("random",)


def test_the_identity_passes_numbers_on():
    one, two = made("identity"), made("identity", n_heads=2)
    assert_allclose(one.projections.w_q, [np.eye(3, 2)], rtol=0)
    assert one.projections.w_o is None
    assert two.projections.w_o is not None
    assert_allclose(two.projections.w_o, np.eye(4, 3), rtol=0)
    assert (two.head_sources, two.output_source) == (("identity", "identity"), "identity")


def test_random_matrices_depend_on_the_seed_alone_and_stay_readable():
    one, same, other = (made("random", seed=seed).projections.w_q for seed in (7, 7, 8))
    assert_allclose(one, same, rtol=0)
    assert_allclose(one, np.round(one, 1), rtol=0)
    assert np.abs(one - other).max() > 0
    assert made("random").head_sources == ("random",)


@pytest.mark.parametrize("rows", [1, 3, 16])
def test_random_matrices_give_outputs_as_large_as_inputs(rows):
    drawn = np.array([random_block("w_q", block, rows, 16, 0) for block in range(40)])
    assert_allclose(drawn.var(), 1 / rows, rtol=0.25)


W_Q = ((1, 0), (0, 1), (2, 2))


def test_what_is_typed_is_used_and_the_rest_is_the_examples():
    typed = made("typed", typed={"w_q": W_Q})
    assert_allclose(typed.projections.w_q, [W_Q], rtol=0)
    assert_allclose(typed.projections.w_k, HERO.w_k, rtol=0)
    assert typed.head_sources == ("typed",)


def test_heads_of_a_typed_matrix_stand_side_by_side():
    w_q = tuple(tuple(range(row, row + 4)) for row in range(3))
    typed = made("typed", typed={"w_q": w_q}, n_heads=2).projections
    assert_allclose(typed.w_q, Projections.split(w_q, w_q, w_q, None, 2).w_q, rtol=0)


def test_a_typed_output_matrix_serves_a_single_head_too():
    typed = made("typed", typed={"w_o": ((1, 2, 3), (4, 5, 6))})
    assert typed.output_source == "typed"
    assert typed.projections.d_out == 3


def test_typed_matrices_wait_while_another_source_is_chosen():
    assert_allclose(made("example", typed={"w_q": W_Q}).projections.w_q, HERO.w_q, rtol=0)


def test_numbers_that_were_typed_but_are_the_random_ones_are_called_random():
    drawn = random_block("w_q", 0, 3, 2, 0)
    typed = {"w_q": tuple(map(tuple, drawn.tolist()))}
    assert made("typed", typed=typed).head_sources == ("random",)


def test_grouped_heads_share_keys_and_values():
    shared = made("random", n_heads=4, n_kv_heads=2)
    assert shared.projections.n_kv_heads == 2
    assert shared.head_sources == ("random",) * 4


@pytest.mark.parametrize(
    ("arguments", "code", "values"),
    [
        (
            {"n_heads": 3, "n_kv_heads": 2},
            "heads.not_shared_evenly",
            {"n_heads": 3, "n_kv_heads": 2},
        ),
        (
            {"source": "typed", "typed": {"w_q": ((1.0, 2.0),)}},
            "weights.shape",
            {"name": "W^q", "expected": "3 × 2", "got": "1 × 2"},
        ),
        (
            {"source": "typed", "typed": {"w_k": W_Q}, "n_heads": 2},
            "weights.shape",
            {"name": "W^k", "expected": "3 × 4", "got": "3 × 2"},
        ),
        (
            {"source": "typed", "typed": {"w_q": ((1, 0), (0, 1), (2, 1e7))}},
            "number.too_large",
            {"name": "W^q", "row": 3, "column": 2, "most": "1,000,000"},
        ),
        (
            {"source": "typed", "typed": {"w_v": ((1, 0), (float("nan"), 1), (2, 1))}},
            "number.too_large",
            {"name": "W^v", "row": 2, "column": 1, "most": "1,000,000"},
        ),
    ],
)
def test_what_does_not_fit_is_refused_by_name(arguments, code, values):
    with pytest.raises(InputError) as refused:
        made(**arguments)
    assert (refused.value.code, refused.value.values) == (code, values)


def test_several_sources_are_as_random_as_the_most_random():
    assert together({"typed", "random", "identity"}) == "random"
    assert together({"typed", "identity"}) == "typed"
    assert together({"identity"}) == "identity"


def test_a_bilinear_score_is_near_the_dot_product_but_not_symmetric():
    w = np.array(score_parameters("bilinear", 5, 0)["score.w"])
    assert np.abs(w - np.eye(5)).max() <= 0.5
    assert np.abs(w - w.T).max() > 0
