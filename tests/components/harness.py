"""A small page for the browser tests: `?show=` picks the component and its data."""

from __future__ import annotations

import time
from dataclasses import replace

import plotly.graph_objects as go
import streamlit as st

from attnviz.components.deck import DeckStep, DeckWords, deck
from attnviz.components.grid import Command, Edit, GridSpec, GridWords, InvalidCell, grid
from attnviz.components.head_grid import Chosen, head_grid
from attnviz.components.matrix import Cell, MatrixSpec, matrix
from attnviz.components.painter import PainterSpec, PainterWords, painter

st.set_page_config(layout="wide")

INPUTS = [[1, 0, 2], [0, 1, 1], [1, 1, 0], [0, 1, 1]]
WEIGHTS = [
    [0.0432, 0.3189, 0.3189, 0.3189],
    [0.0279, 0.2060, 0.5601, 0.2060],
    [0.6103, 0.0826, 0.2245, 0.0826],
    [0.0279, 0.2060, 0.5601, 0.2060],
]
OUTPUTS = [[-0.5947, 1.6811], [-0.3842, 1.4399], [0.4451, 1.7755], [-0.3842, 1.4399]]
SCORES = [[-3, -1, -1, -1], [-2, 0, 1, 0], [4, 2, 3, 2], [-2, 0, 1, 0]]
TOKENS = {
    "hero": ("I", "saw", "a", "saw"),
    "chinese": ("他", "會", "開", "會"),
    "strange": ("<b>x</b>", "<img src=x onerror=alert(1)>", "שלום", "👩‍👩‍👧"),
}
SENTENCES = ("columns", *TOKENS)


