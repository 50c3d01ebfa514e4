"""The command line: `python -m attnviz run`, `trace`, `capture`, `metrics` and `models`.

commands.py   what is asked for, and where a person's mistake becomes a sentence and exit status 2
options.py    the options of each command, and their help in both languages
inputs.py     from options to settings: links, files and typed numbers
outputs.py    from a scene to a table on the screen, or to a file
captures.py   a real model: one head on the screen, or a capture as a file
metrics.py    every number of every head, of one text or of several
models.py     which real models are known, and how another one is added
"""

from attnviz.cli.commands import main

__all__ = ["main"]
