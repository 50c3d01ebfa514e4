"""Two rows compared, as numpy lines; and both maps compared, as package lines."""

from dataclasses import dataclass

import numpy as np

from attnviz.figures.code_literals import numpy_array
from attnviz.figures.spoken_versus import Lines, line_name
from attnviz.models.comparing.aligned import WHOLE_LAYER, Compared, Pair
from attnviz.text import Words


@dataclass(frozen=True)
class Read:
    """What one side is of: a model, what it reads, and what is changed while it reads."""

    model: str
    text: str
    pair: str = ""
    target: str = ""
    edits: tuple[tuple[str | int, ...], ...] = ()


def with_numpy(found: Compared, rows: Lines, columns: Lines, row: int, t: Words) -> str:
    """Write the two rows over the columns that both have, and every measure of them."""
    shared = np.flatnonzero(found.shared_columns).tolist()
    keys = ", ".join(line_name(columns[column]) for column in shared)
    lines = [
        "import numpy as np",
        "",
        f"# {_one_line(t('code.versus_row', query=line_name(rows[row]), keys=keys))}",
        *numpy_array("a", found.one[row][shared]),
        *numpy_array("b", found.other[row][shared]),
        f"difference = b - a  # {t('code.versus_difference')}",
        "",
        f"# {t('code.versus_shares')}",
        "p, q = a / a.sum(), b / b.sum()",
        "middle = (p + q) / 2",
        "",
        "def divergence(p, q):",
        "    there = p > 0",
        "    with np.errstate(divide='ignore'):",
        "        return (p[there] * np.log(p[there] / q[there])).sum()",
        "",
        "total_variation = np.abs(p - q).sum() / 2",
        "kl = divergence(p, q)",
        "jensen_shannon = (divergence(p, middle) + divergence(q, middle)) / 2",
        "cosine = p @ q / np.sqrt((p @ p) * (q @ q))",
        "top1 = p.argmax() == q.argmax()",
        "",
        "print(total_variation, jensen_shannon, kl, cosine, top1)",
    ]
    return "\n".join(lines) + "\n"


def with_package(
    sides: tuple[Read, Read],
    pairs: tuple[Pair, Pair],
    unit: str,
    row: int,
    t: Words,
    *,
    specials: bool = True,
) -> str:
    """Write the lines that run the models and compare the two heads with attnviz."""
    same_model, same = sides[0].model == sides[1].model, sides[0] == sides[1]
    lines = [
        "import attnviz",
        "from attnviz.models.comparing.aligned import compared, side_of",
        "",
        f"model = attnviz.load_model({sides[0].model!r})",
        f"one = model.capture({_texts(sides[0])})",
    ]
    if same:
        lines.append("other = one")
    else:
        if not same_model:
            lines.append(f"model = attnviz.load_model({sides[1].model!r})")
        lines.append(f"other = model.capture({_texts(sides[1])})")
    how = f", {unit!r}" + ("" if specials else ", specials=False")
    if WHOLE_LAYER in pairs[0]:
        lines.append(f"# {t('code.versus_whole')}")
    lines += [
        "found = compared(",
        f"    side_of(one, {pairs[0]}{how}),",
        f"    side_of(other, {pairs[1]}{how}),",
        ")",
        f"difference = found.difference[{row}]  # {t('code.versus_blank')}",
        f"print({{name: values[{row}] for name, values in found.apart.items()}})",
        "print({name: found.mean(name) for name in found.apart})",
    ]
    return "\n".join(lines) + "\n"


def _texts(side: Read) -> str:
    """Write the texts as arguments; those that there are not are left out at the end."""
    given = [repr(side.text)]
    if side.pair:
        given.append(repr(side.pair))
    if side.target:
        given.append(f"target={side.target!r}")
    if side.edits:
        given.append(f"edits={list(side.edits)!r}")
    return ", ".join(given)


def _one_line(text: str) -> str:
    return " ".join(text.split())
