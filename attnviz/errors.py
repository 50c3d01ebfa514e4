"""What a person can cause, as a code and its values; the sentence is in `attnviz/text/`."""


class InputError(Exception):
    """Input that cannot be used.

    `code` is the key of a sentence under `error.` in the text catalogue, and `values` fill its
    placeholders: the sentence says what must hold, what came and what to do. `str` gives it in the
    language of the system, as a traceback does. A programmer's mistake is a `ValueError` instead.
    """

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.values = values

    def __str__(self) -> str:
        # The words are read where somebody asks for them, and not before.
        from attnviz.text import system_language
        from attnviz.text.refused import refused

        try:
            return refused(self.code, self.values, system_language())
        except KeyError:
            return f"{self.code} {self.values}" if self.values else self.code
