"""What is done before the last link has reached the browser is kept."""

from attnviz.settings import from_query
from tests.pages.reading import opened


def link_of(app):
    return {
        key: value[0] if isinstance(value, list) else value
        for key, value in dict(app.query_params).items()
    }


def test_what_is_done_before_the_last_link_has_reached_the_browser_is_kept():
    app = opened("lab.py", panel="dropout", heads="2")
    before = link_of(app)
    app.button_group(key="control.panel").set_value("temperatures").run()
    app.query_params.clear()
    app.query_params.update(before)  # the browser still has the link of before
    app.select_slider(key="temperatures.attention").set_value(2.0).run()
    settings, unreadable = from_query(link_of(app))
    assert unreadable == ()
    assert (settings.panel, settings.temperature, settings.n_heads) == ("temperatures", 2.0, 2)
    assert app.session_state["state.settings"] == settings
    app.query_params.clear()
    app.query_params.update(before)  # this time it is Back: nothing was done
    app.run()
    assert link_of(app) == before
