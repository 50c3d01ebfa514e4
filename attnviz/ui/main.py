"""The frame around every page: its title and language, the menu, the drawer and the link."""

from pathlib import Path

import streamlit as st

from attnviz.ui import drawer, refusals, session, style
from attnviz.ui.frame import PAGES

session.begin()
t = session.t()
st.set_page_config(
    page_title=t("app.name"),
    page_icon=str(Path(__file__).parent / "icon.svg"),
    layout="wide",
    initial_sidebar_state="expanded" if session.flag("drawer") else "collapsed",
)
style.apply(session.language())
page = st.navigation(
    [
        st.Page(PAGES / "see.py", title=t("nav.see"), default=True),
        st.Page(PAGES / "steps.py", title=t("nav.steps"), url_path="steps"),
        st.Page(PAGES / "matrices.py", title=t("nav.matrices"), url_path="matrices"),
        st.Page(PAGES / "heads.py", title=t("nav.heads"), url_path="heads"),
        st.Page(PAGES / "positions.py", title=t("nav.positions"), url_path="positions"),
        st.Page(PAGES / "lab.py", title=t("nav.lab"), url_path="lab"),
        st.Page(PAGES / "compare.py", title=t("nav.compare"), url_path="compare"),
        st.Page(PAGES / "train.py", title=t("nav.train"), url_path="train"),
        st.Page(PAGES / "models.py", title=t("nav.models"), url_path="models"),
    ],
    position="top",
)
session.turn_to(page.url_path)
refusals.damaged_link()
drawer.draw()
page.run()
session.write_link()
