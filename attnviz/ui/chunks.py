"""Which of Streamlit's own scripts our pages need, so that a browser can ask for them at once.

Without this a browser learns from the first answer of the script which parts Streamlit draws it
with, asks for those, learns from them which others they need, and asks again.
"""

import re
from collections.abc import Iterable
from pathlib import Path

import streamlit

STATIC = Path(streamlit.__file__).parent / "static"
PARTS = ("BidiComponent", "Button", "ButtonGroup", "Html", "Selectbox", "TextArea")
"""What every page of ours is drawn with, by the names of Streamlit's files."""

_IMPORTED = re.compile(r"""(?:from|import)\s*["']\./([\w.-]+\.js)["']""")


def needed(parts: Iterable[str] = PARTS, static: Path = STATIC) -> tuple[str, ...]:
    """List the scripts that draw these parts, and those that they need, without the page's own.

    A part that this Streamlit does not have is left out: the browser then finds it as before.
    """
    page = (static / "index.html").read_text("utf-8")
    folder = static / "static" / "js"
    waiting = [file.name for part in parts for file in sorted(folder.glob(f"{part}.*.js"))]
    found: dict[str, None] = {}
    while waiting:
        name = waiting.pop(0)
        if name not in found and name not in page and (folder / name).is_file():
            found[name] = None
            waiting += _IMPORTED.findall((folder / name).read_text("utf-8"))
    return tuple(found)


def links(parts: Iterable[str] = PARTS) -> str:
    """Write the lines of a page's head that ask for them, after what the page itself needs."""
    return "".join(
        f'<link rel="modulepreload" fetchpriority="low" crossorigin href="./static/js/{name}">'
        for name in needed(parts)
    )
