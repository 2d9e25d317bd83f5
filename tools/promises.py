"""The page of promises: what is promised, the tests that keep it, what they measured and when."""

from collections.abc import Sequence
from itertools import chain

from tests.support.promises import COMMANDS, WAITS, PromiseTest, figures, ids_in, promise_tests, promises

Tests = dict[str, list[PromiseTest]]

HEAD = """# What is promised, and what shows it

<!-- Made by `python -m tools.generate` from tests/promises.toml, the names of the tests and tests/figures.json. -->

Each promise has an id, and the tests that keep it carry the id in their names. The figure is what a test measured when
it last ran as a measurement (`BATUTA_FIGURES=1 make test`), with its day; where there is nothing to measure the promise
simply *holds*. `make chaos` runs the long forms of the tests with kills.
"""


def promises_page() -> str:
    """The page."""
    areas = promises()
    waits, commands = areas.pop(WAITS), areas.pop(COMMANDS)
    tests: Tests = {}
    for test in promise_tests():
        for promise in test.ids:
            tests.setdefault(promise, []).append(test)
    return HEAD + "".join(_section(area, listed, (waits, commands), tests) for area, listed in areas.items())


def unkept() -> list[str]:
    """What does not fit together: a promise without a test or a reason, a test of no promise."""
    areas = promises()
    waits, commands = areas.pop(WAITS), areas.pop(COMMANDS)
    known = set(chain.from_iterable(areas.values()))
    kept = {promise: test for test in promise_tests() for promise in test.ids}
    return [
        *(
            f"{promise} has neither a test nor a reason"
            for promise in sorted(known - kept.keys() - waits.keys() - commands.keys())
        ),
        *(f"{kept[promise].name} names {promise}, which is not promised" for promise in sorted(kept.keys() - known)),
    ]


def _section(area: str, listed: dict[str, str], others: tuple[dict[str, str], dict[str, str]], tests: Tests) -> str:
    rows = [f"\n## {area}\n\n| id | promise | test | figure | date |\n|---|---|---|---|---|\n"]
    for promise, words in listed.items():
        for number, (place, name) in enumerate(_shown_by(promise, others, tests.get(promise, ()))):
            measured = figures().get(name, {})
            cells = ("", "") if number else (promise, words)
            rows.append(f"| {' | '.join((*cells, place, measured.get('figure', ''), measured.get('date', '')))} |\n")
    return "".join(rows)


def _shown_by(
    promise: str, others: tuple[dict[str, str], dict[str, str]], tests: Sequence[PromiseTest]
) -> list[tuple[str, str]]:
    """What shows a promise, in words, and the name that its figure is noted under."""
    waits, commands = others
    if tests:
        return [(f"`{test.path.removeprefix('tests/')}` {_sentence(test.name)}", test.name) for test in tests]
    if promise in commands:
        return [(f"`{commands[promise]}`", commands[promise])]
    return [(f"waits: {waits.get(promise, 'there is no test yet')}", "")]


def _sentence(name: str) -> str:
    """A test's name as words, without the ids before them."""
    words = name.removeprefix("test_").split("_")
    while ids_in(f"test_{words[0]}"):
        words.pop(0)
    return " ".join(words)
