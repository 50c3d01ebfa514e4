"""What `streamlit run app.py` starts: the app around its main script, warmed up."""

from pathlib import Path

import streamlit as st

from attnviz.ui.server import MIDDLEWARE, ROUTES, warm_up

app = st.App(
    Path(__file__).parent / "attnviz" / "ui" / "main.py",
    lifespan=warm_up,
    middleware=MIDDLEWARE,
    routes=ROUTES,
)
