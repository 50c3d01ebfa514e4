"""What a person can hand on: the link, its QR code, and the snippet that embeds one panel."""

import io
from html import escape

import segno
import streamlit as st

from attnviz.exports.records import LONGEST_LINK
from attnviz.ui import session

LONGEST_QR = 900
"""Characters that a QR code may hold and still be read from a projector by a phone."""


def draw() -> None:
    """Draw the link with its copy button; QR code and snippet are made when it is opened."""
    t = session.t()
    fold = st.popover(t("bar.share"), icon=":material/link:", on_change="rerun", key="share")
    if not fold.open:
        return
    link = session.link()
    with fold:
        if len(link) > LONGEST_LINK:
            st.warning(t("share.too_long", n_characters=len(link), most=LONGEST_LINK))
        st.write(t("bar.share_link"))
        st.code(link, language=None, wrap_lines=True)
        if len(link) > LONGEST_QR:
            st.caption(t("share.qr_too_long"))
        else:
            st.image(qr_code(link), caption=t("share.qr"), width=220)
        st.write(t("share.embed"))
        st.code(embed_snippet(session.link(embed="true")), language="html", wrap_lines=True)


def qr_code(link: str) -> str:
    """Draw a link as a QR code, dark on white in either theme, as SVG."""
    drawing = io.BytesIO()
    segno.make(link, error="m").save(drawing, kind="svg", scale=4, border=3, light="white")
    return drawing.getvalue().decode()


def embed_snippet(link: str) -> str:
    """Write the HTML that shows a link's panel inside another page."""
    size = 'width="100%" height="520" style="border:0"'
    return f'<iframe src="{escape(link)}" {size} title="attnviz"></iframe>'
