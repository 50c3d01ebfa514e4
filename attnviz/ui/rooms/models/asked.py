"""What a person asks of a model: which one, what it reads, and which heads are looked at."""

from collections.abc import Mapping
from typing import Any

from attnviz.errors import InputError
from attnviz.models.cards import Reader, cards
from attnviz.models.catalogue import Entry, HeadNote, allowed, catalogue
from attnviz.models.images import reads_pictures
from attnviz.models.results import Capture
from attnviz.models.views import View
from attnviz.settings import Edit, Settings
from attnviz.ui import cached_models, session
from attnviz.ui.cached_models import Asked
from attnviz.ui.jobs import Job
from attnviz.ui.rooms.models import opening, pictured

UNTOUCHED = "models.untouched"
"""The flag of looking at the run without the edits that are in force."""


def offered() -> list[str]:
    """List the models that can be chosen: those of the catalogue that are here and allowed."""
    here = session.once("models.here", _here)
    chosen = session.settings().model
    return [*here, *([chosen] if chosen and chosen not in here else [])]


def _here() -> list[str]:
    return [key for key, entry in catalogue().items() if entry.installed and allowed(key)]


def model() -> str:
    """Give the model in hand: the chosen one, or the first that is here."""
    reader = _reader()
    chosen = session.settings().model or (reader.model if reader else "")
    return chosen or next(iter(offered()), "default")


def _reader() -> Reader | None:
    """Give what the question that is open is asked of."""
    card = cards().get(session.settings().card)
    return session.once(f"models.reader.{card.key}", lambda: card.reader) if card else None


def entry() -> Entry | None:
    """Give the model's line of the catalogue, None for a folder or another name."""
    return catalogue().get(model())


def eyes() -> bool:
    """Tell whether the model in hand reads pictures, and no texts."""
    return reads_pictures(model())


def picture() -> str:
    """Name the picture that is read, "" where a text is."""
    return pictured.in_hand(example()) if eyes() and not opening.given() else ""


def examples() -> tuple[HeadNote, ...]:
    """List what the model's heads are known to do, and where; a question would be answered."""
    found = None if session.settings().card in cards() else entry()
    return found.heads if found else ()


def example() -> HeadNote | None:
    """Give the example on the screen: the chosen one, or the model's first."""
    settings, known = session.settings(), examples()
    if opening.given():
        return None
    if eyes():
        return pictured.example(known)
    if settings.passage or settings.passage_pair:
        return next((note for note in known if _same(settings, note)), None)
    if settings.heads_shown:
        return next((n for n in known if (n.layer, n.head) == settings.heads_shown[0]), None)
    return known[0] if known else None


def _same(settings: Settings, note: HeadNote) -> bool:
    heads = ((), ((note.layer, note.head),))  # none chosen: those of the first example
    return settings.passage == note.sentence and settings.heads_shown in heads


def text() -> str:
    """Give the text that is read: the person's own, or the example's."""
    settings, note = session.settings(), example()
    if settings.passage or eyes():
        return settings.passage
    if note is not None:
        return note.sentence
    reader, found = _reader(), entry()
    if reader is not None and reader.model == model():
        return reader.text
    return found.sentences[0] if found and found.sentences else session.t()("models.first_text")


def asked() -> Asked:
    """Put together what is asked of the model."""
    settings, seen = session.settings(), picture()
    return Asked(
        model=model(),
        text="" if seen else text(),
        pair="" if seen else settings.passage_pair,
        target="" if seen else settings.passage_target,
        window=settings.window if settings.overflow == "windows" and not seen else 0,
        given=opening.given() or "",
        picture=seen,
        edits=() if opening.given() or session.flag(UNTOUCHED) else settings.edits,
    )


def job() -> Job[Capture]:
    """Give the capture that is asked for, as far as it is."""
    return cached_models.capture_job(asked())


def captured() -> Capture | None:
    """Give the capture if it is there; the page's head says why it is not."""
    work = job()
    return work.result() if work.done and not work.failed else None


def kind() -> str:
    """Give the kind of the model in hand, "" for a folder that has not read yet."""
    capture, known = captured(), entry()
    return capture.kind if capture is not None else known.kind if known is not None else ""


