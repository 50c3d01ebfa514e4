"""A Streamlit page with one line of text: the floor that the first page is compared with."""

import streamlit as st

st.write("one line")
