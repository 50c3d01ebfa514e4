"""The table of heads as a file: CSV, Parquet or JSON, a head a line."""

import csv
import io
import json
from collections.abc import Iterator, Sequence

from attnviz.attention.readings import HeadReading
from attnviz.exports.tables import safe
from attnviz.models.corpus import AVERAGED, Averaged
from attnviz.models.results import Capture

Cell = str | int | float | bool | None
Line = dict[str, Cell]


def lines_of(capture: Capture, table: Sequence[HeadReading]) -> list[Line]:
    """Give the heads of one text as lines; None where there is nothing to average."""
    return [
        _where(capture, each)
        | {"n_query": each.n_query, "n_key": each.n_key}
        | {"n_empty_rows": each.n_empty_rows}
        | {"distribution": each.distribution, "causal": each.causal}
        | {name: getattr(each, name) for name in AVERAGED}
        | {"first_share": each.first_share, "types": " ".join(each.types)}
        for each in table
    ]


def lines_of_means(capture: Capture, table: Sequence[Averaged]) -> list[Line]:
    """Give the heads over several texts as lines: each mean, its deviation, over how many texts.

    `capture` is one of them: it says of which kind each layer is.
    """
    return [
        _where(capture, each.mean)
        | {"n_texts": each.n_texts}
        | dict(_means(each))
        | {"types": " ".join(each.mean.types)}
        for each in table
    ]


def _where(capture: Capture, reading: HeadReading) -> Line:
    layer = reading.layer or 0
    return {"layer": layer, "head": reading.head, "kind": capture.layers[layer].kind}


def _means(found: Averaged) -> Iterator[tuple[str, Cell]]:
    for name in (*AVERAGED, "first_share"):
        yield name, getattr(found.mean, name)
        yield f"{name}_sd", found.spread(name)
        yield f"{name}_n", found.count(name)


def written(lines: Sequence[Line], ending: str) -> bytes:
    """Write lines as a file: "csv", "parquet" or "json"."""
    return {"csv": _csv, "parquet": _parquet, "json": _json}[ending](lines)


def _csv(lines: Sequence[Line]) -> bytes:
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow(lines[0])
    for line in lines:
        writer.writerow([_cell(value) for value in line.values()])
    return stream.getvalue().encode("utf-8-sig")


def _cell(value: Cell) -> str:
    if value is None:
        return ""
    return safe(value) if isinstance(value, str) else repr(value)


def _json(lines: Sequence[Line]) -> bytes:
    return json.dumps(list(lines), ensure_ascii=False, indent=1, allow_nan=False).encode()


def _parquet(lines: Sequence[Line]) -> bytes:
    import pyarrow as arrow  # it comes with Streamlit, and takes half a second to load
    import pyarrow.parquet as parquet

    columns = {name: [line[name] for line in lines] for name in lines[0]}
    # A number that no head has is a column of numbers too.
    kinds = {
        name: arrow.float64() if all(value is None for value in found) else None
        for name, found in columns.items()
    }
    table = arrow.table(
        {name: arrow.array(found, type=kinds[name]) for name, found in columns.items()}
    )
    stream = io.BytesIO()
    parquet.write_table(table, stream)
    return stream.getvalue()
