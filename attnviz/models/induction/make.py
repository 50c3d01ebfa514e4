"""Train the small model that the package carries: `python -m attnviz.models.induction.make`.

Two layers of attention and nothing else read random signs in which one piece comes twice. To know
how the piece goes on, the first layer must learn to look at the sign before, and the second at
what followed an earlier copy: an induction head. The weights are kept only where both were
learned. What the model was on the way is kept as the frames of a film.

Source: Olsson et al. 2022, In-context Learning and Induction Heads.
"""

import argparse
import copy
import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers as hf
from jaxtyping import Bool, Float, Int
from safetensors.torch import save_file

from attnviz.attention.patterns import induction_score, previous_share
from attnviz.attention.shares import PerHead
from attnviz.models.induction.film import FOLDER, FRAMES, SCORES, Moment
from attnviz.models.induction.signs import SIGNS, sign_tokenizer

LAYERS, HEADS = 2, 4
LENGTH, BATCH = 64, 64
PIECE = (5, 16)
"""The shortest and the longest piece that comes twice."""
ELSEWHERE = 0.1
"""Weight of a sign that nothing foretells, against 1 in the repeated piece."""
LONGEST = 96
"""Signs that it may read; beyond the length of its training its heads soon lose their way."""
LEAST_PREVIOUS, LEAST_INDUCTION = 0.9, 0.85
N_MOMENTS = 10


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How long to train, from which seed, and after how many steps to look."""

    seed: int = 0
    steps: int = 1200
    every: int = 10
    rate: float = 3e-3
    warm_up: int = 50


Past = list[tuple[Moment, Any]]
"""What was measured on the way, each with the network as it was."""


def new_network(seed: int) -> Any:
    """Make the model before training: the layers between the attentions are zero for good."""
    config = hf.LlamaConfig(
        vocab_size=len(SIGNS),
        hidden_size=128,
        intermediate_size=4,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=HEADS,
        max_position_embeddings=LONGEST,
        tie_word_embeddings=False,
        bos_token_id=None,
        eos_token_id=None,
        pad_token_id=None,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = hf.LlamaForCausalLM(config)
    for name, parameter in network.named_parameters():
        if ".mlp." in name:
            parameter.requires_grad_(False).zero_()
    return network


def strings(
    rng: np.random.Generator, count: int = BATCH
) -> tuple[Int[np.ndarray, "string sign"], Bool[np.ndarray, "string sign"]]:
    """Draw random signs in which one piece comes twice; tell which signs can be foretold."""
    signs = rng.integers(0, len(SIGNS), (count, LENGTH))
    foretold = np.zeros((count, LENGTH), dtype=bool)
    for row, told in zip(signs, foretold, strict=True):
        size = int(rng.integers(PIECE[0], PIECE[1] + 1))
        first = int(rng.integers(0, LENGTH - 2 * size + 1))
        again = int(rng.integers(first + size, LENGTH - size + 1))
        row[again : again + size] = row[first : first + size]
        told[again + 1 : again + size] = True
    return signs, foretold


def written_twice(
    rng: np.random.Generator, count: int = 16, size: int = LENGTH // 2
) -> Int[np.ndarray, "string sign"]:
    """Draw random strings and write each twice in a row."""
    return np.tile(rng.integers(0, len(SIGNS), (count, size)), 2)


def train(plan: Plan, tell: Callable[[Moment], None] = lambda moment: None) -> Past:
    """Train from a seed; give what the network was after every few steps, at the end the last."""
    rng = np.random.default_rng(plan.seed)
    network = new_network(plan.seed)
    learned = [each for each in network.parameters() if each.requires_grad]
    optimizer = torch.optim.AdamW(learned, lr=plan.rate, betas=(0.9, 0.98), weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _pace(plan, step))
    past: Past = []
    for step in range(plan.steps + 1):
        loss, of_the_piece = _losses(network, *strings(rng))
        if step % plan.every == 0 or step == plan.steps:
            kept = rounded(network)
            past.append((measure(kept, step, of_the_piece), kept))
            tell(past[-1][0])
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learned, 1.0)
        optimizer.step()
        schedule.step()
    return past


def measure(network: Any, step: int, loss: float) -> Moment:
    """Score every head on random strings that are written twice, the same ones each time."""
    signs = written_twice(np.random.default_rng(1))
    maps = weights_of(network, signs)
    previous = [previous_share(each) for each in maps]
    induction = [induction_score(each, text) for each, text in zip(maps, signs, strict=True)]
    return Moment(
        step=step, loss=round(loss, 4), previous=_mean(previous), induction=_mean(induction)
    )


def weights_of(
    network: Any, signs: Int[np.ndarray, "string sign"]
) -> Float[np.ndarray, "string layer head query key"]:
    """Give the weights of every head on each string, by the model's own eager attention."""
    implementation = network.config._attn_implementation
    network.set_attn_implementation("eager")
    with torch.inference_mode():
        found = network(torch.from_numpy(signs), output_attentions=True, use_cache=False)
    network.set_attn_implementation(implementation)
    return np.stack([each.numpy() for each in found.attentions], axis=1)


