"""What of a capture can be taken away."""

import streamlit as st

from attnviz.exports.captures import head_to_csv, head_to_npz
from attnviz.exports.looks import Look
from attnviz.exports.model_pages import capture_page
from attnviz.ui import session
from attnviz.ui.rooms.models import asked


def draw() -> None:
    """Draw the ways to take the head in hand away."""
    t = session.t()
    fold = st.popover(t("bar.download"), icon=":material/download:", on_change="rerun", key="save")
    if not fold.open:
        return
    capture = asked.captured()
    with fold:
        if capture is None:
            st.caption(t("models.nothing_to_save"))
            return
        layer, head = asked.heads(capture)[0]
        st.write(t("models.save_head", layer=layer, head=head))
        with st.container(horizontal=True, gap="small"):
            for kind, make in (("csv", head_to_csv), ("npz", head_to_npz)):
                st.download_button(
                    t(f"download.{kind}"),
                    data=lambda make=make: make(capture, layer, head),
                    file_name=f"attnviz-layer{layer}-head{head}.{kind}",
                    on_click="ignore",
                    key=f"models.save.{kind}",
                )
        st.write(t("models.save_all"))
        look = Look.of(session.settings(), session.language())
        st.download_button(
            t("download.html"),
            data=lambda: capture_page(capture, look, layer=layer, head=head),
            file_name="attnviz-model.html",
            on_click="ignore",
            key="models.save.html",
        )
