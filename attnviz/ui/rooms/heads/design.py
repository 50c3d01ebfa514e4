"""W^q and W^k of one head, edited in place, as changes of the settings."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from attnviz.components import Text
from attnviz.components.grid import Edit, GridSpec, GridWords, InvalidCell, grid
from attnviz.errors import InputError
from attnviz.lessons.challenges import D_K, features
from attnviz.lessons.typed import parse_table
from attnviz.scene import Scene
from attnviz.settings import VIEW_FIELDS, Settings
from attnviz.text.numbers import MINUS
from attnviz.ui import editing, refusals, session

_LETTERS = {"w_q": "q", "w_k": "k"}


def size() -> float:
    """Give how large to draw: two maps beside two matrices, on a projector too."""
    return 0.78 if session.settings().present else 0.88


def started(scene: Scene) -> bool:
    """Tell whether the tokens have the places and words that a design can build on."""
    made = features(scene.tokens)
    return scene.inputs.shape == made.shape and np.array_equal(scene.inputs, made)


def fresh(settings: Settings, scene: Scene) -> Settings:
    """Give the person's tokens places and words as vectors, and one head with nothing in it."""
    vectors = features(scene.tokens)
    blank = editing.table(np.zeros((vectors.shape[1], D_K)))
    view = {name: getattr(settings, name) for name in VIEW_FIELDS - {"amount", "key", "head"}}
    return Settings(
        **view,
        example=settings.example,
        pieces=scene.tokens,
        vectors=editing.table(vectors),
        n_heads=1,
        d_k=D_K,
        d_v=D_K,
        w_source="typed",
        w_q=blank,
        w_k=blank,
        w_v=editing.table(np.eye(vectors.shape[1], D_K, k=D_K - vectors.shape[1])),
    )


def block(scene: Scene, name: str) -> np.ndarray:
    """Give the matrix of the head in hand."""
    return getattr(scene.projections, name)[_place(scene, name)]


def exchanged(scene: Scene, **blocks: np.ndarray) -> dict[str, Any]:
    """Put other matrices into the head in hand; all others stay as they are on the screen."""
    changes: dict[str, Any] = {"w_source": "typed"}
    for name in editing.MATRICES:
        if getattr(scene.projections, name) is not None:
            changes[name] = editing.table(_whole(scene, name, blocks))
    return changes


def editor(name: str, title: str, rows: Sequence[Text]) -> None:
    """Draw the matrix of the head in hand, to type into."""
    t, scene = session.t(), session.scene()
    array, place = block(scene, name), f"design.{name}"
    grid(
        GridSpec(
            name=[("W", "name"), (_LETTERS[name], "sup")],
            title=title,
            label=title,
            cells=[[_exact(value) for value in row] for row in array.tolist()],
            row_labels=rows,
            column_labels=[str(column + 1) for column in range(array.shape[1])],
            kind="query" if name == "w_q" else "key",
            shape=f"({len(array)} × {array.shape[1]})",
            invalid=_invalid(place),
        ),
        key=f"grid.{place}",
        words=GridWords(
            add_row=t("grid.add_row"),
            add_column=t("grid.add_column"),
            remove_row=t("grid.remove_row", label="{label}"),
            remove_column=t("grid.remove_column", label="{label}"),
            cell=t("grid.cell", row="{row}", column="{column}"),
        ),
        on_edit=partial(_typed, name),
        on_paste=partial(_pasted, name),
        size=size(),
    )
    if not session.draft_cells(place):
        refusals.show(place)
    refusals.show_kept(f"{place}.paste")


def _typed(name: str, edit: Edit) -> None:
    def changes() -> dict[str, Any]:
        scene = session.scene()
        across = edit.column + _place(scene, name) * scene.projections.d_k
        try:
            return editing.type_cell(name, scene, edit.row, across, edit.text)
        except InputError as error:  # the place as this grid counts it
            if "column" in error.values:
                raise InputError(
                    error.code, **error.values | {"column": edit.column + 1}
                ) from error
            raise

    session.attempt(f"design.{name}", changes, cell=(edit.row, edit.column, edit.text))


def _pasted(name: str, edit: Edit) -> None:
    def changes() -> dict[str, Any]:
        scene = session.scene()
        pasted, own = np.array(parse_table(edit.text)), np.array(block(scene, name))
        rows, columns = edit.row + pasted.shape[0], edit.column + pasted.shape[1]
        if rows > own.shape[0] or columns > own.shape[1]:
            expected = f"{own.shape[0]} × {own.shape[1]}"
            symbol = f"W^{_LETTERS[name]}"
            raise InputError(
                "weights.shape", name=symbol, expected=expected, got=f"{rows} × {columns}"
            )
        own[edit.row : rows, edit.column : columns] = pasted
        return exchanged(scene, **{name: own})

    session.attempt(f"design.{name}.paste", changes, draft=edit.text)


def _whole(scene: Scene, name: str, blocks: dict[str, np.ndarray]) -> np.ndarray:
    if name not in blocks:
        return editing.shown(scene, name)
    weights = getattr(scene.projections, name).copy()
    weights[_place(scene, name)] = blocks[name]
    return editing.side_by_side(weights)


def _place(scene: Scene, name: str) -> int:
    return scene.projections.kv_head(scene.head) if name == "w_k" else scene.head


def _invalid(place: str) -> list[InvalidCell]:
    kept = session.t()("check.kept")
    return [
        InvalidCell(row, column, text, f"{refusals.sentence(error)} {kept}")
        for (row, column), (text, error) in session.draft_cells(place).items()
    ]


def _exact(value: float) -> str:
    return repr(value).removesuffix(".0").replace("-", MINUS)
