"""What is large and further down is asked for once the first screen is drawn."""

from collections.abc import Callable

from attnviz.components import listener, part

_mount = part("ready")


def ready(*, key: str, on_drawn: Callable[[], None], after: str = "") -> None:
    """Tell once that the matrices of the first screen are drawn; it shows nothing itself.

    `after` is the selector of something else to wait for.
    """
    _mount(
        key=key,
        data=after.encode(),
        on_drawn_change=listener(key, "drawn", lambda _: on_drawn()),
    )