def text(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".replace("-", "−")


def grid_of(values: list[list[float]], digits: int) -> list[list[str]]:
    return [[text(value, digits) for value in row] for row in values]


def labels(tokens: tuple[str, ...]) -> list[list[tuple[str, str]]]:
    return [[(f"{i} ", "quiet index"), (token, "token")] for i, token in enumerate(tokens, 1)]


def hero(tokens: tuple[str, ...], chinese: bool) -> list[MatrixSpec]:
    named = labels(tokens)
    hand = st.session_state.setdefault("query", 1)
    readouts = [
        [
            [
                ("α′", "name"),
                (f"{i + 1},{j + 1}", "sub"),
                f" = {WEIGHTS[i][j]:.4f}: ",
                (tokens[i], "strong"),
                " 看 " if chinese else " looks at ",
                (tokens[j], "strong"),
            ]
            for j in range(4)
        ]
        for i in range(4)
    ]
    return [
        MatrixSpec(
            name="a",
            label="Input vectors",
            title="輸入" if chinese else "inputs",
            shape="(4 × 3)",
            cells=grid_of(INPUTS, 0),
            row_labels=named,
            column_labels=["1", "2", "3"],
            row_title="詞元" if chinese else "token",
            column_title="特徵" if chinese else "feature",
            row_axis="key",
            column_axis="feature",
            pick_rows=True,
        ),
        MatrixSpec(
            name="A′",
            label="Attention weights",
            kind="weights",
            title="權重" if chinese else "weights",
            shape="(4 × 4)",
            cells=grid_of(WEIGHTS, 2),
            values=WEIGHTS,
            row_labels=named,
            column_labels=named,
            row_title="列(row) 誰在問" if chinese else "row: who asks",
            column_title="行(column) 誰被問" if chinese else "column: who is asked",
            row_axis="query",
            column_axis="key",
            sums=["1.00"] * 4,
            row_in_hand=hand,
            readouts=readouts,
            legend=("0", "1"),
            pick_rows=True,
            sign="→",
        ),
        MatrixSpec(
            name="b",
            label="Output vectors",
            kind="output",
            title="輸出" if chinese else "outputs",
            shape="(4 × 2)",
            cells=grid_of(OUTPUTS, 2),
            row_labels=named,
            column_labels=["1", "2"],
            row_title="詞元" if chinese else "token",
            column_title="特徵" if chinese else "feature",
            row_axis="query",
            column_axis="feature",
            row_in_hand=hand,
            row_marks=[
                "",
                [("= ", ""), ("b", "name"), ("4", "sub")],
                "",
                [("= ", ""), ("b", "name"), ("2", "sub")],
            ],
            pick_rows=True,
            sign="→",
        ),
    ]


def columns(chinese: bool) -> list[MatrixSpec]:
    """Turn the first example: tokens are columns."""
    inputs, weights, outputs = (spec.transposed() for spec in hero(TOKENS["hero"], chinese))
    titles = {"column_title": "column: who asks", "row_title": "row: who is asked"}
    return [
        replace(inputs, shape="(3 × 4)"),
        replace(weights, **titles),
        replace(outputs, shape="(2 × 4)"),
    ]


def pattern(n: int) -> list[list[float]]:
    raw = [[1 / (1 + abs(i - j) ** 1.5) + 0.4 * (j == 0) for j in range(n)] for i in range(n)]
    return [[value / sum(row) for value in row] for row in raw]


def many(n: int) -> list[MatrixSpec]:
    words = (
        "the",
        "quick",
        "brown",
        "fox",
        "jumps",
        "over",
        "internationalization",
        "lazy",
        "dog",
        "and",
        "runs",
        ".",
    )
    named = labels(tuple(words[i % 12] for i in range(n)))
    weights = pattern(n)
    values = [[(i * 7 + j * 3) % 11 / 4 - 1 for j in range(3)] for i in range(n)]
    small = n <= 12
    tables = [
        MatrixSpec(
            name="A′",
            label="Attention weights",
            kind="weights",
            title="weights",
            shape=f"({n} × {n})",
            cells=grid_of(weights, 2),
            values=weights,
            row_labels=named,
            column_labels=named,
            row_title="row: who asks",
            column_title="column: who is asked",
            row_axis="query",
            column_axis="key",
            sums=["1.00"] * n if small else None,
            row_in_hand=2,
            readout_template="α′({i},{j}) = {value}: {row} looks at {column}",
            legend=("0", "1"),
            digits=small,
        )
    ]
    if small:
        vector = {"row_labels": named, "row_title": "token", "column_title": "feature"}
        first = MatrixSpec(
            name=[("V", ""), ("1", "sup")],
            kind="value",
            label="Values",
            shape=f"({n} × 3)",
            title="values",
            cells=grid_of(values, 2),
            column_labels=["1", "2", "3"],
            row_axis="key",
            **vector,
        )
        last = MatrixSpec(
            name="b",
            kind="output",
            label="Outputs",
            shape=f"({n} × 2)",
            title="outputs",
            cells=grid_of([row[:2] for row in values], 2),
            column_labels=["1", "2"],
            row_axis="query",
            sign="→",
            **vector,
        )
        tables = [first, *tables, last]
    return tables


def scores() -> list[MatrixSpec]:
    named = labels(TOKENS["hero"])
    shared = {
        "row_labels": named,
        "row_title": "row: who asks",
        "column_title": "column: who is asked",
    }
    head = {
        "row_labels": named,
        "column_labels": ["1", "2"],
        "column_title": "feature",
        "row_title": "token",
    }
    return [
        MatrixSpec(
            name="Q",
            kind="query",
            label="Queries",
            title="queries",
            shape="(4 × 2)",
            row_axis="query",
            cells=grid_of([[-1, 0], [-1, 1], [1, 1], [-1, 1]], 0),
            **head,
        ),
        MatrixSpec(
            name=[("K", ""), ("T", "sup")],
            kind="key",
            label="Keys",
            title="keys",
            shape="(4 × 2)",
            row_axis="key",
            cells=grid_of([[3, 1], [1, 1], [1, 2], [1, 1]], 0),
            sign="·",
            **head,
        ),
        MatrixSpec(
            name="A",
            kind="scores",
            label="Scores",
            title="scores",
            shape="(4 × 4)",
            row_axis="query",
            column_axis="key",
            cells=grid_of(SCORES, 0),
            values=SCORES,
            column_labels=named,
            legend=("−4", "4"),
            masked=[[j > i for j in range(4)] for i in range(4)],
            row_in_hand=2,
            sign="=",
            **shared,
        ),
    ]


def show_matrix(what: str) -> None:
    heard = st.session_state.setdefault("heard", [])

    def ask(row: int) -> None:
        st.session_state["query"] = row
        heard.append(f"query {row}")

    def take(cell: Cell) -> None:
        heard.append(f"cell {cell.table} {cell.row} {cell.column}")

    n = int(what) if what.isdigit() else 0
    if n:
        tables = many(n)
    elif what == "scores":
        tables = scores()
    elif what == "columns":
        tables = columns(chinese=False)
    else:
        tables = hero(TOKENS[what], what == "chinese")
    matrix(
        tables,
        key="matrix",
        label="Attention",
        default_readout=[
            ("b", "name"),
            ("2", "sub"),
            " = 0.0279·(1, 2) + 0.2060·(−1, 2) + 0.5601·(0, 1) + 0.2060·(−1, 2)",
        ],
        on_cell=take,
        on_query=ask,
        tokens=labels(TOKENS["hero" if what == "columns" else what] if what in SENTENCES else ()),
        tokens_label="主角" if what == "chinese" else "who asks",
        query=st.session_state.get("query"),
    )
    st.text("heard: " + ", ".join(heard))


def show_grid() -> None:
    texts = st.session_state.setdefault(
        "texts", [["1", "0", "2"], ["0", "1", "1"], ["1", "1", "0"]]
    )
    heard = st.session_state.setdefault("heard", [])

    def edit(change: Edit) -> None:
        heard.append(f"edit {change.row} {change.column} {change.text!r}")
        texts[change.row][change.column] = change.text.strip()
        time.sleep(float(st.query_params.get("slow", "0")))

    def paste(change: Edit) -> None:
        heard.append(f"paste {change.row} {change.column} {change.text!r}")

    def obey(command: Command) -> None:
        heard.append(f"{command.name} {command.at}")
        if command.name == "add_row":
            texts.append(["0"] * len(texts[0]))
        elif command.name == "add_column":
            texts[:] = [[*row, "0"] for row in texts]
        elif command.name == "remove_row" and command.at is not None:
            texts.pop(command.at)
        elif command.name == "remove_column" and command.at is not None:
            texts[:] = [row[: command.at] + row[command.at + 1 :] for row in texts]

    wrong = [
        InvalidCell(r, c, text, f"A number is needed here; got {text}")
        for r, row in enumerate(texts)
        for c, text in enumerate(row)
        if text.isalpha()
    ]
    shape = (len(texts), len(texts[0]))
    names = ("I", "saw", "<b>a</b>", "saw", "שלום", "six", "seven", "eight")
    with st.sidebar if "sidebar" in st.query_params else st.container():
        grid(
            GridSpec(
                name=[("W", ""), ("q", "sup")],
                kind="query",
                label="Query weights",
                title="edit me",
                shape=f"({shape[0]} × {shape[1]})",
                cells=texts,
                row_labels=labels(names[: shape[0]]),
                column_labels=[f"{c + 1}" for c in range(shape[1])],
                row_title="token",
                column_title="feature",
                invalid=wrong,
                row_limits=(1, 8),
                column_limits=(1, 8),
            ),
            key="grid",
            words=GridWords(
                add_row="Add a row",
                remove_row="Remove row {label}",
                add_column="Add a column",
                remove_column="Remove column {label}",
                cell="{row}, {column}",
            ),
            on_edit=edit,
            on_paste=paste,
            on_command=obey,
        )
    st.text("heard: " + ", ".join(heard))


def show_deck() -> None:
    heard = st.session_state.setdefault("heard", [])

    def stay(name: str) -> None:
        heard.append(name)
        st.query_params["step"] = name

    names = ("query", "key", "scores", "scale", "mask", "normalise", "value", "sum", "all")
    if not st.session_state.get("gone"):
        deck(
            [DeckStep(name, [(f"{i} ", "quiet index"), name]) for i, name in enumerate(names, 1)],
            key="deck",
            prefix="stage",
            current=st.query_params.get("step", "query"),
            label="Steps",
            words=DeckWords(
                previous="Previous step",
                play="Play",
                pause="Pause",
                next="Next step",
                place="{i} / {n}",
            ),
            on_step=stay,
            seconds=float(st.query_params.get("seconds", "2.5")),
        )
    with st.container(key="stage"):
        for i, name in enumerate(names):
            with st.container(key=f"stage-{name}"):
                st.subheader(f"Step {name}")
                left, right = st.columns(2)
                left.write("words " * 20 * (i + 1))
                if i in (2, 5):
                    right.plotly_chart(
                        go.Figure(go.Heatmap(z=[[1, 2], [3, 4]]), {"height": 260}), key=f"chart-{i}"
                    )
    st.text_input("note")
    st.checkbox("gone", key="gone")
    st.text("heard: " + ", ".join(heard))


def show_heads() -> None:
    heard = st.session_state.setdefault("heard", [])
    n_layers = int(st.query_params.get("n", "30"))
    n_heads = int(st.query_params.get("across", "9"))

    def opened(chosen: Chosen) -> None:
        heard.append(f"{chosen.layer}.{chosen.head}")
        st.session_state["head"] = chosen[:2]

    head_grid(
        [bytes(range(16 * n_heads)) for _ in range(n_layers)],
        [(4, 4)] * n_layers,
        [str(layer) for layer in range(n_layers)],
        [n_heads] * n_layers,
        key="heads",
        label="Heads",
        title="every head",
        hint="point at one",
        notes=[f"head {layer}.{head}" for layer in range(n_layers) for head in range(n_heads)],
        chosen=[st.session_state.get("head", (18, 6))],
        theme="light",
        on_head=opened,
        largest=44,
        tallest=340,
    )
    st.text("heard: " + ", ".join(heard))


def show_painter() -> None:
    heard = st.session_state.setdefault("heard", [])
    n = int(st.query_params.get("n", "4"))
    mask = st.session_state.setdefault("mask", tuple("1" * n for _ in range(n)))
    words = tuple(TOKENS["hero"][i % 4] for i in range(n))

    def paint(cells: tuple[str, ...]) -> None:
        heard.append("/".join(cells))
        st.session_state["mask"] = cells
        time.sleep(float(st.query_params.get("slow", "0")))

    painter(
        PainterSpec(
            name="M",
            label="Mask",
            cells=[[cell == "1" for cell in row] for row in mask],
            labels=labels(words),
            column_title="rows ask",
            in_hand=1,
            turned="turned" in st.query_params,
        ),
        key="painter",
        words=PainterWords(may="{row} may see {column}", may_not="{row} may not see {column}"),
        on_paint=paint,
    )
    st.text("heard: " + ", ".join(heard))


show = st.query_params.get("show", "hero")
if show == "grid":
    show_grid()
elif show == "deck":
    show_deck()
elif show == "painter":
    show_painter()
elif show == "heads":
    show_heads()
else:
    show_matrix(show)
