import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention import MASKS, POSITIONS, HeadChoices, Projections, attend, attend_heads
from attnviz.attention.position_codes import keys_ahead
from attnviz.attention.positions import (
    PositionSizes,
    alibi,
    alibi_slopes,
    rotary,
    sinusoidal,
    sinusoidal_tensor2tensor,
    t5_buckets,
)

LAW = settings(max_examples=25, deadline=None, database=None, derandomize=True)
seeds = st.integers(0, 2**32 - 1)
widths = st.integers(1, 23)
pairings = st.sampled_from(["interleaved", "half"])
SIZES = PositionSizes(n_query=2, n_key=5, d_model=7, d_k=4, d_v=11, n_heads=3)


def draw(seed, *shapes):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in shapes]


# Sinusoidal


def test_sinusoidal_by_hand():
    code = sinusoidal(3, 4, base=100)  # the second wave is ten times slower
    expected = [[f(p * w) for w in (1, 0.1) for f in (math.sin, math.cos)] for p in range(3)]
    np.testing.assert_allclose(code, expected, rtol=1e-15)


@LAW
@given(d_model=widths, n_tokens=st.integers(1, 13))
def test_sinusoidal_follows_the_formula_in_any_width(d_model, n_tokens):
    code = sinusoidal(n_tokens, d_model)
    assert code.shape == (n_tokens, d_model)
    for place in range(n_tokens):
        for feature in range(d_model):
            angle = place / 10_000 ** (2 * (feature // 2) / d_model)
            expected = math.cos(angle) if feature % 2 else math.sin(angle)
            np.testing.assert_allclose(code[place, feature], expected, atol=1e-12)


@LAW
@given(half=st.integers(1, 13), base=st.sampled_from([10.0, 10_000]))
def test_sinusoidal_products_depend_on_the_distance_alone(half, base):
    code = sinusoidal(11, 2 * half, base)
    products = code @ code.T
    np.testing.assert_allclose(np.diag(products), half, rtol=1e-12)  # sin^2 + cos^2, half times
    for distance in range(11):
        diagonal = np.diagonal(products, distance)
        np.testing.assert_allclose(diagonal, diagonal[0], atol=1e-12)


@LAW
@given(half=st.integers(1, 13), step=st.integers(0, 17))
def test_sinusoidal_moving_is_one_rotation_for_all_positions(half, step):
    here, there = sinusoidal(5, 2 * half), sinusoidal(np.arange(5) + step, 2 * half)
    angles = step / 10_000 ** (np.arange(half) / half)
    rotation = np.zeros((2 * half, 2 * half))
    for pair, angle in enumerate(angles):
        cos, sin = math.cos(angle), math.sin(angle)
        rotation[2 * pair : 2 * pair + 2, 2 * pair : 2 * pair + 2] = [[cos, -sin], [sin, cos]]
    np.testing.assert_allclose(there, here @ rotation, atol=1e-12)


def test_sinusoidal_starts_with_zeros_and_ones():
    np.testing.assert_array_equal(sinusoidal(1, 5), [[0, 1, 0, 1, 0]])
    np.testing.assert_array_equal(sinusoidal(1, 1), [[0]])


def test_sinusoidal_takes_positions_of_any_kind():
    np.testing.assert_array_equal(sinusoidal([0, 1, 2], 7), sinusoidal(3, 7))
    np.testing.assert_allclose(sinusoidal([-1.5], 2), [[math.sin(-1.5), math.cos(1.5)]])


def test_sinusoidal_is_exact_far_out():
    code = sinusoidal(np.array([10_000], np.float32), 3)
    angles = [Fraction(10_000) / 1, 10_000 / 10_000 ** (2 / 3)]
    expected = [math.sin(angles[0]), math.cos(angles[0]), math.sin(angles[1])]
    np.testing.assert_allclose(code, [expected], atol=1e-11)


def test_tensor2tensor_puts_all_sines_first_and_reaches_the_base():
    code = sinusoidal_tensor2tensor(3, 7, base=100)  # waves 1, 10 and 100 times slow, then a zero
    for place in range(3):
        angles = [place, place / 10, place / 100]
        expected = [*map(math.sin, angles), *map(math.cos, angles), 0]
        np.testing.assert_allclose(code[place], expected, rtol=1e-12)


def test_tensor2tensor_of_few_features():
    np.testing.assert_array_equal(sinusoidal_tensor2tensor(3, 1), np.zeros((3, 1)))
    np.testing.assert_allclose(sinusoidal_tensor2tensor(2, 2)[1], [math.sin(1), math.cos(1)])


def test_tensor2tensor_is_not_the_paper_even_in_the_same_order():
    paper, library = sinusoidal(50, 512), sinusoidal_tensor2tensor(50, 512)
    same_order = np.hstack([paper[:, 0::2], paper[:, 1::2]])
    np.testing.assert_allclose(np.abs(same_order - library).max(), 0.07, atol=0.005)


@pytest.mark.parametrize("code", [sinusoidal, sinusoidal_tensor2tensor])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 7), "positions must be at least 1, got 0"),
        ((5, 0), "d_model must be at least 1, got 0"),
        ((5, 7, 0), "base must be a finite number above 0, got 0; 10 000 is usual"),
        ((5, 7, -2.5), "base must be a finite number above 0, got -2.5"),
        (([[1, 2]], 7), r"positions must have the axes \(token\), got shape \(1, 2\)"),
        (([1, float("nan")], 7), r"positions must hold finite .* nan at \[1\] \(token 1\)"),
    ],
)
def test_waves_refuse_what_they_cannot_write(code, arguments, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        code(*arguments)


# Rotary


def test_rotary_by_hand():
    # width 4: the first pair turns by p, the second by p / base^(1/2)
    x = [[1, 2, 3, 4], [1, 2, 3, 4]]
    turned = rotary(x, [0, math.pi / 2], base=4)
    half = math.sqrt(0.5)  # the second pair turns by pi / 4
    np.testing.assert_allclose(turned, [[1, 2, 3, 4], [-2, 1, -half, 7 * half]], atol=1e-15)
    turned = rotary(x, [0, math.pi / 2], base=4, pairs="half")  # pairs (1, 3) and (2, 4)
    expected = [[1, 2, 3, 4], [-3, (2 - 4) * half, 1, (4 + 2) * half]]
    np.testing.assert_allclose(turned, expected, atol=1e-15)


@LAW
@given(seed=seeds, half=st.integers(1, 7), pairs=pairings, base=st.sampled_from([10.0, 10_000]))
def test_rotary_keeps_lengths(seed, half, pairs, base):
    (x,) = draw(seed, (3, 11, 2 * half))
    turned = rotary(x, 11, pairs=pairs, base=base)
    lengths = np.linalg.norm(x, axis=-1)
    np.testing.assert_allclose(np.linalg.norm(turned, axis=-1), lengths, rtol=1e-12)
    np.testing.assert_array_equal(turned[:, 0], x[:, 0])  # position 0 stays


@LAW
@given(seed=seeds, half=st.integers(1, 7), pairs=pairings, moved=st.floats(-100, 100))
def test_rotary_products_depend_on_the_distance_alone(seed, half, pairs, moved):
    query, key = draw(seed, (5, 2 * half), (5, 2 * half))
    places = np.arange(5)
    here = rotary(query, places, pairs=pairs) @ rotary(key, places, pairs=pairs).T
    there = rotary(query, places + moved, pairs=pairs) @ rotary(key, places + moved, pairs=pairs).T
    np.testing.assert_allclose(there, here, atol=1e-11)


@LAW
@given(seed=seeds, half=st.integers(1, 7), pairs=pairings)
def test_rotary_turns_add_up(seed, half, pairs):
    (x,) = draw(seed, (5, 2 * half))
    first, second = draw(seed + 1, 5, 5)
    twice = rotary(rotary(x, first, pairs=pairs), second, pairs=pairs)
    np.testing.assert_allclose(twice, rotary(x, first + second, pairs=pairs), atol=1e-12)


@LAW
@given(seed=seeds, half=st.integers(1, 7), extra=st.integers(0, 3), base=st.floats(2, 1e6))
def test_rotary_pairings_are_one_map_in_another_order(seed, half, extra, base):
    (x,) = draw(seed, (5, 2 * half + extra))
    order = np.r_[0 : 2 * half : 2, 1 : 2 * half : 2, 2 * half : 2 * half + extra]
    apart = rotary(x[:, order], 5, pairs="half", rotary_dim=2 * half, base=base)
    together = rotary(x, 5, pairs="interleaved", rotary_dim=2 * half, base=base)
    np.testing.assert_allclose(apart, together[:, order], atol=1e-12)


def test_rotary_leaves_features_beyond_rotary_dim():
    (x,) = draw(1, (5, 7))
    turned = rotary(x, 5, rotary_dim=4)
    np.testing.assert_array_equal(turned[:, 4:], x[:, 4:])
    np.testing.assert_array_equal(turned[:, :4], rotary(x[:, :4], 5))
    np.testing.assert_array_equal(rotary(x, 5, rotary_dim=0), x)


@pytest.mark.parametrize(
    ("dtype", "kept"), [("float16", "float32"), ("float32", "float32"), ("int64", "float64")]
)
def test_rotary_dtype(dtype, kept):
    assert rotary(np.ones((5, 2), dtype), 5).dtype == kept


def test_rotary_gives_a_new_array():
    x = np.ones((1, 2))
    assert not np.shares_memory(rotary(x, 1), x)
    assert rotary(x, 1).flags.writeable


@pytest.mark.parametrize(
    ("x", "options", "message"),
    [
        (
            (5, 3),
            {},
            "rotary positions turn pairs: rotary_dim must be even and at most d_k = 3, got 3",
        ),
        (
            (5, 4),
            {"rotary_dim": 3},
            "rotary positions turn pairs: .* got 3; choose an even d_k, or a",
        ),
        (
            (5, 4),
            {"rotary_dim": 6},
            "rotary positions turn pairs: .* at most d_k = 4, got 6; choose",
        ),
        ((5, 4), {"rotary_dim": -2}, "rotary positions turn pairs: .* got -2; choose"),
        ((5, 4), {"pairs": "neox"}, 'pairs must be "interleaved" or "half", got \'neox\'; choose'),
        ((2, 4), {}, "positions must be one for each of the 2 tokens, got 5; give their number"),
        ((5, 4), {"base": 0}, "base must be a finite number above 0, got 0"),
    ],
)
def test_rotary_refuses_what_it_cannot_turn(x, options, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        rotary(np.ones(x), 5, **options)


def test_rotary_turns_queries_and_keys_of_a_layer_but_not_values():
    inputs, memory = draw(3, (3, 5), (7, 5))
    w = Projections.random(5, 4, d_k=2, d_v=11, seed=3, n_kv_heads=2)
    plain = attend_heads(inputs, w, memory=memory)
    turned = attend_heads(
        inputs,
        w,
        HeadChoices(parameters={"pairs": "half", "base": 100}),
        memory=memory,
        positions="rotary",
    )
    np.testing.assert_allclose(turned.query, rotary(plain.query, 3, pairs="half", base=100))
    np.testing.assert_allclose(turned.key, rotary(plain.key, 7, pairs="half", base=100))
    np.testing.assert_array_equal(turned.value, plain.value)


# ALiBi


def test_alibi_slopes_are_the_published_ones():
    # Press et al. 2022, §3: 1/2, 1/4 ... 1/256 for 8 heads; 12 heads: their code.
    eight = [2.0**-power for power in range(1, 9)]
    np.testing.assert_array_equal(alibi_slopes(8), eight)
    between = [2.0**-power for power in (0.5, 1.5, 2.5, 3.5)]
    np.testing.assert_allclose(alibi_slopes(12), eight + between, rtol=1e-15)
    np.testing.assert_array_equal(alibi_slopes(1), [2.0**-8])
    np.testing.assert_allclose(alibi_slopes(3), [2.0**-4, 2.0**-8, 2.0**-2])


@LAW
@given(n_heads=st.integers(1, 130))
def test_alibi_slopes_follow_the_recursion(n_heads):
    def slopes(n):
        if n & (n - 1) == 0:
            return [2.0 ** (-8 * (head + 1) / n) for head in range(n)]
        smaller = 1 << (n.bit_length() - 1)
        return slopes(smaller) + slopes(2 * smaller)[0::2][: n - smaller]

    np.testing.assert_allclose(alibi_slopes(n_heads), slopes(n_heads), rtol=1e-14)


def test_alibi_lowers_by_the_distance_back():
    bias = alibi(2, 3, 5)
    for head, slope in enumerate((2.0**-4, 2.0**-8)):
        for i in range(3):
            for j in range(5):
                assert bias[head, i, j] == -slope * (i - j)
    np.testing.assert_array_equal(alibi(2, 3, 5, symmetric=True), -np.abs(bias))
    assert not np.signbit(np.diagonal(alibi(2, 3, 3), axis1=1, axis2=2)).any()  # 0, not -0


@LAW
@given(seed=seeds)
def test_alibi_in_a_causal_layer_is_the_same_either_way(seed):
    (inputs,) = draw(seed, (5, 7))
    w, mask = Projections.random(7, 3, 2, 11, seed=1), MASKS["causal"](5, 5)
    one_way, either_way = (
        attend_heads(
            inputs,
            w,
            HeadChoices(parameters={"symmetric": symmetric}),
            mask=mask,
            positions="alibi",
        )
        for symmetric in (False, True)
    )
    np.testing.assert_allclose(one_way.weights, either_way.weights, atol=1e-13)


def test_alibi_is_added_after_scaling():
    (inputs,) = draw(5, (5, 7))
    w = Projections.random(7, 3, 4, 11, seed=1)
    trace = attend_heads(inputs, w, HeadChoices(scale="sqrt_d_k"), positions="alibi")
    expected = trace.scores / 2 + alibi(3, 5, 5, symmetric=True)
    np.testing.assert_allclose(trace.masked_scores, expected, rtol=1e-12)


def test_alibi_refuses_a_layer_without_heads():
    with pytest.raises(ValueError, match=r"^n_heads must be at least 1, got 0; nothing has fewer"):
        alibi_slopes(0)


# T5


def test_t5_buckets_by_hand():
    # One way, 8 buckets to distance 16: 0 1 2 3 exactly, then 4-5, 6-7, 8-11, 12 and more
    back = t5_buckets(-np.arange(20), bidirectional=False, n_buckets=8, max_distance=16)
    np.testing.assert_array_equal(back, [0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6] + [7] * 8)
    ahead = t5_buckets(np.arange(20), bidirectional=False, n_buckets=8, max_distance=16)
    np.testing.assert_array_equal(ahead, [0] * 20)
    both = t5_buckets([-20, -1, 0, 1, 20], bidirectional=True, n_buckets=8, max_distance=16)
    np.testing.assert_array_equal(both, [3, 1, 0, 5, 7])


@LAW
@given(
    bidirectional=st.booleans(),
    n_buckets=st.integers(4, 64),
    max_distance=st.integers(33, 300),
)
def test_t5_buckets_follow_the_formula_in_exact_numbers(bidirectional, n_buckets, max_distance):
    one_way = n_buckets // 2 if bidirectional else n_buckets
    exact = one_way // 2
    wide = one_way - exact

    def bucket(distance):
        if distance < exact:
            return distance
        t = 0  # the largest t with (max / exact)^(t / wide) <= distance / exact
        while Fraction(max_distance, exact) ** (t + 1) <= Fraction(distance, exact) ** wide:
            t += 1
        return min(exact + t, one_way - 1)

    for relative in (*range(-40, 41), -max_distance, -max_distance + 1, -10_000, 10_000):
        got = t5_buckets(
            relative, bidirectional=bidirectional, n_buckets=n_buckets, max_distance=max_distance
        )
        ahead = one_way if bidirectional and relative > 0 else 0
        distance = abs(relative) if bidirectional else max(-relative, 0)
        distance = min(distance, max_distance)
        assert got == bucket(distance) + ahead


@pytest.mark.parametrize(
    ("relative", "options", "message"),
    [
        ([0.5], {}, "relative must be whole numbers, key - query, got float64; subtract indices"),
        (
            0,
            {"n_buckets": 3},
            "each direction must have at least 2 buckets, .* got 1 buckets a dir",
        ),
        (
            0,
            {"max_distance": 2},
            "each direction must .* more than half of them, got 4 buckets a "
            "direction and max_distance 2; raise n_buckets or max_distance",
        ),
    ],
)
def test_t5_buckets_refuse_what_they_cannot_sort(relative, options, message):
    usual = {"bidirectional": True, "n_buckets": 8, "max_distance": 16}
    with pytest.raises(ValueError, match=f"^{message}"):
        t5_buckets(relative, **(usual | options))


def test_t5_adds_one_number_for_each_bucket_and_head():
    (inputs, table) = draw(7, (5, 7), (8, 3))
    w = Projections.random(7, 3, 2, 11, seed=1)
    choices = HeadChoices(parameters={"table": table, "bidirectional": False})
    trace = attend_heads(inputs, w, choices, positions="t5")
    for head, i, j in np.ndindex(3, 5, 5):
        bucket = [0, 1, 2, 3, 4][max(i - j, 0)]
        np.testing.assert_allclose(
            trace.masked_scores[head, i, j], trace.scores[head, i, j] + table[bucket, head]
        )


# What each code does to a layer


@pytest.mark.parametrize("name", POSITIONS)
def test_effects_fit_the_layer(name):
    effect = POSITIONS[name](SIZES)
    shapes = {
        "added": (5, 7),
        "bias": (3, 2, 5),
        "relative_key": (2, 5, 4),
        "relative_value": (2, 5, 11),
    }
    touched = {each for each in shapes if getattr(effect, each) is not None}
    for each in touched:
        assert getattr(effect, each).shape == shapes[each]
        assert not getattr(effect, each).flags.writeable
    expected = {
        "none": set(),
        "rotary": set(),
        "alibi": {"bias"},
        "t5": {"bias"},
        "shaw": {"relative_key", "relative_value"},
    }
    assert touched == expected.get(name, {"added"})
    assert (effect.turn is not None) == (name == "rotary")


@pytest.mark.parametrize("name", ["learned", "t5", "shaw"])
def test_random_tables_come_from_the_seed(name):
    def entries(**parameters):
        effect = POSITIONS[name](SIZES, **parameters)
        found = (effect.added, effect.bias, effect.relative_key, effect.relative_value)
        return np.concatenate([each.ravel() for each in found if each is not None])

    np.testing.assert_array_equal(entries(), entries(seed=0))
    assert (entries(seed=1) != entries(seed=0)).all()
    np.testing.assert_allclose(entries(seed=1, scale=3), 3 * entries(seed=1))


def test_a_longer_text_keeps_the_random_positions_of_its_beginning():
    longer = PositionSizes(n_query=11, n_key=13, d_model=7, d_k=4, d_v=11, n_heads=3)
    np.testing.assert_array_equal(
        POSITIONS["learned"](longer).added[:5], POSITIONS["learned"](SIZES).added
    )


def test_shaw_tables_of_keys_and_values_are_not_the_same():
    sizes = PositionSizes(n_query=2, n_key=5, d_model=7, d_k=4, d_v=4, n_heads=3)
    effect = POSITIONS["shaw"](sizes)
    assert (effect.relative_key != effect.relative_value).all()


def test_learned_positions_are_rows_of_the_table():
    (table,) = draw(11, (13, 7))
    np.testing.assert_array_equal(POSITIONS["learned"](SIZES, table=table).added, table[:5])
    (inputs,) = draw(13, (5, 7))
    w = Projections.random(7, 3, 2, 11, seed=1)
    named = attend_heads(inputs, w, HeadChoices(parameters={"table": table}), positions="learned")
    np.testing.assert_array_equal(named.encoded_inputs, inputs + table[:5])
    given_whole = attend_heads(inputs, w, positions=table.tolist())
    np.testing.assert_array_equal(named.output, given_whole.output)


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        (
            "learned",
            {"table": np.ones((3, 7))},
            r"positions must have at least 5 rows of width 7, got "
            r"\(3, 7\); make the table longer, or the input shor",
        ),
        ("learned", {"table": np.ones((5, 3))}, r"positions must have .* got \(5, 3\)"),
        (
            "t5",
            {"table": np.ones((8, 2))},
            r"table must be \(bucket, head\) = \(8, 3\), got \(8, 2\); g",
        ),
        ("t5", {"n_buckets": 2}, "each direction must have at least 2 buckets"),
        ("shaw", {"clip": -1}, "clip must be 0 or more, got -1; it is the farthest"),
        (
            "shaw",
            {"table_key": np.ones((3, 4))},
            r"table_key must be \(distance, d\) = \(5, 4\), got",
        ),
        (
            "shaw",
            {"table_value": np.ones((5, 4))},
            r"table_value must be \(distance, d\) = \(5, 11\)",
        ),
        ("rotary", {"rotary_dim": 6}, "rotary positions turn pairs"),
        ("rotary", {"pairs": "both"}, "pairs must be"),
        ("rotary", {"base": -1}, "base must be"),
        ("sinusoidal", {"base": 0}, "base must be"),
    ],
)
def test_effects_refuse_what_does_not_fit_the_layer(name, parameters, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        POSITIONS[name](SIZES, **parameters)


def test_rotary_refuses_a_layer_with_odd_heads():
    w = Projections.random(7, 1, d_k=3, d_v=2, seed=0)
    with pytest.raises(ValueError, match=r"^rotary positions turn pairs: .* d_k = 3, got 3"):
        attend_heads(np.ones((5, 7)), w, positions="rotary")


def test_shaw_clips_distances():
    table = np.arange(5.0)[:, None] * np.ones(4)
    effect = POSITIONS["shaw"](SIZES, clip=2, table_key=table, table_value=np.zeros((5, 11)))
    np.testing.assert_array_equal(effect.relative_key[:, :, 0], [[2, 3, 4, 4, 4], [1, 2, 3, 4, 4]])


def test_keys_ahead_counts_from_the_query():
    np.testing.assert_array_equal(keys_ahead(2, 3), [[0, 1, 2], [-1, 0, 1]])


def test_one_token_has_a_position_too():
    w = Projections.random(1, 1, d_k=2, d_v=1, seed=0)
    for name in POSITIONS:
        trace = attend_heads([[3.0]], w, positions=name)
        np.testing.assert_array_equal(trace.weights, [[[1]]])


def test_positions_of_the_inputs_shift_all_scores_of_a_bias_free_head_alike():
    # what rotary promises for a whole head: moving the text as a whole changes no weight
    query, key, value = draw(17, (5, 4), (5, 4), (5, 3))
    here = attend(rotary(query, 5), rotary(key, 5), value)
    later = attend(rotary(query, np.arange(5) + 40), rotary(key, np.arange(5) + 40), value)
    np.testing.assert_allclose(later.weights, here.weights, atol=1e-12)
