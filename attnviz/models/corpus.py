"""Every head over several texts: the mean of each number, over how many, and their spread."""

import functools
import math
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from attnviz.attention.readings import HeadReading
from attnviz.models.catalogue import catalogue
from attnviz.models.listed import listed
from attnviz.models.results import Capture

Progress = Callable[[int, int], object]

AVERAGED = (
    "entropy",
    "normalized_entropy",
    "effective_tokens",
    "mean_distance",
    "previous_share",
    "next_share",
    "self_share",
    "induction_score",
    "duplicate_score",
    "special_share",
    "sink_share",
    "later_sink_share",
)
"""The numbers of a head of which there is a mean."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Averaged:
    """One head over several texts, each counting the same.

    `mean` has the mean of each number over the texts in which there is one, and None where there is
    in none; its tokens are those of all texts. `counts` says over how many texts, and `spreads`
    gives the standard deviation between them, None below two. `mean.types` holds for the means.
    """

    mean: HeadReading
    n_texts: int
    counts: Mapping[str, int]
    spreads: Mapping[str, float | None]

    def count(self, measure: str) -> int:
        """Give over how many texts a number is a mean."""
        return self.counts[self._plain(measure)]

    def spread(self, measure: str) -> float | None:
        """Give how far a number lies apart from text to text."""
        return self.spreads[self._plain(measure)]

    def _plain(self, measure: str) -> str:
        first = "later_sink_share" if self.mean.causal else "sink_share"
        return first if measure == "first_share" else measure


def sentences_for(model: str) -> tuple[str, ...]:
    """Give the built-in sentences in the first language that the model reads; English else."""
    entry, known = catalogue().get(model), _sentences()
    reads = [*(entry.reads if entry else ()), "en"]
    return next(known[language] for language in reads if language in known)


def over(
    captures: Iterable[Capture], n_texts: int, progress: Progress | None = None
) -> tuple[Averaged, ...]:
    """Read every head of every capture as it comes, and average them; no capture is kept.

    Raises:
        InputError: if a text is too long to be read.
        ValueError: if the captures have different heads.
    """
    tables = []
    for capture in captures:
        tables.append(listed(capture))
        if progress:
            progress(len(tables), n_texts)
    return averaged(tables)


def averaged(tables: Sequence[Sequence[HeadReading]]) -> tuple[Averaged, ...]:
    """Average tables of the same heads, a text each.

    Raises:
        ValueError: if there is no table, or their heads are not the same.
    """
    names = {tuple((each.layer, each.head) for each in table) for table in tables}
    if len(names) != 1:
        raise ValueError(
            f"tables must list the same heads, got {len(names)} different lists; "
            "average texts of one model"
        )
    return tuple(_mean(readings) for readings in zip(*tables, strict=True))


def _mean(readings: Sequence[HeadReading]) -> Averaged:
    numbers = {
        name: [number for each in readings if (number := getattr(each, name)) is not None]
        for name in AVERAGED
    }
    means = {
        name: math.fsum(found) / len(found) if found else None for name, found in numbers.items()
    }
    return Averaged(
        mean=HeadReading(
            layer=readings[0].layer,
            head=readings[0].head,
            n_query=sum(each.n_query for each in readings),
            n_key=sum(each.n_key for each in readings),
            n_empty_rows=sum(each.n_empty_rows for each in readings),
            distribution=all(each.distribution for each in readings),
            causal=all(each.causal for each in readings),
            **means,
        ),
        n_texts=len(readings),
        counts={name: len(found) for name, found in numbers.items()},
        spreads={name: _spread(found) for name, found in numbers.items()},
    )


def _spread(numbers: Sequence[float]) -> float | None:
    if len(numbers) < 2:
        return None
    mean = math.fsum(numbers) / len(numbers)
    return math.sqrt(math.fsum((each - mean) ** 2 for each in numbers) / (len(numbers) - 1))


@functools.cache
def _sentences() -> dict[str, tuple[str, ...]]:
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return {language: tuple(found["sentences"]) for language, found in table.items()}
