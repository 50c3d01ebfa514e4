"""Small models of every family, written to a folder and loaded once for all tests."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import torch

from attnviz.models.load import load_model
from attnviz.models.model import Model
from attnviz.models.tiny import save_tiny

torch.set_num_threads(1)  # two wait for each other where other programs run too


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Give the folder of a small model of a family."""

    @cache
    def saved(family: str) -> Path:
        place = tmp_path_factory.mktemp("tiny") / family
        save_tiny(family, place)
        return place

    return saved


@pytest.fixture(scope="session")
def tiny(folder: Callable[[str], Path]) -> Callable[[str], Model]:
    """Give a small model of a family, loaded as any folder is."""
    return cache(lambda family: load_model(str(folder(family))))
