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
    ],
    position="top",
)
session.turn_to(page.url_path)
refusals.damaged_link()
drawer.draw()
page.run()
session.write_link()
