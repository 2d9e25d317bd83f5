"""The judge of coverage: whole and core have floors, whatever the others reach."""

import json
from pathlib import Path
from typing import Any

import pytest

from tools.coverage_floors import CORE, main, reached


def report(**percents: int) -> dict[str, Any]:
    return {
        "files": {
            f"src/batuta/{package}/a.py": {"summary": {"num_statements": 100, "covered_lines": percent}}
            for package, percent in percents.items()
        }
    }


def test_a_package_adds_up_its_files() -> None:
    files = {"files": {**report(events=100)["files"], "src/batuta/events/b/c.py": _summary(300, 150)}}
    [events, whole] = reached(files)
    assert (events.package, events.lines, events.percent) == ("events", 400, 62.5)
    assert whole.package == "all"


def _summary(lines: int, run: int) -> dict[str, Any]:
    return {"summary": {"num_statements": lines, "covered_lines": run}}


@pytest.mark.parametrize(
    ("percents", "code"),
    [
        ({"kernel": 95, "server": 80}, 0),
        ({"kernel": 94, "server": 100}, 1),
        ({"cli": 84}, 1),
        ({"cli": 85}, 0),
        *(({name: 90, "server": 100}, 1) for name in CORE),
    ],
)
def test_a_floor_that_is_not_reached_fails(percents: dict[str, int], code: int, tmp_path: Path) -> None:
    path = tmp_path / "coverage.json"
    path.write_text(json.dumps(report(**percents)))
    assert main(path) == code
