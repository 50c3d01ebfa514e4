"""Figures, equations and matrices as one HTML file that opens with no network.

Everything is inside the file, plotly.js included. Its content security policy lets no script run
but its own and no request leave; all that a person typed is escaped.
"""

import base64
import hashlib
import json
from collections.abc import Sequence
from functools import cache
from html import escape
from pathlib import Path

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from attnviz.exports.looks import Look
from attnviz.exports.markup import Matrix, side_by_side, style, tables
from attnviz.exports.panels import Panel, equations_of, matrices_of, panels_of
from attnviz.scene import Scene
from attnviz.text import Words

_PAGE = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body class="attnviz">
<main>
{main}
</main>
{scripts}
</body>
</html>
"""

_NONE = "'none'"


def page_of(scene: Scene, look: Look, *, link: str = "", code: str = "") -> bytes:
    """Write all that a scene has to show; `link` is the address that opens the same view."""
    return page(
        look.t("export.title", sentence=" ".join(scene.tokens)),
        look,
        panels=panels_of(scene, look),
        equations=equations_of(scene, look),
        matrices=matrices_of(scene.trace, scene.tokens, look),
        link=link,
        code=code,
    )


def page(
    title: str,
    look: Look,
    *,
    said: Sequence[str] = (),
    panels: Sequence[Panel] = (),
    equations: Sequence[Sequence[str]] = (),
    matrices: Sequence[Matrix] = (),
    grids: Sequence[str] = (),
    link: str = "",
    code: str = "",
) -> bytes:
    """Write one HTML file of the parts that there are, in this order; `grids` are HTML already."""
    t = look.t
    note = "export.offline_page" if grids or said else "export.offline"
    parts = [f"<h1><bdi>{escape(title)}</bdi></h1>", *_introduction(t(note), t, link)]
    parts += [f"<p><strong>{escape(sentence)}</strong></p>" for sentence in said]
    parts += _section(t("export.figures"), [_figure(panel) for panel in panels])
    parts += _section(t("export.equations"), [_list(lines) for lines in equations])
    parts += _section(t("export.matrices"), [tables(matrices, look)] if matrices else [])
    parts += _section(t("export.tables"), [side_by_side(grids)] if grids else [])
    parts += _section(t("export.code"), [f"<pre><code>{escape(code)}</code></pre>"] if code else [])
    scripts = [get_plotlyjs(), _script()] if panels else []
    html = _PAGE.format(
        language=escape(look.language),
        policy=policy(scripts),
        title=escape(title),
        style=style() + _style(),
        main="\n".join(parts),
        scripts="\n".join([_drawings(panels), *(f"<script>{one}</script>" for one in scripts)]),
    )
    return html.encode()


def _introduction(note: str, t: Words, link: str) -> list[str]:
    said = [f"<p>{escape(note)}</p>"]
    if link.startswith(("http://", "https://")):
        address = escape(link)
        said.append(f'<p>{escape(t("export.link"))} <a href="{address}">{address}</a></p>')
    elif link:
        said.append(f"<p>{escape(t('export.link'))} <code>{escape(link)}</code></p>")
    return said


def _section(heading: str, parts: Sequence[str]) -> list[str]:
    return ["<section>", f"<h2>{escape(heading)}</h2>", *parts, "</section>"] if parts else []


def _figure(panel: Panel) -> str:
    said = f"<figcaption>{escape(panel.alt)}</figcaption>" if panel.alt != panel.title else ""
    return (
        f"<figure><h3>{escape(panel.title)}</h3>"
        f'<div id="{escape(panel.name)}" role="img" aria-label="{escape(panel.alt)}"></div>'
        f"{said}</figure>"
    )


def _list(lines: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>"


def _drawings(panels: Sequence[Panel]) -> str:
    """Hold the figures as data; nothing in it can end the script that holds it."""
    drawings = {
        panel.name: {"light": _plain(panel.light)}
        | ({} if panel.dark is None else {"dark": _plain(panel.dark)})
        for panel in panels
    }
    text = json.dumps(drawings, ensure_ascii=False, separators=(",", ":")).replace("<", r"\u003c")
    return f'<script type="application/json" id="drawings">{text}</script>' if panels else ""


def _plain(figure: go.Figure) -> dict:
    return json.loads(figure.to_json(validate=False) or "{}")


def policy(scripts: Sequence[str]) -> str:
    """Allow these scripts by their digest, styles and pictures in the file, nothing else."""
    digests = [hashlib.sha256(script.encode()).digest() for script in scripts]
    allowed = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {allowed or _NONE}; "
        "style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


@cache
def _script() -> str:
    return Path(__file__).with_name("page.js").read_text("utf-8")


@cache
def _style() -> str:
    return Path(__file__).with_name("page.css").read_text("utf-8")
