"""Lets `python -m attnviz` start the command line."""

import sys

from attnviz.cli import main

sys.exit(main(sys.argv[1:]))
