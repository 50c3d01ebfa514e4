"""Make the curves of `data_size`: `python -m attnviz.models.training.make_data_size`.

A convolution of two layers with kernels of 3 and a layer of attention with two heads learn the
same strings. Networks of the same kind learn together, each from its own strings and numbers.
"""

import argparse
import json
import math
import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from attnviz.models.training.data_size import (
    CURVES,
    LENGTH,
    N_SIGNS,
    NETWORKS,
    POOLS,
    SEEDS,
    SIZES,
    Making,
    Point,
    PointPlan,
    PointSoFar,
    Strings,
    lessons,
    new_strings,
)

WIDTH, HEADS, KERNEL, HIDDEN = 16, 2, 3, 32
Tensors = Mapping[str, torch.Tensor]
_MEASURED = 2_000  # of the strings that a network learned from
_TOLD = 50  # steps between two messages

_BLOCK = {
    "places": (LENGTH, WIDTH),
    "w_qkv": (WIDTH, 3 * WIDTH),
    "w_o": (WIDTH, WIDTH),
    "w_1": (WIDTH, HIDDEN),
    "b_1": (1, HIDDEN),
    "w_2": (HIDDEN, WIDTH),
    "b_2": (1, WIDTH),
}
_KERNELS = {
    "w_1": (KERNEL * WIDTH, WIDTH),
    "b_1": (1, WIDTH),
    "w_2": (KERNEL * WIDTH, WIDTH),
    "b_2": (1, WIDTH),
}
SHAPES = {
    network: {"signs": (N_SIGNS, WIDTH), **own, "w_out": (WIDTH, 2), "b_out": (1, 2)}
    for network, own in zip(NETWORKS, (_KERNELS, _BLOCK), strict=True)
}


def n_weights(network: str) -> int:
    """Count the numbers that a network learns."""
    return sum(math.prod(shape) for shape in SHAPES[network].values())


def initial(network: str, seed: int) -> dict[str, np.ndarray]:
    """Draw the numbers that a network starts from: normal, of variance 1 / inputs; biases 0."""
    rng = np.random.default_rng([seed, 2])
    drawn = {name: rng.standard_normal(shape) for name, shape in SHAPES[network].items()}
    return {name: array * _spread(name, len(array)) for name, array in drawn.items()}


def _spread(name: str, n_inputs: int) -> float:
    if name.startswith("b_"):
        return 0.0
    own = {"signs": 1.0, "places": 0.5}
    return own[name] if name in own else 1 / math.sqrt(n_inputs)


def scores_of(network: str, pool: str, tensors: Tensors, signs: torch.Tensor) -> torch.Tensor:
    """Give both scores of each string; models stand along the first axis of all tensors."""
    models, n, _ = signs.shape
    offset = torch.arange(models).mul(N_SIGNS)[:, None, None]
    x = tensors["signs"].flatten(0, 1)[(signs + offset).flatten()]
    x = x.view(models, n, LENGTH, WIDTH)
    x = _convolved(tensors, x) if network == "convolution" else _attended(tensors, x)
    x = x.mean(dim=2) if pool == "mean" else x.amax(dim=2)
    return torch.baddbmm(tensors["b_out"], x, tensors["w_out"])


def _convolved(tensors: Tensors, x: torch.Tensor) -> torch.Tensor:
    models, n = x.shape[:2]
    for layer in "12":
        padded = functional.pad(x, (0, 0, 1, 1))
        around = torch.cat([padded[:, :, i : i + LENGTH] for i in range(KERNEL)], dim=-1)
        x = torch.baddbmm(tensors[f"b_{layer}"], around.flatten(1, 2), tensors[f"w_{layer}"])
        x = x.relu().view(models, n, LENGTH, WIDTH)
    return x


