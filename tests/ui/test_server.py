"""What the server does at start and with every answer."""

import gzip
import re
import subprocess
import sys
import tomllib
import urllib.parse
import urllib.request
from email.message import Message
from pathlib import Path
from urllib.error import HTTPError

import pytest

from attnviz.settings import MAX_DIMS, MAX_HEADS, MAX_TOKENS, Settings, from_query
from attnviz.text import words
from attnviz.ui import assets, chunks
from attnviz.ui.long_links import LONGEST_ANSWERED, LONGEST_READ

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


def answer_to(app: str, query: str, path: str = "/", **headers: str) -> tuple[int, str]:
    """Ask for a page with a query; give the status and the page."""
    request = urllib.request.Request(f"{app}{path}?{query}", headers=headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as refused:
        with refused:
            return refused.code, refused.read().decode()


@pytest.mark.parametrize(
    ("accepted", "asked", "language"),
    [
        ("en-GB,en;q=0.9", "", "en"),
        ("zh-TW,zh;q=0.9,en;q=0.8", "", "zh-Hant"),
        ("en", "lang=zh-Hant&", "zh-Hant"),
        ("zh-TW", "lang=en&", "en"),
        ("", "lang=x&", "en"),
    ],
)
@pytest.mark.parametrize("path", ["/", "/steps"])
def test_a_link_of_a_megabyte_gets_a_sentence_and_a_way_back(app, path, accepted, asked, language):
    t, query = words(language), f"{asked}text={'<b>' * 350_000}"
    sent = {"accept-language": accepted} if accepted else {}
    status, page = answer_to(app, query, path, **sent)
    assert status == 414
    assert f'<html lang="{language}">' in page
    most, got = LONGEST_READ // 1024, len(query) // 1024
    assert f"<p>{t('long_link.said', most=most, got=got)}</p>" in page
    assert f'<a href="/?lang={language}">{t("long_link.open")}</a>' in page
    assert "<b>" not in page
    assert len(page) < 2_000


def test_a_link_is_read_up_to_the_limit_and_answered_as_far_as_a_browser_sends(app):
    for length, status in [(LONGEST_READ, 200), (LONGEST_READ + 1, 414), (2 * 2**20, 414)]:
        assert answer_to(app, "x" * length)[0] == status
    with pytest.raises((OSError, HTTPError)):  # no more than this is awaited, or kept
        urllib.request.urlopen(f"{app}/?{'x' * (LONGEST_ANSWERED + 10)}")


def test_every_link_that_the_app_can_write_is_read():
    table = ((-999_999.123456789012345,) * (MAX_HEADS * MAX_DIMS),) * MAX_DIMS
    turned = tuple(zip(*table, strict=True))
    vectors = turned[:MAX_TOKENS]
    largest = Settings(
        sentence="會" * 2_000,
        pieces=("會" * 30,) * MAX_TOKENS,
        vectors=vectors,
        position_vectors=vectors,
        w_q=table,
        w_k=table,
        w_v=table,
        w_o=turned,
        cells=("1" * MAX_TOKENS,) * MAX_TOKENS,
        moves=tuple((s, i, *table[0][:2]) for s in "qkv" for i in range(MAX_TOKENS)),
    )
    link = urllib.parse.urlencode(largest.to_query() | {"b": "%" * 60_000})
    assert from_query(largest.to_query()) == (largest, ())
    assert 300_000 < len(link) <= LONGEST_READ


def test_a_page_asks_at_once_for_the_scripts_that_draw_it(app):
    request = urllib.request.Request(app, headers={"accept": "text/html"})
    with urllib.request.urlopen(request) as answer:
        head = answer.read().decode().split("</head>")[0]
    asked = re.findall(r'modulepreload" [^>]*href="\./(static/js/[\w.-]+\.js)"', head)
    ours = re.findall(r'modulepreload" fetchpriority="low"[^>]*href="\./static/js/([^"]+)"', head)
    assert tuple(ours) == chunks.needed()  # what the page itself needs comes first
    assert len(asked) == len(set(asked))
    for part in chunks.PARTS:
        assert any(f"/{part}." in name for name in asked), part
    for name in asked:
        with urllib.request.urlopen(f"{app}/{name}") as answer:
            assert "javascript" in answer.headers["content-type"]


def test_the_scripts_asked_for_are_followed_to_those_that_they_need(tmp_path):
    scripts = tmp_path / "static" / "js"
    scripts.mkdir(parents=True)
    (tmp_path / "index.html").write_text('<script src="./static/js/known.1.js">')
    (scripts / "Part.1.js").write_text('import{a}from"./known.1.js";import"./helper.2.js";')
    (scripts / "helper.2.js").write_text('import{b}from"./Part.1.js";import("./later.3.js")')
    (scripts / "later.3.js").write_text("")
    assert set(chunks.needed(["Part", "Missing"], tmp_path)) == {"Part.1.js", "helper.2.js"}


def asset_of(app: str, name: str, **headers: str) -> tuple[int, Message, bytes]:
    """Ask for one of Streamlit's own files; give the status, the headers and what came."""
    request = urllib.request.Request(f"{app}/{name}", headers=headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.headers, answer.read()
    except HTTPError as refused:
        with refused:
            return refused.code, refused.headers, refused.read()


def one_file(pattern: str) -> str:
    """Name a file of Streamlit's by the path that a page asks for."""
    return next(chunks.STATIC.glob(f"static/{pattern}")).relative_to(chunks.STATIC).as_posix()


@pytest.mark.parametrize(
    ("pattern", "kind"),
    [("js/index.*.js", "javascript"), ("css/index.*.css", "css"), ("media/*.woff2", "font/woff2")],
)
def test_streamlits_own_files_arrive_whole_and_scripts_and_styles_short(app, pattern, kind):
    name = one_file(pattern)
    whole = (chunks.STATIC / name).read_bytes()
    status, headers, body = asset_of(app, name)
    assert (status, body) == (200, whole)
    assert kind in headers["content-type"]
    assert "content-encoding" not in headers
    assert "immutable" in headers["cache-control"]
    assert headers["x-content-type-options"] == "nosniff"
    status, headers, body = asset_of(app, name, **{"accept-encoding": "gzip"})
    assert status == 200
    assert headers["vary"] == "accept-encoding"
    if kind == "font/woff2":  # is compressed already
        assert body == whole
    else:
        assert headers["content-encoding"] == "gzip"
        assert gzip.decompress(body) == whole
        assert len(body) < len(whole) / 2


def test_a_part_of_a_file_and_what_is_no_file_are_left_to_streamlit(app):
    name = one_file("js/index.*.js")
    status, _, body = asset_of(app, name, range="bytes=0-9")
    assert (status, body) == (206, (chunks.STATIC / name).read_bytes()[:10])
    plain = {"accept-encoding": "gzip"}
    assert b"<title>Streamlit</title>" in asset_of(app, "static/js/none.js", **plain)[2]


def test_no_file_outside_the_folders_of_scripts_styles_and_fonts_is_read():
    for name in ("static/js/../../index.html", "static/js/..", "index.html", "/etc/passwd"):
        assert assets.asset(name) is None, name
