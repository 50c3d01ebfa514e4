"""The code of a panel runs as it stands and gives exactly what the panel shows."""

import itertools
from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attnviz.attention import MASKS, NORMALIZERS, POSITIONS, SCORES, HeadChoices, Projections
from attnviz.attention.arrays import read_only
from attnviz.errors import InputError
from attnviz.figures.code import PANELS, numpy_code, package_code
from attnviz.figures.steps import STEPS
from attnviz.lessons.examples import EXAMPLES
from attnviz.scene import Scene, scene_of
from attnviz.settings import W_SOURCES, Settings
from attnviz.text import LANGUAGES, words

ALL = tuple(dict.fromkeys((*PANELS, *STEPS)))
OF_LAYER = ("heads", "output")
WRITERS = (numpy_code, package_code)


def run(code: str) -> dict:
    names = {"__name__": "__main__"}
    with redirect_stdout(StringIO()):
        exec(compile(code, "<panel>", "exec"), names)
    return names


def expected(scene: Scene, panel: str) -> dict[str, np.ndarray]:
    layer, head = scene.trace, scene.trace.head(scene.head)
    found = {
        name: getattr(head, name)
        for name in ("query", "key", "value", "scores", "scaled_scores", "masked_scores")
    }
    if panel in OF_LAYER:
        found = {"head_outputs": layer.head_outputs, "concatenated": layer.concatenated}
        return found | {"output": layer.output, "encoded_inputs": layer.encoded_inputs}
    found |= {"weights": head.weights, "output": head.output, "inputs": layer.inputs}
    return found | {"encoded_inputs": layer.encoded_inputs}


def assert_gives(scene: Scene, panel: str, writers=WRITERS, language: str = "en") -> None:
    """Run the code and compare every array that it names with the trace's."""
    values = 1 + np.abs(scene.trace.value).max() + np.abs(scene.trace.output).max()
    for write in writers:
        names = run(write(scene, panel, words(language)))
        if panel == "nudge":
            moved = scene.nudged(len(scene.tokens) - 1, 0.1)
            np.testing.assert_allclose(
                names["distance_moved"], moved, rtol=1e-9, atol=1e-11 * values
            )
            continue
        arrays = expected(scene, panel)
        checked = [name for name in arrays if name in names]
        assert checked
        for name in checked:
            largest = np.abs(arrays[name][np.isfinite(arrays[name])]).max(initial=1.0)
            np.testing.assert_allclose(
                names[name],
                arrays[name],
                rtol=1e-9,
                atol=1e-12 * (values if name == "output" else largest),
                err_msg=f"{write.__name__} {panel} {name}",
            )


def scene(**chosen) -> Scene:
    return scene_of(Settings(**chosen))


LIMITS = ("softmax", "topk", "sparsemax", "entmax", "entmax15", "hardmax")
NORMALIZED = [
    *({"normalizer": name} for name in NORMALIZERS),
    *({"normalizer": name, "temperature": 0.4} for name in NORMALIZERS),
    *({"normalizer": name, "temperature": 0} for name in LIMITS),
    *({"normalizer": "entmax", "alpha": alpha} for alpha in (1, 1.2, 2, 3.5)),
    {"normalizer": "sigmoid", "bias": -0.5},
    {"normalizer": "topk", "k": 1},
]
MASKED = [{"mask": name} for name in MASKS] + [
    {"mask": "custom", "cells": ("1010", "0000", "0110", "1111")},
    {"mask": "padding", "padding": 4},
]
PLACED = [{"positions": name} for name in (*POSITIONS, "example")] + [
    {"positions": "rotary", "pairs": "half"},
    {"positions": "alibi", "symmetric": False},
    {"positions": "t5", "bidirectional": False, "n_buckets": 4, "max_distance": 3},
    {"positions": "shaw", "clip": 1},
    {"positions": "learned", "position_vectors": ((0.1, 2, 0),) * 4},
]


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("chosen", NORMALIZED, ids=str)
def test_the_code_gives_the_numbers_of_every_normalizer_and_score(chosen, score):
    painted = {"hero": ("1010", "0000", "0110", "1111"), "raschka_journey": ("101001",) * 6}
    for (key, cells), mask in itertools.product(painted.items(), ("everyone", "custom")):
        own = {"mask": mask, "cells": cells, "score": score, "example": key, **chosen}
        assert_gives(scene(scale="sqrt_d_k", **own), "see")


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("chosen", PLACED, ids=str)
def test_the_code_gives_the_numbers_of_every_mask_and_position(chosen, score):
    for masked in MASKED if score == "dot" else MASKED[1::6]:
        assert_gives(scene(score=score, **masked, **chosen), "see")


@pytest.mark.parametrize("panel", ALL)
@pytest.mark.parametrize("key", EXAMPLES)
def test_every_panel_has_code_for_every_example(key, panel):
    own = EXAMPLES[key].settings
    assert_gives(scene(example=key, **own), panel)
    crowd = {"n_heads": 4, "n_kv_heads": 2, "w_source": "random", "d_k": 2, "head": 3}
    for placed in ({"positions": "rotary"}, {"positions": "t5"}, {"positions": "alibi"}):
        assert_gives(scene(example=key, mask="causal", **crowd, **placed), panel)


@pytest.mark.parametrize("panel", ALL)
def test_the_code_adds_biases(panel):
    plain = scene(n_heads=2, w_source="random", d_k=3)
    names = ("w_q", "w_k", "w_v", "w_o")
    matrices = {name: getattr(plain.projections, name) for name in names}
    rng = np.random.default_rng(3)
    shapes = {"b_q": (2, 3), "b_k": (2, 3), "b_v": (2, 2), "b_o": (3,)}
    offsets = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    assert_gives(replace(plain, projections=Projections(**matrices, **offsets)), panel)