def heads(capture: Capture) -> list[tuple[int, int]]:
    """List the heads that are looked at, (layer, head); those that there are, or the example's."""
    chosen = session.settings().heads_shown
    note = example()
    if not chosen and note is not None:
        chosen = ((note.layer, note.head),)
    known = [pair for pair in chosen if there(capture, pair)]
    first = known[0] if known else (0, 0)
    sides = _sides(capture, first[0])
    return [pair for pair in known if _sides(capture, pair[0]) == sides] or [first]


def there(capture: Capture, pair: tuple[int, int]) -> bool:
    """Tell whether a model has this head, (layer, head)."""
    return pair[0] < capture.n_layers and pair[1] < capture.layers[pair[0]].n_heads


def _sides(capture: Capture, layer: int) -> tuple[int, int]:
    return id(capture.query_tokens(layer)), id(capture.key_tokens(layer))


def look(queries: tuple[str, ...]) -> int | None:
    """Give the token that is looked at first: the link's, or the one that the example is about."""
    settings, note = session.settings(), example()
    if settings.held == "query" or settings.query != Settings().query or settings.key is not None:
        return min(settings.query, len(queries) - 1)
    card = cards().get(settings.card)
    asks = note.asks if note else card.asks if card else ""
    middle = pictured.first_patch(queries) if eyes() else None
    if not asks:
        return middle
    plain = [label.lstrip("␣#").casefold() for label in queries]
    places = [place for place, label in enumerate(plain) if label == asks.casefold()]
    return places[-1] if places else middle


def row(capture: Capture, view: View) -> int:
    """Give the row that a question about one token is about: the token that is looked at.

    Where none is, the last word that sees more than one key: its row has something to say.
    """
    looked = look(view.queries)
    if looked is not None or view.row_edges is not None:
        return min(looked or 0, len(view.weights) - 1)
    tokens = capture.query_tokens(heads(capture)[0][0])
    several = view.ranges[:, 1] > view.ranges[:, 0]
    telling = [
        at
        for at, place in enumerate(view.query_places)
        if several[at] and not tokens[place].special and any(map(str.isalnum, tokens[place].text))
    ]
    return telling[-1] if telling else 0


def show(note: HeadNote) -> None:
    """Show an example: its sentence, its head, and the token that it is about."""
    settings = session.settings()
    alone = not (settings.passage_pair or settings.window)
    same = note.picture or (alone and note.sentence == text())
    read_of = pictured.show(note) if note.picture else {"passage": note.sentence}
    session.change(
        "models",
        **read_of,
        passage_pair="",
        heads_shown=((note.layer, note.head),),
        edits=settings.edits if same else edits_of_heads(),
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
    same = typed == text() and pair in (None, settings.passage_pair) and not settings.window
    changes["edits"] = settings.edits if same else edits_of_heads()
    if pair is not None:
        changes["passage_pair"] = pair
    session.change("passage", draft=typed, window=0, **changes)


def edits_of_heads(*also: str) -> tuple[Edit, ...]:
    """Keep the edits of whole heads: the tokens of the others are those of another text.

    `also` names the kinds whose tokens are read as before.
    """
    kept = ("off", "even", *also)
    return tuple(edit for edit in session.settings().edits if edit[0] in kept)


def open_head(layer: int, head: int, *, more: bool, held: Mapping[str, Any] | None = None) -> None:
    """Look at another head: alone, or beside those that are open; once more closes it."""
    pair, settings = (layer, head), session.settings()
    shown = list(settings.heads_shown)
    if not more:
        shown = [pair]
    elif pair in shown:
        shown = [each for each in shown if each != pair] or [pair]
    else:
        shown = [*shown, pair]
    session.change("heads_shown", heads_shown=tuple(shown), passage=text(), **(held or {}))


def again() -> None:
    """Ask once more for what could not be had."""
    cached_models.forget_capture(asked())


def stop(work: Job[Any]) -> None:
    """Stop the model at this work and no other; what was asked of it stays in its place."""
    cached_models.models().cancel(work.tell)
