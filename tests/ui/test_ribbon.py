"""The matrices of the ribbon as they are handed to the browser."""

import numpy as np
import pytest

from attnviz.attention.stops import changed_cells
from attnviz.components import plain
from attnviz.components.matrix import MatrixSpec
from attnviz.figures.notation import COLUMN, ROW
from attnviz.figures.products import Products
from attnviz.scene import scene_of
from attnviz.settings import Settings
from attnviz.text import LANGUAGES, words
from attnviz.ui import editing
from attnviz.ui.rooms.matrices.tables import Ribbon

WHOLE = Settings(n_heads=2, mask="causal", scale="sqrt_d_k", positions="sinusoidal", head=1)
EDITED = ((3.0, 0.0), (-1.0, 1.0), (0.0, 1.0))


def ribbon(settings, notation=ROW, *, before=None, without="", language="en"):
    scene = scene_of(settings)
    page = Products(scene.trace, scene.head, words(language), 2, notation)
    changes = None
    if before is not None:
        changes = changed_cells(scene_of(before).trace, scene.trace, scene.head)
    return Ribbon(page, scene, {}, changes, without)


def edited():
    scene = scene_of(Settings())
    return Settings(**editing.type_cell("w_v", scene, 0, 0, "3"))


def test_what_changed_is_marked_by_words_and_by_cells():
    tables = ribbon(edited(), before=Settings()).tables()
    titles = {name: table.title for name, table in tables.items()}
    t = words("en")
    assert {titles[name] for name in ("inputs", "query", "key", "scores", "weights")} == {
        t("ribbon.unchanged")
    }
    assert (titles["w_q"], titles["w_v"]) == (t("ribbon.same"), t("ribbon.few", n=1, of=6))
    assert titles["head_outputs"] == t("ribbon.changed", n=4, of=8)
    assert np.sum(tables["value"].fresh) == 2
    assert not np.any(tables["weights"].fresh)
    assert t("ribbon.unchanged") in tables["w_q"].label  # read aloud in full


def test_what_changed_turns_with_its_matrix():
    row = ribbon(edited(), before=Settings()).tables()
    column = ribbon(edited(), COLUMN, before=Settings()).tables()
    for name, table in row.items():
        assert np.array(column[name].fresh).T.tolist() == np.array(table.fresh).tolist()


def test_another_size_is_said():
    tables = ribbon(Settings(sentence="saw saw"), before=Settings()).tables()
    assert tables["inputs"].title == words("en")("ribbon.resized")
    assert tables["inputs"].fresh is None


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("notation", [ROW, COLUMN])
def test_every_matrix_says_its_shape_and_what_it_is_made_of(language, notation):
    strip = ribbon(WHOLE, notation, language=language)
    for name, table in strip.tables().items():
        rows, columns = len(table.cells), len(table.cells[0])
        assert table.shape == f"({rows} × {columns})"
        assert f"{rows} × {columns}" in table.label
        assert name == "inputs" or table.sign or name.startswith("w_")


def test_the_signs_read_as_products_in_both_notations():
    row, column = ribbon(Settings()).tables(), ribbon(Settings(), COLUMN).tables()
    said = [plain(row[name].sign) for name in ("w_q", "query", "scores", "head_outputs")]
    assert said == ["I", " =", "Q K⊤ =", "A′ V ="]
    said = [plain(column[name].sign) for name in ("w_q", "query", "scores", "head_outputs")]
    assert said == ["", "I =", "K⊤ Q =", "V A′ ="]
    apart = ribbon(Settings(), without="w_q").tables()
    assert "w_q" not in apart
    assert plain(apart["query"].sign) == "I Wq ="


def test_many_tokens_are_shades_without_digits():
    tables = ribbon(Settings(sentence="saw we " * 10)).tables()
    assert not tables["query"].digits
    data = tables["query"].as_data()
    shades = np.array(data["shades"])
    assert shades.shape == (20, 2)
    assert 0 <= shades.min() <= 0.5 <= shades.max() <= 1
    assert tables["w_q"].digits


def test_sums_may_be_written_in_pieces():
    spec = MatrixSpec(
        name="A",
        label="A",
        cells=[["1"]],
        row_labels=["1"],
        column_labels=["1"],
        sums=[[("0.09 ≠ 1", "wrong")]],
    )
    assert spec.as_data()["tails"] == [[["sum", "Σ"]], [["sum", [["0.09 ≠ 1", "wrong"]]]]]
    assert spec.transposed().as_data()["feet"] == [
        ["sums", ["corner", "Σ"], ["", [["0.09 ≠ 1", "wrong"]]]]
    ]