def test_equal_tokens_keep_equal_numbers_to_the_last_bit():
    for chosen in ({}, {"normalizer": "hardmax", "w_source": "random", "d_model": 7}):
        names = run(numpy_code(scene(**chosen), "see", words("en")))
        assert (names["output"][1] == names["output"][3]).all()


@pytest.mark.parametrize("write", WRITERS)
def test_only_numpy_or_attnviz_is_imported(write):
    code = write(scene(example="two_heads", positions="shaw"), "heads", words("en"))
    imported = [line for line in code.splitlines() if "import" in line]
    assert imported == ["import numpy as np" if write is numpy_code else "import attnviz"]


@pytest.mark.parametrize("write", WRITERS)
def test_a_token_cannot_leave_its_comment(write):
    tokens = ("a\nraise SystemExit", "'''", '"""\r', "\\", "{x}", "\u2028x = 1", "\ud800", "😀")
    spoiled = replace(scene(pieces=tuple("abcdefgh")), tokens=tokens, query=0)
    for panel in ALL:
        run(write(spoiled, panel, words("zh-Hant")))


def test_only_what_the_settings_use_is_in_the_code():
    code = numpy_code(scene(), "see", words("en"))
    for unused in ("mask", "scaled", "position", "best", "w_o", "product", "for ", "place"):
        assert unused not in code
    assert len(code.splitlines()) < 25


@pytest.mark.parametrize("mask", [name for name in MASKS if name not in ("everyone", "custom")])
def test_a_named_mask_is_made_by_its_rule(mask):
    if mask != "graph":
        assert "dtype=bool" not in numpy_code(scene(mask=mask), "see", words("en"))
    assert "MASKS" in package_code(scene(mask=mask), "see", words("en"))


def test_long_inputs_stay_on_readable_lines():
    long = scene(
        vectors=tuple(tuple(np.random.default_rng(1).normal(size=16)) for _ in range(64)),
        n_heads=8,
        w_source="random",
        mask="graph",
        positions="learned",
    )
    for write in WRITERS:
        code = write(long, "heads", words("en"))
        assert max(map(len, code.splitlines())) <= 120
    assert_gives(long, "heads")


@pytest.mark.parametrize("write", WRITERS)
def test_an_unknown_panel_is_refused_by_name(write):
    with pytest.raises(ValueError, match="panel must be one of see, scores, heads, nudge"):
        write(scene(), "sea", words("en"))


def test_the_nudge_names_its_token_and_amount():
    for write in WRITERS:
        code = write(scene(), "nudge", words("en"), token=0, amount=-0.5)
        np.testing.assert_allclose(
            run(code)["distance_moved"], scene().nudged(0, -0.5), rtol=1e-9, atol=1e-12
        )


def tables(rows: int, columns: int) -> st.SearchStrategy:
    number = st.one_of(st.integers(-3, 3), st.floats(-1e3, 1e3, width=32))
    return st.lists(
        st.lists(number, min_size=columns, max_size=columns).map(tuple),
        min_size=rows,
        max_size=rows,
    ).map(tuple)


@st.composite
def choices_of(draw) -> dict:
    n_tokens, d_model = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    n_heads = draw(st.sampled_from((1, 2, 4)))
    normalizer = draw(st.sampled_from(tuple(NORMALIZERS)))
    warm = st.sampled_from((0.3, 1, 20))
    return {
        "vectors": draw(tables(n_tokens, d_model)),
        "n_heads": n_heads,
        "n_kv_heads": draw(st.sampled_from([n for n in (1, 2, 4) if n <= n_heads])),
        "d_k": draw(st.sampled_from((1, 2, 4))),
        "d_v": draw(st.integers(1, 3)),
        "w_source": draw(st.sampled_from(W_SOURCES)),
        "seed": draw(st.integers(0, 50)),
        "head": draw(st.integers(0, 3)),
        "score": draw(st.sampled_from(tuple(SCORES))),
        "scale": draw(st.sampled_from(("none", "sqrt_d_k", 0.125, -2.0))),
        "temperature": draw(warm if normalizer not in LIMITS else st.one_of(warm, st.just(0))),
        "normalizer": normalizer,
        "alpha": draw(st.sampled_from((1, 1.00005, 1.5, 2, 2.5, 4))),
        "k": draw(st.integers(1, 3)),
        "bias": draw(st.sampled_from((None, 0.0, -2.5))),
        "mask": draw(st.sampled_from(tuple(MASKS))),
        "radius": draw(st.integers(0, 2)),
        "padding": draw(st.integers(0, 5)),
        "positions": draw(st.sampled_from(tuple(POSITIONS))),
        "pairs": draw(st.sampled_from(("interleaved", "half"))),
        "clip": draw(st.integers(0, 3)),
    }


@settings(max_examples=40, deadline=None)
@given(choices_of(), st.sampled_from(ALL), st.sampled_from(tuple(LANGUAGES)))
@example({"temperature": 0.001}, "see", "en")
def test_the_code_gives_the_numbers_of_any_settings(chosen, panel, language):
    try:
        shown = scene(**chosen)
        assert shown.trace
    except InputError:
        return
    assert_gives(shown, panel, language=language)


def test_the_code_says_every_choice_of_a_scene_made_by_hand():
    own = HeadChoices(normalizer="topk", parameters={"k": 3})
    inputs = read_only(np.random.default_rng(2).normal(size=(4, 3)))
    assert_gives(replace(scene(), choices=own, inputs=inputs), "see")
