"""Matrices on the page in both notations: the same cells, turned with all that belongs to them."""

import numpy as np
import pytest

from attnviz.components import plain
from attnviz.figures import formulas
from attnviz.figures.notation import COLUMN, ROW
from attnviz.scene import scene_of
from attnviz.settings import Settings
from attnviz.text import LANGUAGES, words
from attnviz.ui import matrices


@pytest.fixture(scope="module")
def scene():
    return scene_of(Settings(mask="causal"), "en")


def weights_of(scene, notation, language="en"):
    head = scene.trace.head(0)
    return matrices.token_by_token(
        head.weights,
        "weights",
        scene.tokens,
        words(language),
        2,
        notation=notation,
        sums=matrices.sums(head.weights, 2),
        masked=(~head.mask).tolist(),
        readouts=formulas.cell_equations(head),
        row_readouts=[formulas.row_equation(head, row) for row in range(4)],
        row_in_hand=1,
        pick_rows=True,
    )


def test_weights_in_columns_are_turned_with_their_sums_masks_and_readouts(scene):
    row, column = (weights_of(scene, notation) for notation in (ROW, COLUMN))
    assert np.array(column.cells).T.tolist() == row.cells
    assert np.array(column.values).T.tolist() == row.values
    assert np.array(column.masked).T.tolist() == row.masked
    assert np.array(column.readouts).T.tolist() == row.readouts
    assert (column.sums, column.column_sums) == (None, row.sums)
    assert (column.row_in_hand, column.column_in_hand) == (None, 1)
    assert (column.pick_rows, column.pick_columns) == (False, True)
    assert column.column_readouts == row.row_readouts


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_titles_say_who_asks(scene, language):
    row, column = (weights_of(scene, notation, language) for notation in (ROW, COLUMN))
    t = words(language)
    assert (row.row_title, row.column_title) == (t("see.rows"), t("see.columns"))
    assert "column" in column.column_title
    assert "row" in column.row_title
    assert column.column_title != row.column_title


def test_vectors_in_columns_have_a_token_a_column_and_say_their_shape(scene):
    shown = {"notation": COLUMN, "row_in_hand": 2}
    inputs = matrices.vectors(
        scene.trace.inputs, "a", "plain", scene.tokens, words("en"), 2, **shown
    )
    assert inputs.cells == [["1", "0", "1", "0"], ["0", "1", "1", "1"], ["2", "1", "0", "1"]]
    assert [plain(label) for label in inputs.column_labels] == ["I1", "saw2", "a3", "saw4"]
    assert inputs.row_labels == ["1", "2", "3"]
    assert (inputs.row_title, inputs.column_title) == (words("en")("see.features"), "")
    assert inputs.shape == "(3 × 4)"
    assert inputs.label.endswith("3 × 4")
    assert (inputs.row_axis, inputs.column_axis, inputs.column_in_hand) == ("", "query", 2)


def test_parameters_in_columns_are_transposed():
    w = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    assert matrices.parameters(w, "q", "", 2, notation=COLUMN).shape == "(2 × 3)"
    assert matrices.parameters(w, "q", "", 2).shape == "(3 × 2)"


def test_a_template_reads_who_asks_from_the_column(scene):
    spec = matrices.token_by_token(
        scene.trace.weights[0],
        "weights",
        scene.tokens,
        words("en"),
        2,
        notation=COLUMN,
        readout_template=COLUMN.words(words("en"))("see.cell"),
    )
    assert spec.readout_template == "α′ of {column} (column {j}), {row} (row {i}) = {value}"


def test_a_clicked_cell_is_the_same_query_and_key_in_both(scene):
    for notation in (ROW, COLUMN):
        spec = weights_of(scene, notation)
        cell = spec.cell_at(0, query=2, key=1)
        assert cell is not None
        assert spec.readouts is not None
        assert str(spec.readouts[cell.row][cell.column]).startswith("α′₃,₂")
        assert (spec.on_axis("query", cell), spec.on_axis("key", cell)) == (2, 1)
