"""A wrong emission is refused before anything runs: by both static checkers, and by name where nobody checks types."""

import re
from pathlib import Path

import pytest

from tests.typing.checkers import checked

EMISSIONS = Path(__file__).with_name("emissions.py")
IGNORE = re.compile(r"  # (?:type|pyright): ignore\[(?:[a-z-]+|reportArgumentType)\]$", re.MULTILINE)
FOR_MYPY = re.compile(r"# type: ignore")


@pytest.mark.parametrize(("tool", "arguments"), [("mypy", ["--no-error-summary"]), ("basedpyright", [])])
def test_a_static_checker_accepts_the_right_ones_and_needs_every_ignore(tool: str, arguments: list[str]) -> None:
    outcome = checked(tool, *arguments, source=EMISSIONS)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr


@pytest.mark.parametrize("tool", ["mypy", "basedpyright"])
def test_a_static_checker_refuses_every_wrong_one(tool: str, tmp_path: Path) -> None:
    """The same file without its ignores: an error on each of their lines, and on no other."""
    marked = EMISSIONS.read_text(encoding="utf-8")
    judged = FOR_MYPY if tool == "mypy" else IGNORE
    expected = [number for number, line in enumerate(marked.splitlines(), 1) if judged.search(line)]
    bare = tmp_path / "emissions_without_ignores.py"
    bare.write_text(IGNORE.sub("", marked), encoding="utf-8")
    report = checked(tool, source=bare).stdout
    refused = {int(line) for line in re.findall(r"\.py:(\d+):(?:\d+)?(?: -)? error:", report)}
    assert sorted(refused) == expected, report
