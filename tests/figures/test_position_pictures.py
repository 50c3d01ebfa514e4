"""Pictures of position codes, by their data, and the code behind each question, by running it."""

from contextlib import redirect_stdout
from io import StringIO

import numpy as np
import pytest

from attnviz.attention.positions import POSITIONS, PositionSizes
from attnviz.figures import code_portraits, code_positions_room, positions
from attnviz.figures.notation import COLUMN
from attnviz.lessons import wrapping
from attnviz.lessons.combining import combine, score_parts
from attnviz.lessons.examples import EXAMPLES
from attnviz.lessons.portraits import Portrait, portrait
from attnviz.lessons.shuffles import shuffle
from attnviz.lessons.symmetry import lamp
from attnviz.lessons.turning import turn
from attnviz.scene import Scene, scene_of
from attnviz.settings import Settings
from attnviz.text import words

T = words("en")
TITLES = ("title", "down", "across")
SCENES = [
    {},
    {"positions": "sinusoidal", "normalizer": "relu"},
    {"positions": "rotary", "d_k": 4, "pairs": "half"},
    {"positions": "alibi", "mask": "causal", "n_heads": 2},
    {"positions": "learned", "position_vectors": ((1.0, 0, 0), (0, 1.5, 0), (0, 0, 1), (2, 2, 2))},
    {"positions": "example", "example": "two_heads"},
    {"mask": "graph", "score": "cosine", "normalizer": "hardmax"},
]


def run(code: str) -> dict:
    names = {"__name__": "__main__"}
    with redirect_stdout(StringIO()):
        exec(compile(code, "<panel>", "exec"), names)
    return names


def scene(**chosen) -> Scene:
    return scene_of(Settings(**chosen))


def test_a_map_has_a_row_for_each_place_and_columns_turn_it():
    table = np.arange(12.0).reshape(4, 3) - 5
    figure = positions.code_map(table, np.arange(1.0, 5), TITLES)
    np.testing.assert_array_equal(figure.data[0].z, table)
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (-6, 6)
    assert figure.layout.yaxis.title.text == "down"
    assert figure.layout.yaxis.range == (4.5, 0.5)
    turned = positions.code_map(table, np.arange(1.0, 5), TITLES, "dark", notation=COLUMN)
    np.testing.assert_array_equal(turned.data[0].z, table.T)
    assert turned.layout.xaxis.title.text == "down"


def test_place_against_place_is_drawn_on_numbered_places():
    figure = positions.pair_map(np.eye(5), TITLES)
    np.testing.assert_array_equal(figure.data[0].z, np.eye(5))
    np.testing.assert_array_equal(figure.data[0].x, np.arange(1, 6))


def test_curves_differ_in_name_shade_and_dash():
    table = np.random.default_rng(0).normal(size=(9, 3))
    figure = positions.code_curves(table, np.arange(9.0), ["a", "b", "c"], ("t", "x"), marks=[2])
    for place, curve in enumerate(figure.data):
        np.testing.assert_array_equal(curve.y, table[:, place])
    assert [curve.name for curve in figure.data] == ["a", "b", "c"]
    assert len({curve.line.dash for curve in figure.data}) == 3
    assert len({curve.line.color for curve in figure.data}) == 3
    assert figure.layout.showlegend
    assert figure.layout.shapes[0].x0 == 2


def test_arrows_end_where_the_pair_was_and_where_it_turned():
    made = turn(np.array([-1.0, 1.0]), np.array([3.0, 1.0]), (1.0, 0.0))
    figure = positions.turned_arrows(made, ("q2", "k1"))
    arrows = [t for t in figure.data if t.mode == "lines+markers" and t.opacity != 0]
    tips = [(trace.x[1], trace.y[1]) for trace in arrows]
    expected = [made.query, made.turned_query, made.key, made.turned_key]
    np.testing.assert_allclose(tips, expected)
    named = [trace.text[0] for trace in figure.data if trace.mode == "text"]
    assert named == ["<b>q2</b>", "<b>k1</b>"]
    assert "-1.38" in positions.turned_alt(made, T).replace("−", "-")


def test_what_a_picture_shows_is_said_in_words():
    said = positions.code_alt(np.array([[0.5, -2.0]]), np.array([1.0]), T, "Title")
    assert "Title" in said
    assert "−2" in said


@pytest.mark.parametrize("chosen", SCENES, ids=str)
def test_the_code_of_the_lamp_gives_its_distance(chosen):
    shown = scene(**chosen)
    found = lamp(shown.inputs, shown.trace.output)
    assert found is not None
    for write in (code_positions_room.lamp_numpy, code_positions_room.lamp_package):
        assert run(write(shown, found, T))["distance"] == pytest.approx(found.distance, abs=1e-12)


@pytest.mark.parametrize("chosen", SCENES, ids=str)
def test_the_code_of_the_shuffle_gives_both_differences(chosen):
    shown, order = scene(**chosen), (3, 1, 0, 2)
    made = shuffle(
        shown.inputs,
        shown.projections,
        shown.choices,
        order,
        mask=shown.mask,
        positions=shown.positions,
    )
    for write in (code_positions_room.shuffle_numpy, code_positions_room.shuffle_package):
        names = run(write(shown, order, T))
        assert names["difference"] == pytest.approx(made.difference, abs=1e-12)
        assert names["pooled_difference"] == pytest.approx(made.pooled_difference, abs=1e-12)


ADDED = [
    chosen for chosen in SCENES if chosen.get("positions") in ("sinusoidal", "learned", "example")
]


