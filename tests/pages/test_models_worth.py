"""What each head is worth, on the page Models: switched off, by gradient, and stopped meanwhile."""

import threading
from dataclasses import replace

import numpy as np
import pytest

from attnviz.figures.code_edits import numpy_worth, package_worth
from attnviz.figures.spoken_edits import agreement_said, claim_said
from attnviz.models.editing.worth import DIRECTIONS, Worth
from attnviz.models.listed import listed
from attnviz.text import LANGUAGES, words
from attnviz.text.numbers import decimals
from attnviz.ui import cached_models
from attnviz.ui.rooms.models import each_off, folds
from tests.pages.test_models import opened
from tests.pages.test_models_edit import MODEL, TWICE, edited, grid, patient, press, run, said

__all__ = ["patient"]
T = words("en")
NAMES = [[f"L{layer}H{head}" for head in range(4)] for layer in range(2)]


def test_every_head_is_switched_off_in_turn_when_it_is_asked_for():
    app = edited()
    assert T("each_off.start", n=8) in [button.label for button in app.button]
    app = press(app, "each_off.start")
    found = cached_models.worth(cached_models.Asked(model=MODEL, text=TWICE)).result()
    layer, number = found.ranked()[0]
    line = T(
        "each_off.said_loss",
        head=f"L{layer}H{number}",
        before=decimals(found.loss, 2),
        after=decimals(found.loss + found.losses[layer][number], 2),
        better=sum(int((heads < 0).sum()) for heads in found.losses),
        n=8,
    )
    assert line in said(app)
    assert agreement_said(found, NAMES, T) in said(app)
    assert claim_said(found, T) in said(app)
    data, arrays = grid(app)
    shades = np.frombuffer(arrays[layer], np.uint8).reshape(4, 9)
    assert (shades[number] == 255).all()
    assert f"L{layer}H{number}" in data["notes"][4 * layer + number]
    again = opened(**app.query_params)
    assert line in said(again)


@pytest.mark.parametrize("language", LANGUAGES)
def test_heads_can_be_sorted_by_gradient_and_the_link_says_so(language):
    t = words(language)
    app = edited(amount="1", lang=language)
    found = cached_models.worth(cached_models.Asked(model=MODEL, text=TWICE)).result()
    assert each_off.worth_table(found, NAMES, t, 3, "off") in said(app)
    app.segmented_control(key="control.amount").set_value(2).run()
    table = each_off.worth_table(found, NAMES, t, 3, "gradient")
    assert table in said(app)
    data, arrays = grid(app)
    layer, number = found.ranked("gradient")[0]
    assert (np.frombuffer(arrays[layer], np.uint8).reshape(4, 9)[number] == 255).all()
    largest = float(found.gradient[layer][number])
    assert t("each_off.grid.gradient_loss", most=decimals(largest, 2)) == data["title"]
    again = opened(**app.query_params)
    assert table in said(again)


def test_the_agreement_of_gradient_and_switching_off_is_said_in_numbers():
    found = cached_models.worth(cached_models.Asked(model=MODEL, text=TWICE)).result()
    line = agreement_said(found, NAMES, T)
    layer, number = found.ranked("gradient")[0]
    assert f"L{layer}H{number}" in line
    assert decimals(found.agreement or 0.0, 2) in line
    assert T("each_off.right_way", right=found.foreseen, n=8) in line
    assert T("each_off.no_slopes", most=512) == agreement_said(replace(found, slopes=()), NAMES, T)
    even = tuple(np.ones(4) for _ in range(2))
    assert T("each_off.no_agreement") in agreement_said(replace(found, slopes=even), NAMES, T)
    assert "foreseen" not in each_off.worth_table(replace(found, slopes=()), NAMES, T, 3)


def test_work_on_the_heads_can_be_stopped_and_begun_again(monkeypatch):
    monkeypatch.setattr(folds, "_SOON", 0.0)
    held, going = threading.Event(), threading.Event()

    def slow(capture, progress):
        progress(1, 8)
        going.set()
        held.wait(60)
        progress(2, 8)
        return listed(capture, progress)

    monkeypatch.setattr(cached_models, "listed", slow)
    text = "another text that nobody has listed"
    try:
        app = edited(panel="head_table", t=text)
        assert going.wait(60)
        app = press(app, "fold.stop")
    finally:
        held.set()
    wanted = cached_models.Asked(model=MODEL, text=text)
    work = cached_models.heads_listed(wanted)
    assert work.wait(60.0)
    assert work.failed
    app.run()
    assert T("error.models.cancelled") in [each.value.replace("\\", "") for each in app.info]
    assert app.text_area(key="control.passage").value == text
    monkeypatch.setattr(folds, "_SOON", 120.0)
    app = press(app, "fold.again")
    assert not app.info
    assert T("head_table.note") in said(app)


def test_the_code_of_what_heads_are_worth_gives_the_same(capsys):
    found = cached_models.worth(cached_models.Asked(model=MODEL, text=TWICE)).result()
    for write in (lambda: numpy_worth(found, T), lambda: package_worth(MODEL, run(), T)):
        numbers: dict = {}
        exec(write(), numbers)
        for own, heads in zip(numbers["importance"], found.importance, strict=True):
            np.testing.assert_allclose(own, heads, atol=1e-5)
        assert numbers["agreement"] == pytest.approx(found.agreement, abs=1e-9)
    assert capsys.readouterr().out


def test_without_a_loss_heads_are_listed_by_how_far_vectors_move():
    moved = (np.array([0.1, 0.5]), np.array([0.02, 0.3]))
    found, names = Worth(moved=moved), [["a", "b"], ["c", "d"]]
    assert found.ranked() == [(0, 1), (1, 1), (0, 0), (1, 0)]
    rows = each_off.worth_table(found, names, T, 3).split("\n")
    assert rows[2] == "| b | 50 % |"
    speeds = (np.array([0.2, 0.1]), np.array([0.3, 0.4]))
    rows = each_off.worth_table(replace(found, slopes=speeds), names, T, 3, "gradient").split("\n")
    assert rows[2] == "| d | 30 % | 40 % |"
    line = agreement_said(replace(found, slopes=speeds), names, T)
    assert "40 %" in line
    assert T("each_off.agreement", rho=decimals(-0.4, 2), n=4) in line
    assert str(DIRECTIONS) in claim_said(replace(found, slopes=speeds), T)
    shades = np.frombuffer(each_off.shades(moved[0], 0.5), np.uint8)
    assert shades[-1] == 255 > shades[0] > 0
    assert not any(each_off.shades(-moved[0], 0.0))
