from dataclasses import fields, replace
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention.masks import MASKS
from attnviz.attention.normalizers import NORMALIZERS
from attnviz.attention.positions import POSITIONS
from attnviz.attention.scores import SCORES
from attnviz.settings import (
    AGAINST,
    AXES,
    COLOURS,
    COMBININGS,
    HELD,
    JOININGS,
    MASK_FIELDS,
    MAX_PLACES,
    MAX_TOKENS,
    MIXINGS,
    NORMALIZER_FIELDS,
    OVERFLOWS,
    PARTS,
    POSITION_FIELDS,
    SCORE_FIELDS,
    SPLITS,
    UNITS,
    VIEW_FIELDS,
    W_SOURCES,
    WIRINGS,
    Settings,
    from_query,
)

KEYS = {each.name: each.metadata["link"].key for each in fields(Settings)}

few = settings(max_examples=50, deadline=None)
places = st.integers(0, MAX_TOKENS - 1)
counts = st.integers(0, 5)
names = st.from_regex(r"[a-z0-9_]{1,40}", fullmatch=True)
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=50)
reals = st.floats(-1e6, 1e6)


def tables(rows: int, columns: int):
    def of_width(width: int):
        return st.lists(st.tuples(*[reals] * width), min_size=1, max_size=rows).map(tuple)

    return st.just(()) | st.integers(1, columns).flatmap(of_width)


def squares(size: int):
    return st.tuples(*[st.text("01", min_size=size, max_size=size)] * size)


STRATEGIES = dict(  # noqa: C408 fields read better as names
    language=st.sampled_from(["", "en", "zh-Hant", "pt-BR"]),
    query=places,
    key=st.none() | places,
    head=st.integers(0, 7),
    step=st.just("") | names,
    digits=st.integers(2, 4),
    notation=st.sampled_from(["row", "column"]),
    present=st.booleans(),
    predict=st.booleans(),
    panel=st.just("") | names,
    axis=st.sampled_from(AXES),
    rung=st.just("") | names,
    joining=st.sampled_from(JOININGS),
    dropped=st.lists(places, max_size=3).map(tuple),
    wiring=st.sampled_from(WIRINGS),
    target=st.just("") | names,
    order=st.lists(places, max_size=5).map(tuple),
    combining=st.sampled_from(COMBININGS),
    experiment=st.just("") | names,
    other=st.sampled_from(
        [
            "",
            *(
                urlencode(each.to_query())
                for each in (
                    Settings(scale="sqrt_d_k"),
                    Settings(temperature=0.25, pieces=("a&b", "=")),
                    Settings(w_q=((1.5, -2.0),)),
                    Settings(sentence="他會開會"),
                )
            ),
        ]
    ),
    amount=st.none() | reals,
    width=counts,
    draw=counts,
    model=st.sampled_from(["", "default", "smollm2", "some-body/a_model.v2"]),
    passage=text,
    passage_pair=text,
    passage_target=text,
    heads_shown=st.lists(
        st.tuples(st.integers(0, 255), st.integers(0, 255)), max_size=4, unique=True
    ).map(tuple),
    mixing=st.sampled_from(MIXINGS),
    unit=st.sampled_from(UNITS),
    part=st.sampled_from(PARTS),
    specials=st.booleans(),
    colours=st.sampled_from(COLOURS),
    held=st.sampled_from(HELD),
    overflow=st.sampled_from(OVERFLOWS),
    window=counts,
    find=text,
    reading=st.just("") | names,
    hidden=st.lists(st.integers(0, MAX_PLACES - 1), max_size=5).map(tuple),
    sorting=st.just("") | names,
    head_type=st.just("") | names,
    picture=st.just("") | names,
    generated=counts,
    card=st.just("") | names,
    against=st.sampled_from(AGAINST),
    against_text=text,
    against_model=st.sampled_from(["", "zh", "some-body/a_model.v2"]),
    against_head=st.lists(st.tuples(counts, counts), max_size=1).map(tuple),
    edits=st.lists(
        st.tuples(st.sampled_from(["off", "even"]), counts, counts)
        | st.tuples(st.just("cut"), counts, st.integers(-1, 5), counts, counts)
        | st.tuples(st.just("mask"), counts),
        max_size=4,
        unique=True,
    ).map(tuple),
    edges=st.just(()) | st.integers(1, 5).flatmap(squares),
    task=st.just("") | names,
    task_table=text,
    vocabulary=counts,
    trained_width=counts,
    trained_heads=counts,
    placed=st.booleans(),
    learning_rate=st.none() | reals,
    frozen=st.sampled_from(["", "q", "qk", "kv", "qkvo"]),
    snapshot=st.none() | counts,
    moves=st.lists(
        st.tuples(st.sampled_from("qkv"), places, reals, reals),
        max_size=3,
        unique_by=lambda move: move[:2],
    ).map(tuple),
    example=names,
    sentence=text,
    split=st.sampled_from(SPLITS),
    pieces=st.lists(text.filter(bool), max_size=5).map(tuple),
    vectors=tables(4, 3),
    n_heads=counts,
    n_kv_heads=counts,
    d_model=counts,
    d_k=counts,
    d_v=counts,
    w_source=st.sampled_from(W_SOURCES),
    seed=st.integers(0, 2**31 - 1),
    w_q=tables(3, 4),
    w_k=tables(3, 4),
    w_v=tables(3, 4),
    w_o=tables(4, 3),
    score=st.sampled_from(list(SCORES)),
    scale=st.sampled_from(["none", "sqrt_d_k"]) | st.floats(-1e3, 1e3),
    temperature=st.just(0.0) | st.floats(1e-3, 1e3),
    normalizer=st.sampled_from(list(NORMALIZERS)),
    alpha=st.floats(1, 10),
    k=st.integers(1, 64),
    bias=st.none() | st.floats(-100, 100),
    mask=st.sampled_from(list(MASKS)),
    align=st.sampled_from(["lower_right", "upper_left"]),
    radius=counts,
    steps=counts,
    gap=st.integers(1, 5),
    block_size=st.integers(1, 5),
    global_tokens=st.lists(places, max_size=3).map(tuple),
    padding=counts,
    cells=st.just(()) | st.integers(1, 5).flatmap(squares),
    self_loops=st.booleans(),
    positions=st.sampled_from([*POSITIONS, "example"]),
    position_vectors=tables(4, 3),
    base=st.floats(1, 1e6),
    pairs=st.sampled_from(["interleaved", "half"]),
    symmetric=st.booleans(),
    n_buckets=st.integers(2, 64),
    max_distance=st.integers(2, 256),
    bidirectional=st.booleans(),
    clip=counts,
)


