"""Code that runs the package's own model as it was at a moment of its training."""

from attnviz.models.induction.film import name_at
from attnviz.models.induction.replayed import read
from attnviz.text import Words


def film_with_numpy(step: int, text: str, pair: tuple[int, int], t: Words) -> str:
    """Write the model in plain numpy, up to the weights of one head and what it expects."""
    layer, head = pair
    return "\n".join(
        [
            "import numpy as np",
            "from safetensors.numpy import load_file",
            "",
            "from attnviz.models.induction.film import FOLDER, FRAMES",
            "",
            f"step = {step}",
            'numbers = load_file(FOLDER / "model.safetensors") | {',
            '    name.partition("/")[2]: array',
            "    for name, array in load_file(FRAMES).items()",
            '    if name.startswith(f"{step}/")',
            "}",
            "numbers = {name: array.astype(np.float64) for name, array in numbers.items()}",
            f"ids = np.array({read(text).tolist()})  # {text!a}",
            "",
            "def normed(x, scale):",
            "    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-6) * scale",
            "",
            f"def turned(x):  # {t('code.turned')}",
            "    half = x.shape[-1] // 2",
            "    angles = np.arange(len(ids))[:, None] * 10_000 ** (-np.arange(half) / half)",
            "    cos, sin = np.cos(angles), np.sin(angles)",
            "    first, second = x[..., :half], x[..., half:]",
            "    both = first * cos - second * sin, second * cos + first * sin",
            "    return np.concatenate(both, axis=-1)",
            "",
            "def softmax(scores):",
            "    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))",
            "    return shares / shares.sum(axis=-1, keepdims=True)",
            "",
            'x, weights = numbers["model.embed_tokens.weight"][ids], []',
            "later = np.triu(np.ones((len(ids), len(ids)), dtype=bool), 1)",
            "for layer in range(2):",
            '    own = f"model.layers.{layer}."',
            '    y = normed(x, numbers[f"{own}input_layernorm.weight"])',
            "    query, key, value = (",
            '        (y @ numbers[f"{own}self_attn.{name}_proj.weight"].T)',
            "        .reshape(len(ids), 4, 32).swapaxes(0, 1)",
            '        for name in "qkv"',
            "    )",
            "    scores = turned(query) @ turned(key).swapaxes(-1, -2) / np.sqrt(32)",
            "    weights.append(softmax(np.where(later, -np.inf, scores)))",
            "    output = (weights[-1] @ value).swapaxes(0, 1).reshape(x.shape)",
            '    x = x + output @ numbers[f"{own}self_attn.o_proj.weight"].T',
            "",
            'logits = normed(x, numbers["model.norm.weight"]) @ numbers["lm_head.weight"].T',
            f"print(weights[{layer}][{head}])",
            f"print(softmax(logits)[np.arange(len(ids) - 1), ids[1:]])  # {t('code.expected')}",
            "",
        ]
    )


def film_with_package(step: int, text: str, pair: tuple[int, int], t: Words) -> str:
    """Write the same with the package."""
    layer, head = pair
    return "\n".join(
        [
            "import attnviz",
            "from attnviz.models.writing import write",
            "",
            f"model = attnviz.load_model({name_at(step)!r})",
            f"text = {text!r}",
            f"print(model.capture(text).weights({layer}, {head}))",
            f"print(write(model, text).expected)  # {t('code.expected')}",
            "",
        ]
    )
