"""The floors: who may import whom, read from the import statements of each file."""

import ast
import re
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FILES = sorted([*ROOT.glob("attnviz/**/*.py"), *ROOT.glob("pages/*.py"), ROOT / "app.py"])

# Each room with the rooms of ours that it may import, and the outside packages.
ENGINE = {"attnviz.attention", "attnviz.errors"}
MODELS = ENGINE | {"attnviz.models"}
SETTINGS = ENGINE | {"attnviz.settings"}
SCENE = SETTINGS | {"attnviz.lessons", "attnviz.scene"}
EXPERIMENTS = SCENE | {"attnviz.experiments"}
FIGURES = EXPERIMENTS | {"attnviz.text", "attnviz.figures", "attnviz.models"}
FIGURES |= {"attnviz.comparisons"}
EXPORTS = FIGURES | {"attnviz.exports"}
EVERYTHING = EXPORTS | {"attnviz.components", "attnviz.ui"}
FLOORS = {
    "attnviz.text": ({"attnviz.text"}, set()),
    "attnviz.errors": ({"attnviz.text"}, set()),
    "attnviz.attention": (ENGINE, {"numpy", "scipy", "jaxtyping"}),
    "attnviz.lessons": (
        ENGINE | {"attnviz.lessons"},
        {"numpy", "jaxtyping", "openpyxl", "regex", "rjieba"},
    ),
    "attnviz.comparisons": (ENGINE | {"attnviz.comparisons"}, {"numpy", "jaxtyping"}),
    "attnviz.models": (
        MODELS,
        {"numpy", "jaxtyping", "PIL", "regex", "rjieba", "torch", "transformers", "tokenizers"}
        | {"gguf", "accelerate", "safetensors", "huggingface_hub"},
    ),
    "attnviz.settings": (SETTINGS, set()),
    "attnviz.scene": (SCENE, {"numpy", "jaxtyping"}),
    "attnviz.experiments": (EXPERIMENTS, {"numpy", "jaxtyping"}),
    "attnviz.figures": (FIGURES, {"numpy", "plotly", "jaxtyping"}),
    "attnviz.exports": (EXPORTS, {"numpy", "plotly", "jaxtyping", "kaleido", "pyarrow"}),
    "attnviz.show": (EXPORTS, set()),
    "attnviz.cli": (EXPORTS | {"attnviz.cli"}, {"numpy"}),
    "attnviz.__main__": ({"attnviz.cli"}, set()),
    "attnviz.components": ({"attnviz.components"}, {"streamlit"}),
    "attnviz.ui": (EVERYTHING, {"streamlit", "numpy", "plotly", "segno", "starlette", "uvicorn"}),
    "attnviz": (MODELS | {"attnviz.show"}, set()),
    "pages": (EVERYTHING, {"streamlit"}),
    "app": ({"attnviz.ui"}, {"streamlit"}),
}

# Files that need a light part of a heavy package: safetensors.numpy brings no torch.
LIGHT = {
    f"attnviz.models.{name}": {"safetensors"} for name in ("training.saved", "induction.replayed")
}

# The files of models that run them; the others know torch as little as the web pages do.
HEAVY = {"torch", "transformers", "tokenizers", "gguf", "accelerate", "safetensors"}
RUNNING = {
    f"attnviz.models.{name}"
    for name in (
        "capture",
        "conversion.bergamot",
        "conversion.convert",
        "eager",
        "editing.ablating",
        "editing.edited_calls",
        "editing.sloping",
        "hooked",
        "induction.frames",
        "induction.make",
        "induction.moved",
        "induction.signs",
        "load",
        "model",
        "pictures",
        "projecting",
        "rebuilt",
        "recorder",
        "serve",
        "tiny",
        "tiny_tokenizers",
        "training.make_data_size",
        "training.serve",
        "training.train",
        "writing",
    )
}


# Packages that are named otherwise where they are installed, or that another one brings along.
DISTRIBUTIONS = {"PIL": "pillow"}
BROUGHT = {
    "starlette": "streamlit",
    "uvicorn": "streamlit",
    "tokenizers": "transformers",
    "huggingface_hub": "transformers",
}


def module_of(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def room_of(module: str) -> str:
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] == "attnviz" else parts[0]


def imports_of(file: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= names if node.module == "attnviz" else {node.module or ""}
    return found


@pytest.mark.parametrize("file", FILES, ids=module_of)
def test_imports_go_up_only(file):
    ours, outside = FLOORS[room_of(module_of(file))]
    for imported in imports_of(file):
        package = imported.split(".")[0]
        if package in ("attnviz", "pages"):
            assert room_of(imported) in ours, f"{module_of(file)} may not import {imported}"
        elif package not in sys.stdlib_module_names:
            assert package in outside, f"{module_of(file)} may not import {package}"


@pytest.mark.parametrize(
    "package", sorted(set().union(*(outside for _, outside in FLOORS.values())))
)
def test_what_the_rooms_may_import_is_required_and_pinned(package):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    required = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    pinned = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    name = DISTRIBUTIONS.get(package, BROUGHT.get(package, package))
    assert any(re.match(rf"{name}\b", line) for line in required)
    assert any(re.match(rf"{name}==", line) for line in pinned)


@pytest.mark.parametrize("file", FILES, ids=module_of)
def test_torch_stays_in_the_files_that_run_models(file):
    if module_of(file) in RUNNING | {"attnviz"}:
        return
    for imported in imports_of(file):
        assert imported.split(".")[0] not in HEAVY - LIGHT.get(module_of(file), set())
        assert imported not in RUNNING, f"{module_of(file)} would bring torch by {imported}"


@pytest.mark.parametrize(
    "module", ["attnviz", "attnviz.ui.warm", "attnviz.models.worker", "attnviz.models.given"]
)
def test_importing_the_app_brings_neither_torch_nor_transformers(module):
    code = f"import sys, {module}; print({{'torch', 'transformers'}} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert run.stdout.strip() == "set()", run.stdout + run.stderr


def test_the_engine_brings_no_view():
    code = "import sys, attnviz; print({'streamlit', 'plotly', 'pandas'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert run.stdout.strip() == "set()", run.stdout + run.stderr


@pytest.mark.parametrize("file", FILES, ids=module_of)
def test_state_caches_and_raw_html_stay_in_their_rooms(file):
    source, module = file.read_text("utf-8"), module_of(file)
    homes = {
        r"st\.session_state|st\.query_params": {"attnviz.ui.session"},
        r"cache_data|cache_resource": {"attnviz.ui.cached", "attnviz.ui.cached_models"},
        r"unsafe_allow_html|st\.html\(|unsafe_allow_javascript": {"attnviz.ui.style"},
        r"allow_pickle\s*=\s*True|import pickle|trust_remote_code": set(),
    }
    for pattern, home in homes.items():
        stateful = pattern.startswith("st") and module.startswith("attnviz.components")
        assert module in home or stateful or not re.search(pattern, source), (
            f"{pattern} belongs in {home or 'no file'}"
        )


@pytest.mark.parametrize("file", sorted(ROOT.glob("pages/*.py")), ids=module_of)
def test_a_page_is_a_screenful(file):
    assert len(file.read_text("utf-8").splitlines()) < 60
