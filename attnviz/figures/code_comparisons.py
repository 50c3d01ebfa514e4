"""The code of the panels that compare attention with RNNs, graphs and other orders, and count."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float

from attnviz.comparisons.graph import Drawn
from attnviz.comparisons.recurrence import WIDTH
from attnviz.figures.code_compare import NUMPY, program
from attnviz.figures.code_literals import constant, numpy_array
from attnviz.figures.labels import shortened
from attnviz.figures.theme import Number
from attnviz.text import Words


def recurrence_numpy(n: int, radius: Number, seed: int, t: Words) -> str:
    """Write an RNN, its exact derivative by the first input, and that of a head."""
    return program(
        [NUMPY, ""],
        [
            f"n, d, radius, seed = {n}, {WIDTH}, {constant(radius)}, {seed}",
            "rng = np.random.default_rng(seed)",
            "w_hidden, w_input = rng.normal(size=(2, d, d))",
            "w_hidden *= radius / np.abs(np.linalg.eigvals(w_hidden)).max()"
            f"  # {t('recurrence.radius')}",
            "w_input /= 2 * np.sqrt(d)",
            "x = np.random.default_rng([seed, 1]).normal(size=(n, d))",
            "w_q, w_k, w_v = np.random.default_rng([seed, 2]).normal(size=(3, d, d)) / np.sqrt(d)",
            "",
            f"h, rnn = np.zeros(d), []  # {t('code.one_by_one')}",
            "for t in range(n):",
            "    h = np.tanh(h @ w_hidden + x[t] @ w_input)",
            "    inner = w_input.T if t == 0 else w_hidden.T @ jacobian",
            f"    jacobian = (1 - h**2)[:, None] * inner  # {t('code.chain_rule')}",
            "    rnn.append(np.linalg.norm(jacobian, 2))",
            "rnn = np.array(rnn) / rnn[0]",
            "",
            f"attention = [np.linalg.norm(w_v.T, 2)]  # {t('code.any_order')}",
            "for t in range(1, n):",
            "    q = x[t] @ w_q",
            "    e = np.exp((x[: t + 1] @ w_k) @ q / np.sqrt(d))",
            "    alpha, v = e / e.sum(), x[: t + 1] @ w_v",
            "    through_weights = np.outer(v[0] - alpha @ v, w_k @ q) / np.sqrt(d)",
            "    attention.append(np.linalg.norm(alpha[0] * (w_v.T + through_weights), 2))",
            "attention = np.array(attention) / attention[0]",
            "",
            f"print(rnn[-1], attention[-1], radius ** (n - 1))  # {t('recurrence.left')}",
        ],
    )


def recurrence_package(n: int, radius: Number, seed: int, t: Words) -> str:
    """Write the same with the package."""
    return program(
        ["from attnviz.comparisons.recurrence import Survival, powers", ""],
        [
            f"found = Survival.of({n}, {constant(radius)}, {seed})",
            "rnn, attention = found.rnn, found.attention",
            "",
            f"print(rnn[-1], attention[-1], powers({n}, {constant(radius)})[-1])"
            f"  # {t('recurrence.left')}",
        ],
    )


def _graph(drawn: Drawn, allowed: Bool[np.ndarray, "node node"], names: Sequence[str]) -> list[str]:
    remarks = [repr(shortened(name)) for name in names]
    return [
        *numpy_array("h", drawn.inputs, remarks),
        *numpy_array("scores", drawn.scores),
        *numpy_array("w", drawn.w),
        *numpy_array("a_source", drawn.a_source),
        *numpy_array("a_target", drawn.a_target),
        *numpy_array("w_source", drawn.w_source),
        *numpy_array("w_target", drawn.w_target),
        *numpy_array("a", drawn.a),
        *numpy_array("edges", allowed),
        "",
    ]


def graph_numpy(
    drawn: Drawn, allowed: Bool[np.ndarray, "node node"], names: Sequence[str], t: Words
) -> str:
    """Write attention along edges in four ways, and the hops."""
    return program(
        [NUMPY, ""],
        [
            *_graph(drawn, allowed, names),
            "def softmax(z, edges):",
            "    top = np.where(edges, z, -np.inf).max(axis=1, keepdims=True)",
            "    e = np.where(edges, np.exp(z - np.where(np.isinf(top), 0, top)), 0)",
            "    return e / np.maximum(e.sum(axis=1, keepdims=True), 1e-300)"
            f"  # {t('code.no_edge')}",
            "",
            "masked = softmax(scores, edges)",
            "zero = softmax(np.where(edges, scores, 0), np.ones_like(edges))",
            "leaked = np.where(edges, 0, zero).sum(axis=1)",
            "",
            "sums = (h @ w @ a_source)[:, None] + h @ w @ a_target",
            "gat = softmax(np.where(sums > 0, sums, 0.2 * sums), edges)  # LeakyReLU",
            "pairs = (h @ w_source)[:, None] + h @ w_target",
            "gat2 = softmax(np.where(pairs > 0, pairs, 0.2 * pairs) @ a, edges)  # GATv2",
            "",
            f"hops = np.where(np.eye(len(h), dtype=bool), 0, -1)  # {t('code.no_way')}",
            "for hop in range(1, len(h)):",
            "    further = ((hops >= 0).astype(float) @ edges > 0) & (hops < 0)",
            "    hops[further] = hop",
            "",
            "print(masked, leaked, gat, gat2, hops, sep='\\n')",
        ],
    )


def graph_package(
    drawn: Drawn, allowed: Bool[np.ndarray, "node node"], names: Sequence[str], t: Words
) -> str:
    """Write the same with the package."""
    return program(
        [
            NUMPY,
            "",
            "from attnviz.comparisons.costs import paths",
            "from attnviz.comparisons.graph import graph_attention, graph_attention_2, weights_on",
            "",
        ],
        [
            *_graph(drawn, allowed, names),
            "masked = weights_on(scores, edges)",
            "zero = weights_on(np.where(edges, scores, 0.0), np.ones_like(edges))",
            "leaked = np.where(edges, 0, zero).sum(axis=1)",
            "gat = graph_attention(h, w, a_source, a_target, edges).weights",
            "gat2 = graph_attention_2(h, w_source, w_target, a, edges).weights",
            f"hops = paths(edges)  # {t('code.no_way')}",
            "",
            "print(masked, leaked, gat, gat2, hops, sep='\\n')",
        ],
    )


def _head(
    query: Float[np.ndarray, "n d_k"],
    key: Float[np.ndarray, "m d_k"],
    value: Float[np.ndarray, "m d_v"],
    mask: Bool[np.ndarray, "n m"] | None,
) -> list[str]:
    arrays = [
        *numpy_array("q", query),
        *numpy_array("k", key),
        *numpy_array("v", value),
    ]
    return arrays if mask is None else [*arrays, *numpy_array("mask", mask)]


def linear_numpy(
    query: Float[np.ndarray, "n d_k"],
    key: Float[np.ndarray, "m d_k"],
    value: Float[np.ndarray, "m d_v"],
    mask: Bool[np.ndarray, "n m"] | None,
    t: Words,
) -> str:
    """Write linear attention in both orders."""
    products = "phi(q) @ phi(k).T" if mask is None else "phi(q) @ phi(k).T * mask"
    fast = [
        f"state = phi(k).T @ v  # {t('code.state')}",
        "totals = phi(q) @ phi(k).sum(axis=0)",
        "output = phi(q) @ state / np.maximum(totals, 1e-300)[:, None]",
        "print(np.abs(output - slow).max())",
    ]
    return program(
        [NUMPY, ""],
        [
            *_head(query, key, value, mask),
            "",
            "def phi(x):",
            "    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))",
            "",
            f"weights = {products}  # {t('code.square')}",
            "weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-300)",
            "slow = weights @ v",
            "",
            *(fast if mask is None else [f"output = slow  # {t('code.masked_square')}"]),
            "print(weights, output, sep='\\n')",
        ],
    )


def linear_package(
    query: Float[np.ndarray, "n d_k"],
    key: Float[np.ndarray, "m d_k"],
    value: Float[np.ndarray, "m d_v"],
    mask: Bool[np.ndarray, "n m"] | None,
    t: Words,
) -> str:
    """Write the same with the package."""
    given = "" if mask is None else ", mask=mask"
    return program(
        [NUMPY, "", "from attnviz.attention.linear import linear_attend", ""],
        [
            *_head(query, key, value, mask),
            "",
            f"found = linear_attend(q, k, v{given})",
            f"weights, output = found.weights, found.output  # {t('code.implied')}",
            "",
            "print(weights, output, sep='\\n')",
        ],
    )


def costs_numpy(n: int, d: int, kernel: int, neighbours: int, t: Words) -> str:
    """Write the counts of the table."""
    return program(
        ["import math", ""],
        [
            f"n, d, k, r = {n}, {d}, {kernel}, {neighbours}",
            "",
            "def pairs(places):",
            f'    """{t("code.pairs")}"""',
            "    reach = min(places // 2, n - 1)",
            "    return n * (2 * reach + 1) - reach * (reach + 1)",
            "",
            f"work = {{  # {t('costs.work')}",
            '    "attention": n * n * d,',
            '    "rnn": n * d * d,',
            '    "cnn": k * n * d * d,',
            '    "restricted": min(r, n) * n * d,',
            "}",
            f"flops = {{  # {t('costs.flops')}",
            '    "attention": 8 * n * d * d + 4 * n * n * d,',
            '    "rnn": 4 * n * d * d,',
            '    "cnn": 2 * pairs(k) * d * d,',
            '    "restricted": 8 * n * d * d + 4 * pairs(r) * d,',
            "}",
            f"path = {{  # {t('costs.path')}",
            '    "attention": int(n > 1),',
            '    "rnn": n - 1,',
            '    "cnn": math.ceil((n - 1) / (k // 2)) if k > 1 else None,',
            '    "restricted": math.ceil((n - 1) / (r // 2)) if r > 1 else None,',
            "}",
            "",
            "print(work, flops, path, sep='\\n')",
        ],
    )


def costs_package(n: int, d: int, kernel: int, neighbours: int, t: Words) -> str:
    """Write the same with the package."""
    return program(
        ["from attnviz.comparisons.costs import all_layers", ""],
        [
            f"costs = all_layers({n}, {d}, kernel={kernel}, neighbours={neighbours})",
            f"work = {{name: cost.work for name, cost in costs.items()}}  # {t('costs.work')}",
            f"flops = {{name: cost.flops for name, cost in costs.items()}}  # {t('costs.flops')}",
            f"path = {{name: cost.path for name, cost in costs.items()}}  # {t('costs.path')}",
            "",
            "print(work, flops, path, sep='\\n')",
        ],
    )