def rounded(network: Any) -> Any:
    """Copy a network with its weights as they are saved, in float16."""
    return copy.deepcopy(network).half().float().eval()


def accepted(moment: Moment) -> bool:
    """Tell whether both heads are clear enough to be shown."""
    return moment.best_previous >= LEAST_PREVIOUS and moment.best_induction >= LEAST_INDUCTION


def told(past: Sequence[Moment], count: int = N_MOMENTS) -> list[int]:
    """Choose the moments of a film: the first, the last, and those between where most was learned.

    Learned is what multiplies the best score so far: from 0.1 to 0.2 is as far as to 0.4.
    """
    scores = np.array([[each.best_previous, each.best_induction] for each in past])
    reached = np.log(np.maximum.accumulate(np.maximum(scores, 0.01)))
    way = (reached - reached[0]).sum(axis=1)
    way += np.linspace(0, way[-1] / 4, len(way))  # where nothing is learned, time passes
    chosen = {0, len(past) - 1}
    while len(chosen) < min(count, len(past)):
        apart = np.abs(way[:, None] - way[sorted(chosen)]).min(axis=1)
        chosen.add(int(apart.argmax()))
    return sorted(chosen)


def save(past: Past, plan: Plan, folder: Path = FOLDER) -> None:
    """Write the model, its tokenizer and its film."""
    folder.mkdir(parents=True, exist_ok=True)
    copy.deepcopy(past[-1][1]).half().save_pretrained(folder)
    sign_tokenizer(LONGEST).save_pretrained(folder)
    chosen = [past[place] for place in told([moment for moment, _ in past])]
    frames = {
        f"{moment.step}/{name}": parameter.detach().half()
        for moment, network in chosen[:-1]
        for name, parameter in network.named_parameters()
        if ".mlp." not in name
    }
    save_file(frames, folder / FRAMES.name)
    listed = ",\n".join(json.dumps(asdict(moment)) for moment, _ in chosen)
    record = f'{{"plan": {json.dumps(asdict(plan))},\n"moments": [\n{listed}\n]}}\n'
    (folder / SCORES.name).write_text(record, "utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, say how it goes, and save what is accepted; 1 where nothing was."""
    parser = argparse.ArgumentParser(prog="python -m attnviz.models.induction.make")
    parser.add_argument("--seed", type=int, default=Plan.seed)
    parser.add_argument("--steps", type=int, default=Plan.steps)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    given = parser.parse_args(arguments)
    torch.set_num_threads(given.threads)
    plan = Plan(seed=given.seed, steps=given.steps)
    past = train(plan, lambda moment: _say(_line(moment)))
    if not accepted(past[-1][0]):
        _say(f"not saved: needs {LEAST_PREVIOUS} and {LEAST_INDUCTION}; try another seed")
        return 1
    save(past, plan, given.folder)
    weights = (given.folder / "model.safetensors").read_bytes()
    _say(f"saved in {given.folder}, sha256 {hashlib.sha256(weights).hexdigest()}")
    return 0


def _losses(
    network: Any, signs: Int[np.ndarray, "string sign"], foretold: Bool[np.ndarray, "string sign"]
) -> tuple[torch.Tensor, float]:
    ids, known = torch.from_numpy(signs), torch.from_numpy(foretold)[:, 1:]
    logits = network(ids, use_cache=False).logits[:, :-1]
    each = torch.nn.functional.cross_entropy(logits.mT, ids[:, 1:], reduction="none")
    weight = torch.where(known, 1.0, ELSEWHERE)
    return (each * weight).sum() / weight.sum(), float(each.detach()[known].mean())


def _pace(plan: Plan, step: int) -> float:
    """Warm up, stay, and slow down over the last tenth."""
    return min(1.0, (step + 1) / plan.warm_up, 10 * (1 - step / plan.steps) + 0.05)


def _mean(scores: Sequence[PerHead]) -> tuple[tuple[float, ...], ...]:
    """Average over the strings; rows are layers, columns heads."""
    table = np.mean(np.asarray(scores, dtype=float), axis=0)
    return tuple(tuple(round(score, 4) for score in row) for row in table.tolist())


def _line(moment: Moment) -> str:
    return (
        f"step {moment.step:5}  loss {moment.loss:.3f}  "
        f"previous {moment.best_previous:.3f}  induction {moment.best_induction:.3f}"
    )


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
