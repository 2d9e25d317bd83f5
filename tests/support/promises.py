"""Promises and their tests: which test keeps which promise, and what it measured when.

    def test_ft20_writers_wait_their_turn(record_property): …; record_property("figure", "0 of 2,000 lost")

A test carries the ids of its promises in its name; `tests/promises.toml` says what they are. A run with
`BATUTA_FIGURES=1` notes for each test that passed what it measured and the day, in `tests/figures.json`;
`python -m tools.generate` makes the page of it.
"""

import ast
import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROMISES = ROOT / "tests" / "promises.toml"
FIGURES = ROOT / "tests" / "figures.json"
PLACES = ("tests", "src/batuta/testing")
VARIABLE = "BATUTA_FIGURES"
WAITS, COMMANDS = "Waits", "Commands"
_ID = re.compile(r"(?:^test|_)_?(cr|ft|or|ld|bi|se|is)(\d\d)(?=_|$)")

Figures = dict[str, dict[str, str]]
"""By the name of a test: its figure and its day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromiseTest:
    """A test that keeps promises."""

    name: str
    path: str
    ids: tuple[str, ...]


def promises() -> dict[str, dict[str, str]]:
    """What is promised, by area and id; under `Waits` what some of it waits for, under `Commands` what measures it."""
    return tomllib.loads(PROMISES.read_text("utf-8"))


def ids_in(name: str) -> tuple[str, ...]:
    """The promises that a test names."""
    return tuple(f"{area.upper()}-{number}" for area, number in _ID.findall(name))


def promise_tests() -> Iterator[PromiseTest]:
    """Every test that names a promise, read without importing it."""
    for place in PLACES:
        for path in sorted((ROOT / place).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (ids := ids_in(node.name)):
                    yield PromiseTest(name=node.name, path=path.relative_to(ROOT).as_posix(), ids=ids)


def figures() -> Figures:
    """What was measured."""
    return json.loads(FIGURES.read_text("utf-8")) if FIGURES.exists() else {}


def note(measured: Mapping[str, str]) -> None:
    """Keep what tests measured today, if this run is one that measures; names of tests that are gone are dropped."""
    if not os.environ.get(VARIABLE):
        return
    today = datetime.now(UTC).date().isoformat()
    known = {test.name for test in promise_tests()} | set(promises()[COMMANDS].values())
    kept = figures() | {name: {"figure": figure, "date": today} for name, figure in measured.items()}
    ordered = {name: kept[name] for name in sorted(kept) if name in known}
    FIGURES.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", "utf-8")


class _Noting:
    """Listens to the reports of a run."""

    def __init__(self) -> None:
        self._cases: dict[str, list[str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            name = report.nodeid.rpartition("::")[2].partition("[")[0]
            if ids_in(name):
                told = [str(value) for key, value in report.user_properties if key == "figure"]
                self._cases.setdefault(name, []).append("; ".join(told))

    def pytest_sessionfinish(self) -> None:
        note({name: _figure(told) for name, told in self._cases.items()})


def _figure(told: list[str]) -> str:
    figure = "; ".join(dict.fromkeys(filter(None, told)))
    return figure or (f"{len(told)} cases" if len(told) > 1 else "holds")


def pytest_configure(config: pytest.Config) -> None:
    """Note figures in the process that hears of all tests."""
    if os.environ.get(VARIABLE) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Noting())
