"""What the server does at start and with every answer."""

import subprocess
import sys
import tomllib
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
WARM = """
import asyncio, gc, sys
from attnviz.ui.server import warm_up

async def start():
    async with warm_up(None):
        print(gc.get_freeze_count() > 10_000, {"torch", "transformers"} & set(sys.modules))

asyncio.run(start())
"""


def test_a_warm_server_is_frozen_and_has_neither_torch_nor_transformers():
    run = subprocess.run([sys.executable, "-c", WARM], capture_output=True, text=True, cwd=ROOT)
    assert run.stdout.strip() == "True set()", run.stdout + run.stderr


def test_no_collection_stalls_a_rerun():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    assert config["runner"]["postScriptGC"] is False
    assert config["server"]["address"] == "127.0.0.1"
    assert config["browser"]["gatherUsageStats"] is False


def test_every_answer_carries_the_security_headers(app):
    with urllib.request.urlopen(app) as answer:
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"


def test_a_page_at_any_depth_knows_its_server(app):
    for path in ("/", "/steps", "/x/y"):
        request = urllib.request.Request(app + path, headers={"accept": "text/html"})
        with urllib.request.urlopen(request) as answer:
            page = answer.read().decode()
        assert page.index('<base href="/">') < page.index("<script")
        assert "BACKEND_BASE_URL" in page


def test_see_leads_to_the_first_page_with_its_settings(app):
    with urllib.request.urlopen(f"{app}/see?q=0") as answer:
        assert answer.url == f"{app}/?q=0"
