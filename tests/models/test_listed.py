"""All heads in a table, how far they are apart, and the same head read otherwise."""

import numpy as np
import pytest

from attnviz.attention.rollout import rollout
from attnviz.errors import InputError
from attnviz.models.listed import every_head, listed, similar
from attnviz.models.read_otherwise import reading_of, readings
from attnviz.models.results import Capture


def random_heads(
    n_layers: int = 3, n_heads: int = 2, n: int = 6, seed: int = 0
) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.dirichlet(np.ones(n), (n_heads, n)).astype(np.float32) for _ in range(n_layers)]


def captured(weights=None, tokens: str = "abcabc") -> Capture:
    return Capture.from_attentions(random_heads() if weights is None else weights, list(tokens))


def test_the_table_has_every_head_in_order_and_its_own_numbers():
    capture, told = captured(), []
    found = listed(capture, lambda done, total: told.append((done, total)))
    assert [(each.layer, each.head) for each in found] == list(every_head(capture))
    assert told[-1] == (6, 6)
    assert found[3].self_share == pytest.approx(np.diag(capture.weights(1, 1)).mean(), abs=1e-6)


def test_induction_is_known_from_the_tokens():
    after = np.eye(6, dtype=np.float32)
    after[3:, :] = np.eye(6, dtype=np.float32)[1:4]  # c b a look at what followed them
    (head,) = listed(captured([after[None]]))
    assert head.induction_score == pytest.approx(1)
    assert "induction" in head.types
    (once,) = listed(captured([after[None]], "abcdef"))
    assert once.induction_score is None


def test_two_sequences_have_no_neighbours_even_where_equally_long():
    weights = random_heads(1)
    capture = Capture.from_attentions(weights, list("abcdef"), list("uvwxyz"))
    for head in listed(capture):
        assert head.previous_share is None
        assert head.mean_distance is None
        assert head.entropy is not None


def test_the_map_keeps_equal_heads_together():
    one = random_heads(1)[0]
    weights = [np.stack([one[0], one[1]]), np.stack([one[0], one[1][::-1]])]
    found = similar(captured(weights), 0)
    assert found.heads == ((0, 0), (0, 1), (1, 0), (1, 1))
    np.testing.assert_allclose(found.places[0], found.places[2], atol=1e-6)
    assert found.nearest((0, 0)) == ((1, 0), pytest.approx(0, abs=1e-6))
    assert found.nearest((7, 7)) is None
    assert (found.step, found.left_out) == (1, ())


@pytest.mark.parametrize("total", [0.9995, 0.999, 1.0005, 0])
def test_rows_a_little_off_have_no_distance_and_break_nothing(total):
    weights = random_heads(1, 4)[0].astype(float)
    weights[2, 1:3] *= total
    found = similar(captured([weights]), 0)
    assert found.left_out == ((0, 2),)
    assert np.isfinite(found.distances).all()


def test_weights_kept_as_float64_or_half_precision_are_read_as_they_were():
    single = random_heads(2, 3, 24)
    half = [each.astype(np.float16).astype(np.float32) for each in single]
    expected = [each.normalized_entropy for each in listed(captured(single, "x" * 24))]
    for heads in (
        [each.astype(float) for each in single],
        [each.tolist() for each in single],
        half,
    ):
        capture = captured(heads, "x" * 24)
        assert similar(capture, 0).left_out == ()
        found = [each.normalized_entropy for each in listed(capture)]
        assert found == pytest.approx(expected, abs=1e-3)


def test_heads_that_are_no_shares_are_left_out_and_named():
    weights = random_heads(1, 3)[0]
    weights[1] *= 0.5
    found = similar(captured([weights]), 0)
    assert found.heads == ((0, 0), (0, 2))
    assert found.left_out == ((0, 1),)
    weights[0] *= 0.5
    with pytest.raises(InputError, check=lambda error: "not_comparable" in error.code):
        similar(captured([weights]), 0)


def test_readings_are_those_of_the_engine():
    capture = captured()
    assert readings(capture, 1) == ("weight", "rollout", "flow")
    own = reading_of(capture, 1, 1, "weight")
    np.testing.assert_allclose(own.numbers, capture.weights(1, 1))
    through = reading_of(capture, 1, 0, "rollout")
    np.testing.assert_allclose(through.numbers, rollout(random_heads()[:2]), atol=1e-6)


def test_the_flow_of_one_row_is_that_row_of_all():
    capture, told = captured(), []
    every = reading_of(capture, 2, 0, "flow")
    one = reading_of(capture, 2, 0, "flow", row=4, progress=lambda *done: told.append(done))
    np.testing.assert_array_equal(one.numbers[4], every.numbers[4])
    assert one.seen[4].all()
    assert one.seen.sum() == 6
    assert told[-1] == (6, 6)
    shown, ranges = one.at((3, 4), (0, 5))
    assert shown.shape == (2, 2)
    assert ranges.tolist() == [[0, -1], [0, 1]]
    bound = reading_of(capture, 2, 0, "rollout").numbers
    assert (every.numbers >= bound - 1e-5).all()


def test_a_causal_stack_sends_nothing_back():
    lower = np.tril(np.ones((6, 6)))
    weights = (lower / lower.sum(axis=1, keepdims=True)).astype(np.float32)[None]
    found = reading_of(captured([weights, weights]), 1, 0, "rollout")
    assert not found.seen[np.triu_indices(6, 1)].any()
    assert not found.numbers[np.triu_indices(6, 1)].any()


def test_a_flow_of_many_tokens_is_refused():
    n = 128
    weights = np.full((1, n, n), 1 / n, dtype=np.float32)
    with pytest.raises(InputError, check=lambda error: "reading_too_long" in error.code):
        reading_of(captured([weights], "x" * n), 0, 0, "flow")


def test_two_sequences_have_no_rollout():
    capture = Capture.from_attentions(random_heads(1), list("abcdef"), list("uvwxyz"))
    assert readings(capture, 0) == ("weight",)


def test_a_head_with_an_empty_row_where_others_have_weights_is_left_out_and_named():
    heads = random_heads(1, 4)[0].copy()
    heads[2, 3] = 0
    found = similar(captured([heads]), 0)
    assert found.heads == ((0, 0), (0, 1), (0, 3))
    assert found.left_out == ((0, 2),)
    heads[:, 3] = 0  # empty in all of them, as where a mask hides every key
    assert similar(captured([heads]), 0).left_out == ()
