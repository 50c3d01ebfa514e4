"""Code that trains the same model from several seeds: in plain torch, and with the package."""

import numpy as np

from attnviz.figures.code_train import package_code, torch_code
from attnviz.models.training.learning import Learner
from attnviz.text import Words


def seeds_with_torch(learner: Learner, n: int, words: np.ndarray, t: Words) -> str:
    """Write the training in plain torch, once for each seed."""
    imports, body = torch_code(learner, learner.steps, words, t).split("\n\n", 1)
    drawn = f"default_rng({learner.plan.seed})"
    lines = body.replace(drawn, "default_rng(seed)").splitlines()
    first = learner.plan.seed
    return "\n".join(
        [
            imports,
            "",
            f"for seed in range({first}, {first + n}):",
            "    print(seed)",
            *(f"    {line}" if line else "" for line in lines),
            "",
        ]
    )


def seeds_with_package(learner: Learner, n: int, words: np.ndarray, t: Words) -> str:
    """Write the same with the package."""
    lines = package_code(learner, learner.steps, words, t).splitlines()
    plan = next(line for line in lines if line.startswith("plan = "))
    sentence = next(line for line in lines if line.startswith("sentence = "))
    return "\n".join(
        [
            "import numpy as np",
            "",
            "from attnviz.models.training.learning import Plan, attention",
            "from attnviz.models.training.train import seeds",
            "",
            plan,
            sentence,
            f"for seed, found in seeds(plan, {n}):",
            f"    weights, _ = attention(found.parameters, sentence, n_heads={learner.heads})",
            "    print(seed, found.accuracy)",
            "    print(weights[0])",
            "",
        ]
    )
