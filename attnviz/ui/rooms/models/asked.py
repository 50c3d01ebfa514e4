"""What a person asks of a model: which one, what it reads, and which heads are looked at."""

from collections.abc import Mapping

from attnviz.errors import InputError
from attnviz.models.catalogue import Entry, HeadNote, allowed, catalogue
from attnviz.models.results import Capture
from attnviz.settings import Settings
from attnviz.ui import cached, session
from attnviz.ui.cached import Asked
from attnviz.ui.jobs import Job
from attnviz.ui.rooms.models import opening


def offered() -> list[str]:
    """List the models that can be chosen: those of the catalogue that are here and allowed."""
    here = [
        key
        for key, entry in catalogue().items()
        if entry.installed and allowed(key) and entry.kind != "vision"  # it would read no text
    ]
    chosen = session.settings().model
    return [*here, *([chosen] if chosen and chosen not in here else [])]


def model() -> str:
    """Give the model in hand: the chosen one, or the first that is here."""
    return session.settings().model or next(iter(offered()), "default")


def entry() -> Entry | None:
    """Give the model's line of the catalogue, None for a folder or another name."""
    return catalogue().get(model())


def examples() -> tuple[HeadNote, ...]:
    """List what the model's heads are known to do, with a sentence to see each in."""
    found = entry()
    return found.heads if found else ()


def example() -> HeadNote | None:
    """Give the example on the screen: the chosen one, or the model's first."""
    settings, known = session.settings(), examples()
    if opening.given():
        return None
    if settings.passage or settings.passage_pair:
        return next((note for note in known if _same(settings, note)), None)
    if settings.heads_shown:
        return next((n for n in known if (n.layer, n.head) == settings.heads_shown[0]), None)
    return known[0] if known else None


def _same(settings: Settings, note: HeadNote) -> bool:
    return settings.passage == note.sentence and settings.heads_shown == ((note.layer, note.head),)


def text() -> str:
    """Give the text that is read: the person's own, or the example's."""
    settings, note = session.settings(), example()
    if settings.passage:
        return settings.passage
    if note is not None:
        return note.sentence
    found = entry()
    return found.sentences[0] if found and found.sentences else session.t()("models.first_text")


def asked() -> Asked:
    """Put together what is asked of the model."""
    settings = session.settings()
    return Asked(
        model=model(),
        text=text(),
        pair=settings.passage_pair,
        target=settings.passage_target,
        window=settings.window if settings.overflow == "windows" else 0,
        given=opening.given() or "",
    )


def job() -> Job[Capture]:
    """Give the capture that is asked for, as far as it is."""
    return cached.capture_job(asked())


def captured() -> Capture | None:
    """Give the capture if it is there; the page's head says why it is not."""
    work = job()
    return work.result() if work.done and not work.failed else None


def heads(capture: Capture) -> list[tuple[int, int]]:
    """List the heads that are looked at, (layer, head); those that there are, or the example's."""
    chosen = session.settings().heads_shown
    note = example()
    if not chosen and note is not None:
        chosen = ((note.layer, note.head),)
    there = [pair for pair in chosen if _there(capture, pair)]
    first = there[0] if there else (0, 0)
    sides = _sides(capture, first[0])
    return [pair for pair in there if _sides(capture, pair[0]) == sides] or [first]


def _there(capture: Capture, pair: tuple[int, int]) -> bool:
    return pair[0] < capture.n_layers and pair[1] < capture.layers[pair[0]].n_heads


def _sides(capture: Capture, layer: int) -> tuple[int, int]:
    return id(capture.query_tokens(layer)), id(capture.key_tokens(layer))


def look(queries: tuple[str, ...]) -> int | None:
    """Give the token that is looked at first: the link's, or the one that the example is about."""
    settings, note = session.settings(), example()
    if settings.query != Settings().query or settings.key is not None:
        return min(settings.query, len(queries) - 1)
    if note is None or not note.asks:
        return None
    plain = [label.lstrip("␣#").casefold() for label in queries]
    places = [place for place, label in enumerate(plain) if label == note.asks.casefold()]
    return places[-1] if places else None


def show(note: HeadNote) -> None:
    """Show an example: its sentence, its head, and the token that it is about."""
    session.change(
        "models",
        passage=note.sentence,
        passage_pair="",
        heads_shown=((note.layer, note.head),),
        mixing="each",
        query=Settings().query,
        key=None,
    )


def read(typed: str, pair: str | None = None) -> None:
    """Let the model read another text; the heads that are looked at stay."""
    settings = session.settings()
    if not typed.strip():
        session.refuse("passage", InputError("models.no_tokens"), typed)
        return
    shown = settings.heads_shown or tuple((n.layer, n.head) for n in [example()] if n)
    changes = {"passage": typed, "heads_shown": shown, "query": Settings().query, "key": None}
    if pair is not None:
        changes["passage_pair"] = pair
    session.change("passage", draft=typed, window=0, **changes)


def open_head(layer: int, head: int, *, more: bool, kept: Mapping[str, str] | None = None) -> None:
    """Look at another head: alone, or beside those that are open; once more closes it."""
    pair, settings = (layer, head), session.settings()
    shown = list(settings.heads_shown)
    if not more:
        shown = [pair]
    elif pair in shown:
        shown = [each for each in shown if each != pair] or [pair]
    else:
        shown = [*shown, pair]
    held = session.kept_in_address(kept or {}, ("query", "key", "colours"))
    session.change("heads_shown", heads_shown=tuple(shown), passage=text(), **held)


def again() -> None:
    """Ask once more for what could not be had."""
    cached.forget_capture(asked())


def stop() -> None:
    """Stop the model; what was asked of it stays in its place."""
    cached.models().cancel()