@st.composite
def some_fields(draw):
    """A few fields with values: drawing all of them each time is slow."""
    names = draw(st.lists(st.sampled_from(sorted(STRATEGIES)), max_size=6, unique=True))
    return {name: draw(STRATEGIES[name]) for name in names}


@few
@given(some_fields())
def test_settings_survive_the_url(chosen):
    assert from_query(Settings(**chosen).to_query()) == (Settings(**chosen), ())


@pytest.mark.parametrize("name", sorted(STRATEGIES))
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_each_field_survives_the_url(name, data):
    value = data.draw(STRATEGIES[name])
    chosen = Settings(**{name: value})
    assert from_query(chosen.to_query()) == (chosen, ())


@few
@given(some_fields())
def test_settings_within_range_are_never_called_out_of_range(chosen):
    assert Settings(**chosen).out_of_range() == ()


@few
@given(some_fields(), some_fields())
def test_equal_links_mean_equal_settings(one, other):
    one, other = Settings(**one), Settings(**other)
    assert (one.to_query() == other.to_query()) == (one == other)


def test_the_strategies_above_know_every_field():
    assert set(STRATEGIES) == set(KEYS)


def test_the_default_view_has_an_empty_link():
    assert Settings().to_query() == {}
    assert from_query({}) == (Settings(), ())
    assert hash(Settings()) == hash(Settings())


def test_link_keys_are_short_ascii_and_all_different():
    assert len(set(KEYS.values())) == len(KEYS)
    assert all(key.isascii() and key.islower() and len(key) <= 8 for key in KEYS.values())


def test_link_keys_leave_streamlits_own_alone():
    assert not any(key.startswith("embed") for key in KEYS.values())


def test_a_link_reads_as_people_would_write_it():
    chosen = Settings(
        vectors=((1.0, 0.0, 2.0), (0.0, 1.5, -0.25)),
        normalizer="sparsemax",
        scale=0.125,
        pieces=("a|b", "\\", "!-"),
        cells=("10", "11"),
        global_tokens=(0, 3),
        self_loops=False,
    )
    assert chosen.to_query() == {
        "in": "1,0,2;0,1.5,-.25",
        "norm": "sparsemax",
        "scale": "0.125",
        "tok": r"a\!b|\-|!-",
        "cells": "10.11",
        "global": "0,3",
        "loops": "0",
    }


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("q", "32768"), ("q", "-1"), ("q", "1.0"), ("q", ""), ("q", "１"), ("q", "9" * 5000),
        ("heads", "9"), ("d", "17"), ("digits", "7"), ("seed", "-1"), ("seed", str(2**31)),
        ("norm", "softmux"), ("norm", ""), ("mask", "Causal"), ("w", "Trained"), ("ex", "../etc"),
        ("temp", "nan"), ("temp", "inf"), ("temp", "-1"), ("temp", "1e-9"), ("temp", "1_0"),
        ("scale", "half"), ("scale", "1e4"), ("scale", "١"), ("alpha", "0.5"), ("base", "0"),
        ("in", "1,2;3"), ("in", "1,,2"), ("in", ""), ("in", "nan,1"), ("in", "1e7"),
        ("in", "1e400"), ("in", ";".join(["1"] * 65)), ("in", ",".join(["1"] * 17)), ("in", "1 2"),
        ("tok", ""), ("tok", "a||b"), ("tok", "|".join("x" * 65)),
        ("cells", "10.1"), ("cells", "12.11"), ("cells", ""), ("global", "64"), ("global", "0,"),
        ("loops", "true"), ("lang", "<b>"), ("step", "A b"),
        ("edit", "off.1"), ("edit", "off.1.-1"), ("edit", "cut.1.2.3"), ("edit", "burn.1"),
        ("edit", ""), ("edit", "mask.1;mask.1"), ("freeze", "kq"), ("freeze", "x"),
        ("text", "x" * 2001), ("text", "字" * 3000),
    ],
)  # fmt: skip
def test_an_unreadable_value_falls_back_and_is_named(key, value):
    read, unreadable = from_query({key: value, "seed" if key != "seed" else "q": "7"})
    assert unreadable == (key,)
    assert read == (Settings(seed=7) if key != "seed" else Settings(query=7))


