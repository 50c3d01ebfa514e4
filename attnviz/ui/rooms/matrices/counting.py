"""What is learned? The numbers that training sets, counted; all others are computed."""

from dataclasses import replace

import streamlit as st

from attnviz.components.matrix import Kind, MatrixSpec, matrix
from attnviz.figures.code_matrices import counting_numpy, counting_package
from attnviz.lessons.counting import Counted, counted, learned, splits
from attnviz.settings import MAX_HEADS
from attnviz.ui import matrices, session, tools

_SYMBOLS = {
    "inputs": "$I$",
    "positions": "$E$",
    "buckets": "$B$",
    "distances_k": "$r^k$",
    "distances_v": "$r^v$",
    "w_q": "$W^q$",
    "w_k": "$W^k$",
    "w_v": "$W^v$",
    "w_o": "$W^O$",
    "query": "$Q$",
    "key": "$K$",
    "value": "$V$",
    "scores": "$A$",
    "weights": "$A'$",
    "head_outputs": "$O^h$",
    "output": "$O$",
}


def counting() -> None:
    """Count what is learned, matrix by matrix, and grey out what is only computed."""
    t, scene = session.t(), session.scene()
    counts = counted(scene.trace, session.settings().positions)
    total = learned(counts)
    tools.ask(t("counting.asks"), small=True)
    answer, picture = st.columns([2, 3], gap="medium", vertical_alignment="top")
    with answer:
        st.metric(t("counting.total"), f"{total:,}")
        st.latex(_formula(counts, total))
        with st.container(key="counts-matrices"):
            st.markdown(_table(counts))
    with picture:
        _matrices()
        _splits()
    tools.say(_sentence(counts, total))
    tools.lines(
        "counting",
        lambda: counting_numpy(scene, counts, t),
        lambda: counting_package(scene, counts, t),
    )


def _formula(counts: tuple[Counted, ...], total: int) -> str:
    """Write the count as people would: three equal matrices are counted at once."""
    parts: dict[tuple[int, ...], int] = {}
    for each in counts:
        if each.learned:
            parts[each.shape] = parts.get(each.shape, 0) + each.blocks
    terms = [
        (f"{blocks} \\cdot " if blocks > 1 else "") + "(" + " \\cdot ".join(map(str, shape)) + ")"
        for shape, blocks in parts.items()
    ]
    return f"{' + '.join(terms)} = {total}"


def _table(counts: tuple[Counted, ...]) -> str:
    """Write the list as Markdown; what is not learned is grey, and says so."""
    t = session.t()
    heads = [t(f"counting.column.{name}") for name in ("matrix", "shape", "count", "source")]
    lines = [_line(heads), _line([":--", ":--", "--:", ":--"])]
    for each in counts:
        shape = _shape(each)
        blocks = f"{each.blocks} × ({shape})" if each.blocks > 1 else shape
        source = t("counting.learned" if each.learned else _source(each.name))
        cells = [_symbol(each.name), blocks, str(each.count), source]
        grey = [cell if each.learned else f":gray[{cell}]" for cell in cells]
        lines.append(_line([f"**{cell}**" if each.learned else cell for cell in grey]))
    return "\n".join(lines)


def _shape(each: Counted) -> str:
    turned = session.notation().columns
    return " × ".join(map(str, each.shape[::-1] if turned else each.shape))


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _symbol(name: str) -> str:
    return _SYMBOLS.get(name) or session.t()("counting.of_score", name=name.split(".")[-1])


def _source(name: str) -> str:
    return "counting.given" if name in ("inputs", "positions") else "counting.computed"


def _matrices() -> None:
    """Draw every learned matrix of the head in hand with its digits: each cell counts one."""
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    w, n = scene.projections, session.notation()
    own = w.kv_head(scene.head)
    arrays = {"q": w.w_q[scene.head], "k": w.w_k[own], "v": w.w_v[own]}
    kinds: dict[str, Kind] = {"q": "query", "k": "key", "v": "value", "O": "output"}
    if w.w_o is not None:
        arrays["O"] = w.w_o
    tables: list[MatrixSpec] = []
    for letter, array in arrays.items():
        sign = "+" if tables else ""
        title = t(f"ribbon.role.w_{letter.lower()}")
        spec = matrices.parameters(array, letter, title, digits, sign=sign, notation=n)
        tables.append(replace(spec, kind=kinds[letter]))
    matrix(
        tables,
        key="learned",
        label=t("counting.label"),
        default_readout=t("counting.hint_heads", heads=w.n_heads, head=scene.head + 1)
        if w.n_heads > 1
        else t("counting.hint"),
        size=session.size() * 0.95,
    )


def _splits() -> None:
    """Show that more heads of the same width in all have as many numbers."""
    t, w = session.t(), session.scene().projections
    found = splits(w.d_model, w.n_heads * w.d_k, w.n_heads * w.d_v, MAX_HEADS)
    heads = ("n_heads", "d_k", "d_v", "projections", "joining", "count")
    lines = [_line([t(f"counting.split.{name}") for name in heads]), _line(["--:"] * len(heads))]
    for split in found:
        mine = split.n_heads == w.n_heads
        cells = [str(getattr(split, name)) for name in heads]
        lines.append(_line([f"**{cell}**" if mine else cell for cell in cells]))
    st.markdown(t("counting.constant" if len(found) > 1 else "counting.indivisible"))
    with st.container(key="counts-splits"):
        st.markdown("\n".join(lines))


def _sentence(counts: tuple[Counted, ...], total: int) -> str:
    t, scene = session.t(), session.scene()
    computed = sum(each.count for each in counts if not each.learned)
    names = t("say.comma").join(_symbol(each.name).strip("$") for each in counts if each.learned)
    said = t("counting.said", total=total, names=names, computed=computed)
    grows = any(each.learned and each.name == "positions" for each in counts)
    more = t("counting.one_more" if grows else "counting.no_more", n=len(scene.tokens))
    return t("say.next").join([said, more])
