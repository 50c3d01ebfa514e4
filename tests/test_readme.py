"""What the README shows works as it is written."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def test_the_example_of_the_readme_prints_the_hero_weights():
    code = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    run = subprocess.run(
        [sys.executable, "-c", "\n".join(code)], capture_output=True, text=True, cwd=ROOT
    )
    assert run.stderr == ""
    assert "[0.0279 0.206  0.5601 0.206 ]" in run.stdout


def test_every_file_that_the_readme_links_is_there():
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_the_first_screen_of_the_readme_has_the_two_commands():
    first_screen = "\n".join(README.splitlines()[:20])
    assert re.findall(r"^    (make \w+)", first_screen, re.MULTILINE) == ["make run", "make test"]
