"""Code that trains the same model: in plain torch, and with the package."""

import numpy as np

from attnviz.figures.code_literals import constant, literal
from attnviz.models.training.learning import BATCH, MATRICES, Learner, Plan
from attnviz.models.training.tasks import DETERMINERS, OWN, PRONOUNS
from attnviz.text import Words


def torch_code(learner: Learner, step: int, words: np.ndarray, t: Words) -> str:
    """Write the training to one step in plain torch, and the weights of a sentence after it."""
    learned = [name for name in _names(learner) if name not in learner.frozen]
    return "\n".join(
        [
            "import numpy as np",
            "import torch",
            "",
            f"rng = np.random.default_rng({learner.plan.seed})",
            f"d, n_heads, n_words, n_tags = {learner.width}, {learner.heads}, "
            f"{learner.task.n_words}, {len(learner.task.tags)}",
            "",
            *_drawing(learner, t),
            "",
            "def normal(*shape):",
            "    numbers = rng.standard_normal(shape) / np.sqrt(d)",
            "    return torch.tensor(numbers, requires_grad=True)",
            "",
            *_numbers(learner, t),
            "",
            *_model(learner),
            "",
            f"adam = torch.optim.Adam([{', '.join(learned)}], lr={constant(learner.rate)})",
            f"for step in range({step}):",
            f"    sentences, right = map(torch.from_numpy, draw({BATCH}))",
            "    scores, _ = model(sentences)",
            "    loss = torch.nn.functional.cross_entropy(",
            "        scores.flatten(0, 1), right.flatten(), ignore_index=-1",
            "    )",
            "    adam.zero_grad()",
            "    loss.backward()",
            "    adam.step()",
            "",
            f"_, weights = model(torch.tensor([{words.tolist()}]))  # {_spelled(learner, words)}",
            "print(weights[0].detach().numpy())",
            "",
        ]
    )


def package_code(learner: Learner, step: int, words: np.ndarray, t: Words) -> str:
    """Write the same with the package."""
    plain, plan = Plan(), learner.plan
    chosen = ", ".join(
        f"{name}={getattr(plan, name)!r}"
        for name in Plan.__dataclass_fields__
        if getattr(plan, name) != getattr(plain, name)
    )
    return "\n".join(
        [
            "import numpy as np",
            "",
            "from attnviz.models.training.learning import Plan, attention",
            "from attnviz.models.training.train import train",
            "",
            f"plan = Plan({chosen})",
            f"found = next(found for found in train(plan) if found.step == {step})",
            f"sentence = np.array([{words.tolist()}])  # {_spelled(learner, words)}",
            f"weights, _ = attention(found.parameters, sentence, n_heads={learner.heads})",
            "print(weights[0])",
            "",
        ]
    )


def _names(learner: Learner) -> list[str]:
    more = ["before"] if learner.task.before else []
    more += ["places"] if learner.plan.placed else []
    return ["words", *MATRICES, "tags", *more, "bias"]


def _numbers(learner: Learner, t: Words) -> list[str]:
    """Write the numbers that are learned, in the order in which they are drawn."""
    lines = [
        f"words = normal(n_words, d)  # {t('code.embedding')}",
        *(f"{name} = normal(d, d)" for name in MATRICES),
        "tags = normal(d, n_tags)",
    ]
    if learner.task.before:
        lines.append(f"before = normal(n_words, d)  # {t('code.before')}")
    if learner.plan.placed:
        lines.append(f"places = normal({learner.task.longest}, d)  # {t('code.places')}")
    return [*lines, "bias = torch.zeros(n_tags, dtype=torch.float64, requires_grad=True)"]


def _model(learner: Learner) -> list[str]:
    padded = learner.task.key == OWN
    lines = [
        "def split(x):",
        "    return x.unflatten(-1, (n_heads, -1)).transpose(1, 2)",
        "",
        "def model(sentences):",
        f"    x = words[sentences{'.clamp(min=0)' if padded else ''}]",
    ]
    if learner.task.before:
        lines.append("    x = torch.cat([x[:, :1], x[:, 1:] + before[sentences[:, :-1]]], dim=1)")
    if learner.plan.placed:
        lines.append("    x = x + places[: sentences.shape[1]]")
    lines += [
        "    query, key, value = split(x @ w_q), split(x @ w_k), split(x @ w_v)",
        "    scores = query @ key.transpose(-1, -2)",
    ]
    if padded:
        lines.append(
            "    scores = scores.masked_fill((sentences < 0)[:, None, None, :], -torch.inf)"
        )
    return [
        *lines,
        "    weights = scores.softmax(-1)",
        "    output = (weights @ value).transpose(1, 2).flatten(2) @ w_o",
        "    return (x + output) @ tags + bias, weights",
    ]


def _drawing(learner: Learner, t: Words) -> list[str]:
    """Write how sentences and their tags are drawn."""
    if learner.task.key == OWN:
        tests = learner.task.tests
        return [
            *literal("known = np.array(", tests.words, ")"),
            *literal("known_tags = np.array(", tests.tags, ")"),
            "",
            "def draw(n):",
            "    chosen = rng.integers(0, len(known), n)",
            "    return known[chosen], known_tags[chosen]",
        ]
    return ["def draw(n):", *(f"    {line}" for line in _DRAWINGS[learner.task.key](learner))]


def _two_saws(learner: Learner) -> list[str]:
    first = learner.task.n_words - DETERMINERS
    return [
        f"pronouns = rng.integers(0, {PRONOUNS}, n)",
        f"verbs, nouns = rng.integers({PRONOUNS}, {first}, (2, n))",
        f"determiners = rng.integers({first}, n_words, n)",
        "sentences = np.stack([pronouns, verbs, determiners, nouns], axis=1)",
        "return sentences, np.tile(np.arange(4), (n, 1))",
    ]


def _reversal(learner: Learner) -> list[str]:
    return [
        f"sentences = rng.integers(0, n_words, (n, {learner.task.longest}))",
        "return sentences, sentences[:, ::-1].copy()",
    ]


def _induction(learner: Learner) -> list[str]:
    length = learner.task.longest
    return [
        "order = rng.permuted(np.tile(np.arange(n_words), (n, 1)), axis=1)",
        f"order = order[:, :{length - 1}]",
        f"copied = rng.integers(0, {length - 2}, n)",
        "sentences = np.column_stack([order, order[np.arange(n), copied]])",
        f"right = np.full((n, {length}), -1)",
        "right[:, -1] = order[np.arange(n), copied + 1]",
        "return sentences, right",
    ]


def _majority(learner: Learner) -> list[str]:
    length = learner.task.longest
    return [
        f"sentences = rng.integers(0, n_words, (n, {length}))",
        "counts = (sentences[:, :, None] == np.arange(n_words)).sum(axis=1)",
        f"return sentences, np.repeat(counts.argmax(axis=1)[:, None], {length}, axis=1)",
    ]


_DRAWINGS = {
    "two_saws": _two_saws,
    "reversal": _reversal,
    "induction": _induction,
    "majority": _majority,
}


def _spelled(learner: Learner, words: np.ndarray) -> str:
    """Write a sentence in a comment: nothing in it can end its line."""
    names = (learner.task.names["en"][word] for word in words.tolist())
    return ascii(" ".join(names))[1:-1]