def _attended(tensors: Tensors, x: torch.Tensor) -> torch.Tensor:
    models, n = x.shape[:2]
    x = (x + tensors["places"][:, None]).flatten(1, 2)
    query, key, value = (x @ tensors["w_qkv"]).view(models * n, LENGTH, 3, HEADS, -1).unbind(2)
    query, key, value = (part.transpose(1, 2) for part in (query, key, value))
    weights = (query @ key.mT / math.sqrt(WIDTH // HEADS)).softmax(dim=-1)
    joined = (weights @ value).transpose(1, 2).reshape(models, n * LENGTH, WIDTH)
    x = x + joined @ tensors["w_o"]
    hidden = torch.baddbmm(tensors["b_1"], x, tensors["w_1"]).relu()
    return (x + torch.baddbmm(tensors["b_2"], hidden, tensors["w_2"])).view(
        models, n, LENGTH, WIDTH
    )


class Pupils:
    """Networks of one kind that learn together, each from its own (n, seed)."""

    def __init__(
        self, network: str, pool: str, wanted: Sequence[tuple[int, int]], making: Making
    ) -> None:
        self._network, self._pool, self._wanted, self._making = network, pool, wanted, making
        self._sets = [lessons(seed, n) for n, seed in wanted]
        self._draws = [np.random.default_rng([seed, n, 3]) for n, seed in wanted]
        drawn = [initial(network, seed) for _, seed in wanted]
        self._tensors = {
            name: torch.tensor(
                np.stack([each[name] for each in drawn]), dtype=torch.float32
            ).requires_grad_()
            for name in SHAPES[network]
        }
        self._adam = torch.optim.Adam(self._tensors.values(), lr=making.rate)

    def learn(self, step: int) -> None:
        """Take one step; in the second half they grow smaller."""
        making = self._making
        signs, labels = _batches(self._sets, self._draws, making.batch)
        self._adam.param_groups[0]["lr"] = making.rate * min(1.0, 2 * (1 - step / making.steps))
        scores = scores_of(self._network, self._pool, self._tensors, signs)
        each = functional.cross_entropy(scores.flatten(0, 1), labels.flatten(), reduction="sum")
        self._adam.zero_grad()
        (each / making.batch).backward()
        self._adam.step()

    def points(self) -> list[Point]:
        """Measure every network."""
        return [
            _measured(
                self._network,
                self._pool,
                {name: each[i : i + 1] for name, each in self._tensors.items()},
                n,
                seed,
            )
            for i, (n, seed) in enumerate(self._wanted)
        ]


def learned(
    network: str, pool: str, wanted: Sequence[tuple[int, int]], making: Making
) -> list[Point]:
    """Let networks learn together, each from (n, seed), and measure them."""
    pupils = Pupils(network, pool, wanted, making)
    for step in range(making.steps):
        pupils.learn(step)
    return pupils.points()


def made(plan: PointPlan, before_step: Callable[[], None] = lambda: None) -> Iterator[PointSoFar]:
    """Make a point for both networks; say every few steps how far it is.

    `before_step` may wait, or raise to end it.

    Raises:
        InputError: if the plan cannot be.
    """
    plan, points, done = plan.checked(), [], 0
    for network in NETWORKS:
        pupils = Pupils(network, plan.pool, [(plan.n, plan.seed)], plan.making)
        for step in range(plan.making.steps):
            before_step()
            pupils.learn(step)
            done += 1
            if done % _TOLD == 0 and done < plan.steps:
                yield PointSoFar(step=done, points=tuple(points))
        points += pupils.points()
    yield PointSoFar(step=plan.steps, points=tuple(points))


def _batches(
    sets: Sequence[Strings], draws: Sequence[np.random.Generator], batch: int
) -> tuple[torch.Tensor, torch.Tensor]:
    chosen = [
        rng.integers(0, len(each.labels), batch) for each, rng in zip(sets, draws, strict=True)
    ]
    signs = np.stack([each.signs[rows] for each, rows in zip(sets, chosen, strict=True)])
    labels = np.stack([each.labels[rows] for each, rows in zip(sets, chosen, strict=True)])
    return torch.from_numpy(signs), torch.from_numpy(labels)


def _measured(network: str, pool: str, tensors: Tensors, n: int, seed: int) -> Point:
    new, known = new_strings(), lessons(seed, min(n, _MEASURED))
    right = _right(network, pool, tensors, new)
    return Point(
        network=network,
        pool=pool,
        n=n,
        seed=seed,
        learned=round(float(_right(network, pool, tensors, known).mean()), 4),
        both=round(float(right.mean()), 4),
        local=round(float(right[~new.far].mean()), 4),
        far=round(float(right[new.far].mean()), 4),
    )


@torch.inference_mode()
def _right(network: str, pool: str, tensors: Tensors, asked: Strings) -> np.ndarray:
    scores = scores_of(network, pool, tensors, torch.from_numpy(asked.signs)[None])[0]
    return scores.argmax(dim=-1).numpy() == asked.labels


def make_all(
    making: Making, sizes: Sequence[int], seeds: int, tell: Callable[[str], None]
) -> Iterator[Point]:
    """Make every point, one kind of network after the other."""
    wanted = [(n, seed) for n in sizes for seed in range(seeds)]
    for pool in POOLS:
        for network in NETWORKS:
            begun = time.process_time()
            points = learned(network, pool, wanted, making)
            tell(f"{network} {pool}: {time.process_time() - begun:.0f} s")
            for n in sizes:
                shares = [
                    (point.learned, point.both, point.local, point.far)
                    for point in points
                    if point.n == n
                ]
                tell(f"  {n:6d} " + " ".join(f"{share:.3f}" for share in np.mean(shares, axis=0)))
            yield from points


def save(points: Sequence[Point], making: Making, seconds: float, file: Path = CURVES) -> None:
    """Write the points and how they were made."""
    head = {
        "making": asdict(making),
        "weights": {network: n_weights(network) for network in NETWORKS},
        "versions": {
            "python": platform.python_version(),
            "torch": torch.__version__.partition("+")[0],
            "numpy": np.__version__,
        },
        "seconds": round(seconds),
    }
    said = ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in head.items())
    listed = ",\n".join(json.dumps(asdict(point)) for point in points)
    file.write_text(f'{{{said},\n"points": [\n{listed}\n]}}\n', "utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the curves, and say how it goes. It takes about three minutes of one core."""
    plain = Making()
    parser = argparse.ArgumentParser(prog="python -m attnviz.models.training.make_data_size")
    parser.add_argument("--steps", type=int, default=plain.steps)
    parser.add_argument("--rate", type=float, default=plain.rate)
    parser.add_argument("--batch", type=int, default=plain.batch)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--file", type=Path, default=CURVES)
    given = parser.parse_args(arguments)
    torch.set_num_threads(1)
    making = Making(steps=given.steps, batch=given.batch, rate=given.rate)
    begun = time.process_time()
    points = list(make_all(making, given.sizes, given.seeds, _say))
    save(points, making, time.process_time() - begun, given.file)
    return 0


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