@pytest.mark.parametrize("chosen", ADDED, ids=str)
def test_the_code_of_adding_gives_the_sums_and_outputs(chosen):
    shown = scene(**chosen)
    for write in (code_positions_room.adding_numpy, code_positions_room.adding_package):
        names = run(write(shown, T))
        for name in ("encoded_inputs", "output"):
            np.testing.assert_allclose(names[name], getattr(shown.trace, name), atol=1e-12)
        np.testing.assert_allclose(names["position"], shown.trace.position.added, atol=1e-12)


@pytest.mark.parametrize("chosen", [*ADDED, {"positions": "sinusoidal", "base": 7.0}], ids=str)
def test_the_code_of_combining_gives_parts_and_differences(chosen):
    shown = scene(**chosen)
    w, code = shown.projections, np.asarray(shown.trace.position.added)
    parts = score_parts(shown.inputs, code, w.w_q[0], w.w_k[0])
    names = run(code_positions_room.combining_numpy(shown, T))
    np.testing.assert_allclose(names["parts"], parts, atol=1e-12)
    assert names["difference"] == pytest.approx(0, abs=1e-12)
    made = combine(shown.inputs, code, w, shown.choices, mask=shown.mask, seed=shown.seed)
    names = run(code_positions_room.combining_package(shown, T))
    assert names["difference"] == pytest.approx(made.tied_difference, abs=1e-12)
    assert names["own_difference"] == pytest.approx(made.own_difference, abs=1e-12)


@pytest.mark.parametrize("d_k", [1, 2, 3, 4])
@pytest.mark.parametrize("pairs", ["interleaved", "half"])
def test_the_code_of_the_rotation_gives_the_score(d_k, pairs):
    settings = Settings(d_k=d_k, pairs=pairs, base=100.0)
    shown = scene_of(settings)
    head = shown.trace.head(0)
    made = turn(head.query[1], head.key[2], (6.0, 7.0), base=100.0, pairs=pairs)
    for write in (code_positions_room.rotation_numpy, code_positions_room.rotation_package):
        names = run(write(shown, 2, 5, settings, T))
        np.testing.assert_allclose(names["turned_query"], made.turned_query, atol=1e-12)
        assert names["score"] == pytest.approx(made.score, abs=1e-12)


@pytest.mark.parametrize("mask", ["everyone", "causal", "graph"])
@pytest.mark.parametrize("n_waves", [1, 3])
def test_the_code_of_the_circles_gives_the_weights(mask, n_waves):
    shown = scene(mask=mask, self_loops=False)
    head = wrapping.previous_head(4, n_waves, shown.mask)
    for write in (code_positions_room.wrap_numpy, code_positions_room.wrap_package):
        weights = run(write(shown, n_waves, T))["weights"]
        np.testing.assert_allclose(weights, head.weights, atol=1e-12)


def drawn_of(shown: Scene, name: str, n: int = 9, width: int = 0) -> Portrait:
    w = shown.projections
    room = PositionSizes(n, n, width or w.d_model, w.d_k, w.d_v, w.n_heads)
    given = shown.choices.arguments("position", POSITIONS[name])
    return portrait(name, room, given, shown.head)


@pytest.mark.parametrize("name", [name for name in POSITIONS if name != "none"])
@pytest.mark.parametrize(
    "chosen",
    [{}, {"d_k": 4, "n_heads": 2, "seed": 3, "pairs": "half", "base": 30.0, "symmetric": False}],
    ids=str,
)
def test_the_code_of_each_code_gives_its_table(name, chosen):
    shown = scene(positions=name, **chosen)
    drawn = drawn_of(shown, name)
    for write in (code_portraits.codes_numpy, code_portraits.codes_package):
        names = run(write(name, drawn, shown, T))
        if drawn.kind == "bias":
            np.testing.assert_allclose(names["bias"][shown.head], drawn.map, atol=1e-12)
        elif drawn.kind == "distances":
            np.testing.assert_allclose(names["relative_key"][-1], drawn.table[:9], atol=1e-12)
        else:
            np.testing.assert_allclose(names["position"], drawn.table, atol=1e-12)
            np.testing.assert_allclose(names["similarity"], drawn.map, atol=1e-12)


@pytest.mark.parametrize("name", ["sinusoidal", "sinusoidal_tensor2tensor", "learned"])
def test_the_code_of_a_wider_picture_is_as_wide(name):
    shown = scene(positions=name)
    drawn = drawn_of(shown, name, width=16)
    for write in (code_portraits.codes_numpy, code_portraits.codes_package):
        np.testing.assert_allclose(
            run(write(name, drawn, shown, T))["position"], drawn.table, atol=1e-12
        )


def test_the_code_of_typed_and_of_example_positions_is_their_table():
    typed = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 1.0, 1.0))
    for name, chosen, table in (
        ("learned", {"positions": "learned", "position_vectors": typed}, np.array(typed)),
        ("example", {"positions": "example", "example": "two_heads"}, _circle(7)),
    ):
        shown = scene(**chosen)
        n, width = table.shape
        drawn = portrait(table, PositionSizes(n, n, width, 2, 2, 1), {})
        for write in (code_portraits.codes_numpy, code_portraits.codes_package):
            np.testing.assert_array_equal(run(write(name, drawn, shown, T))["position"], table)


def _circle(n: int) -> np.ndarray:
    table = EXAMPLES["two_heads"].positions(n)
    assert table is not None
    return table
