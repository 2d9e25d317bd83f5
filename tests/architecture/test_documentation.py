"""What the pages say is true of the code: their Python runs, they build, and they need no network."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.snippets import blocks_of
from tools.promises import unkept

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
WITH_PYTHON = [page for page in PAGES if blocks_of(page.read_text(encoding="utf-8"))]
ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
ELSEWHERE = re.compile(r"<(?:script|link|img)[^>]+(?:src|href)=\"?(?:https?:)?//[^>]*>")


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True, check=False, timeout=110)


@pytest.mark.parametrize("page", WITH_PYTHON, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_python_of_a_page_runs(page: Path, tmp_path: Path) -> None:
    outcome = run(sys.executable, "-W", "error", "-m", "tests.support.snippets", page, cwd=tmp_path)
    assert outcome.returncode == 0, outcome.stderr


def test_a_wrong_page_is_found_with_its_line(tmp_path: Path) -> None:
    page = tmp_path / "wrong.md"
    page.write_text(
        "Text.\n\n```python\nimport asyncio\nawait asyncio.sleep(0)\nassert 1 == 2\n```\n", encoding="utf-8"
    )
    outcome = run(sys.executable, "-m", "tests.support.snippets", page, cwd=tmp_path)
    assert outcome.returncode == 1
    assert 'wrong.md", line 6' in outcome.stderr


def test_the_guide_is_full_of_python() -> None:
    assert len(WITH_PYTHON) >= 12


def test_the_page_of_examples_shows_all_of_them() -> None:
    shown = re.findall(r'--8<-- "examples/(\w+)\.py"', (ROOT / "docs/guide/examples.md").read_text(encoding="utf-8"))
    assert sorted(shown) == sorted(example.stem for example in (ROOT / "examples").glob("*.py"))


def test_the_pages_build_and_fetch_nothing(tmp_path: Path) -> None:
    """A broken link is a warning, and warnings are errors; fonts, scripts and pictures are all local."""
    site = tmp_path / "site"
    outcome = run(sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", site, cwd=ROOT)
    assert outcome.returncode == 0, outcome.stderr
    fetching = [
        f"{page.relative_to(site)}: {tag}"
        for page in site.rglob("*.html")
        for tag in ELSEWHERE.findall(page.read_text(encoding="utf-8"))
        if 'rel="canonical"' not in tag
    ]
    assert not fetching


def test_every_promise_has_a_test_or_says_what_it_waits_for() -> None:
    """And no test names a promise that there is not."""
    assert unkept() == []