def test_a_value_beyond_eight_kilobytes_is_not_even_read():
    assert from_query({"in": ";".join(["0.123456789,0.123456789"] * 400)})[1] == ("in",)


@few
@given(st.dictionaries(st.sampled_from(sorted(KEYS.values())), st.text(max_size=30)))
def test_no_text_in_a_link_is_an_error(mapping):
    read, unreadable = from_query(mapping)
    assert set(unreadable) <= set(mapping)
    assert from_query(read.to_query()) == (read, ())


def test_keys_that_are_not_ours_are_left_alone():
    assert from_query({"embed": "true", "embed_options": "dark_theme", "utm": "x"}) == (
        Settings(),
        (),
    )


@pytest.mark.parametrize("name", sorted(VIEW_FIELDS))
def test_looking_elsewhere_computes_nothing_new(name):
    looked_at: dict[str, object] = {"language": "en", "query": 3, "key": 2, "head": 1}
    looked_at |= {"step": "weights", "digits": 4, "present": True, "predict": True}
    looked_at |= {"notation": "column"}
    looked_at |= {"panel": "maps", "axis": "query", "rung": "mean", "joining": "average"}
    looked_at |= {"dropped": (1,), "wiring": "slice", "target": "previous", "order": (1, 0)}
    looked_at |= {"combining": "concatenate", "experiment": "tied", "other": "scale=sqrt_d_k"}
    looked_at |= {"model": "smollm2", "passage": "a b", "passage_pair": "c", "passage_target": "d"}
    looked_at |= {"heads_shown": ((1, 2),), "mixing": "mean", "unit": "words", "part": "ab"}
    looked_at |= {"specials": False, "colours": "log", "overflow": "windows", "window": 1}
    looked_at |= {"find": "saw", "width": 8, "draw": 3, "reading": "rollout", "hidden": (0, 900)}
    looked_at |= {"sorting": "entropy_up", "head_type": "induction", "held": "key"}
    looked_at |= {"picture": "house", "generated": 2, "card": "it", "against": "model"}
    looked_at |= {"against_text": "a", "against_model": "zh", "against_head": ((2, 1),)}
    looked_at |= {"edits": (("off", 1, 2),), "edges": ("01", "10"), "task": "two_saws"}
    looked_at |= {"task_table": "I/PRON", "vocabulary": 9, "trained_width": 8, "trained_heads": 2}
    looked_at |= {"placed": True, "learning_rate": 0.1, "frozen": "qo", "snapshot": 30}
    looked_at |= {"amount": 0.5, "moves": (("v", 2, 0.5, -1.0),)}
    moved = replace(Settings(), **{name: looked_at[name]})
    assert moved.computation == Settings().computation


@few
@given(some_fields(), some_fields())
def test_equal_digests_mean_equal_computations(one, other):
    def numbers(chosen):
        return {name: value for name, value in chosen.items() if name not in VIEW_FIELDS}

    same = Settings(**numbers(one)) == Settings(**numbers(other))
    assert (Settings(**one).computation == Settings(**other).computation) == same


@pytest.mark.parametrize(
    ("changed", "names"),
    [
        ({"n_heads": -1, "alpha": 0.5}, ("n_heads", "alpha")),
        ({"normalizer": "softmux"}, ("normalizer",)),
        ({"temperature": float("nan")}, ("temperature",)),
        ({"scale": "half"}, ("scale",)),
    ],
)
def test_what_no_link_could_hold_is_called_out_of_range(changed, names):
    assert replace(Settings(), **changed).out_of_range() == names


def test_every_field_beside_a_choice_exists():
    tables = (MASK_FIELDS, MASKS), (POSITION_FIELDS, POSITIONS), (NORMALIZER_FIELDS, NORMALIZERS)
    for beside, table in (*tables, (SCORE_FIELDS, SCORES)):
        assert set(beside) <= set(table)
        assert {name for names in beside.values() for name in names} <= set(KEYS)
