"""Code about several heads: the layer as its own panel writes it, and what is asked of it."""

from collections.abc import Sequence
from typing import Literal

from attnviz.figures.code import numpy_code, package_code
from attnviz.figures.code_literals import literal
from attnviz.lessons.challenges import Target
from attnviz.lessons.twins import Twins
from attnviz.scene import Scene
from attnviz.text import Words

Form = Literal["numpy", "package"]

_WRITERS = {"numpy": numpy_code, "package": package_code}


def layer(scene: Scene, t: Words, form: Form, more: Sequence[str] = ()) -> str:
    """Write a layer up to its output, then more lines."""
    code = _WRITERS[form](scene, "heads", t)
    return "\n".join([code, *more, ""]) if more else code


def twins_apart(scene: Scene, pair: Twins, t: Words, form: Form) -> str:
    """Write how far two tokens are apart in each head."""
    first, second = pair.first, pair.second
    off = f"((each[{first}] - each[{second}]) ** 2).sum()"
    made = f"apart = [float({off} ** 0.5) for each in head_outputs]"
    return layer(scene, t, form, [f"# {t('code.apart')}", made, "print(apart)"])


def joined(scene: Scene, joining: str, dropped: Sequence[int], t: Words, form: Form) -> str:
    """Write what becomes of the output where heads are left out, or joined another way."""
    n_heads, _, d_v = scene.trace.head_outputs.shape
    kept = [head for head in range(n_heads) if head not in dropped]
    ones = [int(head in kept) for head in range(n_heads) for _ in range(d_v)]
    w_o = "w_o" if form == "numpy" else "projections.w_o"
    if joining == "average":
        made = f"joined = sum(head_outputs[head] for head in {kept}) / {n_heads}"
        made = made if kept else "joined = 0 * head_outputs[0]"
    elif joining == "identity" or scene.projections.w_o is None:
        made = "joined = concatenated * kept"
    else:
        made = f"joined = (concatenated * kept) @ {w_o}"
    lines = [f"# {t('code.joined')}", made, "print(joined)"]
    if "* kept" in made:
        lines.insert(1, f"kept = {ones}")
    return layer(scene, t, form, lines)


def cut(scene: Scene, t: Words, form: Form) -> str:
    """Write the large W: multiply once, cut the product, and compare with one W for each head."""
    w, n = scene.projections, len(scene.tokens)
    source = "inputs" if scene.trace.position.added is None else "encoded_inputs"
    if form == "numpy":
        lines = [
            "large = np.concatenate(list(w_q), axis=1)",
            f"cut = ({source} @ large).reshape({n}, {w.n_heads}, {w.d_k}).transpose(1, 0, 2)",
            f"apart = [abs(cut[head] - {source} @ w_q[head]).max() for head in range({w.n_heads})]",
            "print(apart)",
        ]
        return layer(scene, t, form, [f"# {t('code.cut')}", *lines])
    code = package_code(scene, "heads", t)
    call = next(line for line in code.splitlines() if line.startswith("trace = "))
    lines = [
        "large = [",
        "    w.transpose(1, 0, 2).reshape(w.shape[1], -1)",
        "    for w in (projections.w_q, projections.w_k, projections.w_v)",
        "]",
        f"split = attnviz.Projections.split(*large, projections.w_o, {w.n_heads}, {w.n_kv_heads})",
        call.replace("trace = ", "split_trace = ").replace(", projections", ", split", 1),
        "apart = abs(split_trace.weights - trace.weights).max()",
        "print(apart)",
    ]
    return layer(scene, t, form, [f"# {t('code.cut')}", *lines])


def counted(scene: Scene, t: Words, form: Form) -> str:
    """Write how many parameters a layer has."""
    names = ("w_q", "w_k", "w_v", "w_o")
    there = [name for name in names if getattr(scene.projections, name) is not None]
    sizes = [f"{name if form == 'numpy' else f'projections.{name}'}.size" for name in there]
    made = f"parameters = {' + '.join(sizes)}"
    return layer(scene, t, form, [f"# {t('code.parameters')}", made, "print(parameters)"])


def distance(scene: Scene, target: Target, t: Words, form: Form) -> str:
    """Write how far the map of the head in hand is from its target."""
    rows = [row for row, counts in enumerate(target.counted.tolist()) if counts]
    lines = [f"# {t('code.target')}", *literal("target = ", target.weights)]
    lines += [f"# {t('code.distance_of_maps')}", f"rows = {rows}"]
    lines += ["distance = (abs(weights - target).sum(axis=1) / 2)[rows].mean()", "print(distance)"]
    return "\n".join([_WRITERS[form](scene, "see", t), *lines, ""])
