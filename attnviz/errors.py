"""What a person can cause, as a code and its values; the sentence is in `attnviz/text/`."""


class InputError(Exception):
    """Input that cannot be used.

    `code` is the key of a sentence under `error.` in the text catalogue, and `values` fill its
    placeholders: the sentence says what must hold, what came and what to do. A programmer's
    mistake is a `ValueError` instead.
    """

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(f"{code} {values}" if values else code)
        self.code = code
        self.values = values
