"""One server and one browser for all the tests of this folder."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[2]
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    port = _free_port()
    command = [sys.executable, "-m", "streamlit", "run", "tests/components/harness.py"]
    options = [f"--server.port={port}", "--server.address=127.0.0.1", "--server.headless=true"]
    server = subprocess.Popen(
        [*command, *options],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.environ.get("PYTHONPATH", str(ROOT))},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(f"http://127.0.0.1:{port}/_stcore/health")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(10)


def _wait_for(url: str, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while True:
        try:
            with urlopen(url):
                return
        except URLError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, object]:
    return {"executable_path": CHROMIUM, "args": ["--no-sandbox"]}


Opener = Callable[..., Page]


@pytest.fixture
def open_page(address: str, browser: Browser) -> Iterator[Opener]:
    """Open a page of the harness; `page.sent` counts what it sends to the server."""
    pages: list[Page] = []

    def opened(show: str, width: int = 1280, height: int = 720, scheme: str = "light") -> Page:
        page = browser.new_page(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            reduced_motion="reduce",
        )
        pages.append(page)
        page.set_default_timeout(10_000)
        page.sent = []
        page.on(
            "websocket", lambda wire: wire.on("framesent", lambda frame: page.sent.append(frame))
        )
        page.goto(f"{address}/?show={show}")
        page.get_by_text("heard:").wait_for()
        return page

    yield opened
    for page in pages:
        page.close()
