"""One Chromium for all browser tests, and a server of the app on a free port."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import hypothesis
import pytest

hypothesis.settings.register_profile("searching", deadline=None)  # no test is timed
hypothesis.settings.register_profile("repeatable", deadline=None, derandomize=True)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "searching"))

ROOT = Path(__file__).parent.parent
CHROMIUM = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict:
    quiet = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking")
    return {"executable_path": CHROMIUM, "args": list(quiet)}


@contextmanager
def serving(script: Path, folder: Path = ROOT) -> Iterator[str]:
    """Run one Streamlit script on a free port of this machine, until the block ends."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(script)]
    options = [f"--server.port={port}", "--server.address=127.0.0.1"]
    server = subprocess.Popen(
        command + options, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _wait_for(f"http://127.0.0.1:{port}/_stcore/health", server)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(timeout=20)


def _wait_for(address: str, server: subprocess.Popen) -> None:
    for _ in range(300):
        if server.poll() is not None:
            raise RuntimeError(f"the server ended with {server.returncode}")
        try:
            with urllib.request.urlopen(address, timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(f"{address} did not answer in 30 s")


@pytest.fixture(scope="session")
def app() -> Iterator[str]:
    """Give the address of a running attnviz that all browser tests share."""
    with serving(ROOT / "app.py") as address:
        yield address


@pytest.fixture
def english(monkeypatch) -> None:
    """Run as on a system that is set to English."""
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")


@pytest.fixture
def command_line(capsys) -> Callable[..., tuple[int, str, str]]:
    """Run a command line; give its exit status, and what it wrote to output and to errors."""
    from attnviz.cli import main

    def run(*arguments: str) -> tuple[int, str, str]:
        status = main(arguments)
        return status, *capsys.readouterr()

    return run
