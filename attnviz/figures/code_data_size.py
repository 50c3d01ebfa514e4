"""Code that makes one point of the curves of data size: in plain torch, and with the package."""

from attnviz.figures.code_literals import constant
from attnviz.models.training.data_size import Making, PointPlan
from attnviz.text import Words

_ATTENTION = [
    "def attention(signs):",
    "    x = numbers['signs'][signs] + numbers['places']",
    "    q, k, v = (x @ numbers['w_qkv']).unflatten(-1, (3, 2, 8)).movedim(-3, 0)",
    "    q, k, v = (each.transpose(1, 2) for each in (q, k, v))",
    "    weights = (q @ k.mT / 8**0.5).softmax(-1)",
    "    x = x + (weights @ v).transpose(1, 2).flatten(2) @ numbers['w_o']",
    "    hidden = (x @ numbers['w_1'] + numbers['b_1']).relu()",
    "    return x + hidden @ numbers['w_2'] + numbers['b_2']",
]
_CONVOLUTION = [
    "def convolution(signs):",
    "    x = numbers['signs'][signs]",
    "    for layer in '12':",
    "        padded = torch.nn.functional.pad(x, (0, 0, 1, 1))",
    "        around = torch.cat([padded[:, i : i + 16] for i in range(3)], dim=-1)",
    "        x = (around @ numbers[f'w_{layer}'] + numbers[f'b_{layer}']).relu()",
    "    return x",
]


def point_with_torch(plan: PointPlan, t: Words) -> str:
    """Write both networks in plain torch; the strings and first numbers are the package's."""
    making = plan.making
    pooled = "x.mean(dim=1)" if plan.pool == "mean" else "x.amax(dim=1)"
    return "\n".join(
        [
            "import numpy as np",
            "import torch",
            "",
            "from attnviz.models.training.data_size import lessons, new_strings",
            "from attnviz.models.training.make_data_size import initial",
            "",
            f"n, seed, steps = {plan.n}, {plan.seed}, {making.steps}",
            f"known, new = lessons(seed, n), new_strings()  # {t('code.strings')}",
            "",
            *_ATTENTION,
            "",
            *_CONVOLUTION,
            "",
            "def scores(signs):",
            "    x = network(torch.from_numpy(signs))",
            f"    return {pooled} @ numbers['w_out'] + numbers['b_out']",
            "",
            "for network in (convolution, attention):",
            "    rng = np.random.default_rng([seed, n, 3])",
            "    numbers = {",
            "        name: torch.tensor(array, dtype=torch.float32).requires_grad_()",
            "        for name, array in initial(network.__name__, seed).items()",
            "    }",
            "    adam = torch.optim.Adam(numbers.values())",
            "    for step in range(steps):",
            "        adam.param_groups[0]['lr'] = "
            f"{constant(making.rate)} * min(1, 2 * (1 - step / steps))",
            f"        rows = rng.integers(0, n, {making.batch})",
            "        right = torch.from_numpy(known.labels[rows])",
            "        loss = torch.nn.functional.cross_entropy(scores(known.signs[rows]), right)",
            "        adam.zero_grad()",
            "        loss.backward()",
            "        adam.step()",
            "    right = scores(new.signs).argmax(dim=-1).numpy() == new.labels",
            "    print(network.__name__, right.mean(), right[~new.far].mean(), "
            "right[new.far].mean())",
            "",
        ]
    )


def point_with_package(plan: PointPlan, t: Words) -> str:
    """Write the same with the package, and the mean of what it ships."""
    making = "" if plan.making == Making() else f", making=Making(steps={plan.making.steps})"
    return "\n".join(
        [
            "from attnviz.models.training.data_size import Making, PointPlan, curves"
            if making
            else "from attnviz.models.training.data_size import PointPlan, curves",
            "from attnviz.models.training.make_data_size import made",
            "",
            f"plan = PointPlan(n={plan.n}, seed={plan.seed}, pool={plan.pool!r}{making})",
            "*_, last = made(plan)",
            "for point in last.points:",
            "    print(point.network, point.both, point.local, point.far)",
            "",
            f"print(curves().sizes)  # {t('code.shipped')}",
            f'print(curves().shares("attention", {plan.pool!r}, "both").mean(axis=1))',
            "",
        ]
    )
