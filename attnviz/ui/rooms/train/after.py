"""After a training: the sentence in Steps, the weights as a file, and the code that trains it."""

import streamlit as st

from attnviz.figures import code_train
from attnviz.models.training.learning import Learner, Snapshot
from attnviz.models.training.saved import weights_file
from attnviz.settings import MAX_DIMS, MAX_HEADS
from attnviz.ui import frame, session, tools
from attnviz.ui.rooms.train import asked
from attnviz.ui.rooms.train.opening import steps_fields


def draw(learner: Learner, found: Snapshot) -> None:
    """Draw the ways on, in one line."""
    t = session.t()
    looked = asked.looked(learner)
    fits = learner.width <= MAX_DIMS and learner.heads <= MAX_HEADS
    with st.container(key="train-after", horizontal=True, vertical_alignment="center", gap="small"):
        if st.button(
            t("train.steps"),
            icon=":material/play_arrow:",
            key="train.steps",
            disabled=not fits,
            help=t("train.steps_help")
            if fits
            else t("train.steps_large", most=MAX_DIMS, heads=MAX_HEADS),
        ):
            session.change("train", **steps_fields(learner, found, looked.words, looked.names))
            st.switch_page(frame.PAGES / "steps.py")
        st.download_button(
            t("train.save"),
            lambda: weights_file(learner, found),
            file_name=f"attnviz-{learner.task.key}-{found.step}.safetensors",
            icon=":material/download:",
            key="train.save",
            on_click="ignore",
            help=t("train.save_help"),
        )
        tools.lines(
            "train",
            lambda: code_train.torch_code(learner, found.step, looked.words, t),
            lambda: code_train.package_code(learner, found.step, looked.words, t),
            names=("torch", "attnviz"),
        )
    st.caption(t("train.caveat"))
