"""Static checkers and the build agree on what composes: twenty cases and more of each kind (F-1)."""

from pathlib import Path

import pytest

from batuta import PipelineTypeError, Step
from tests.typing.checkers import checked
from tests.typing.compositions import RIGHT, WRONG

COMPOSITIONS = Path(__file__).with_name("compositions.py")


@pytest.mark.parametrize("case", RIGHT)
def test_what_fits_can_be_built(case: str) -> None:
    assert isinstance(RIGHT[case](), Step)


@pytest.mark.parametrize("case", [case for case in WRONG if case != "a function"])
def test_what_does_not_fit_is_refused_and_names_both_steps_and_types(case: str) -> None:
    with pytest.raises(PipelineTypeError, match=r"^\S+ >> \S+: '[\w ]+' gives .+, but '[\w ]+' takes .+$"):
        WRONG[case]()


def test_what_is_no_step_is_refused() -> None:
    with pytest.raises(PipelineTypeError, match="start >> <built-in function len>: only steps compose"):
        WRONG["a function"]()


def test_there_are_enough_cases() -> None:
    assert len(RIGHT) >= 20
    assert len(WRONG) >= 20


@pytest.mark.parametrize(("tool", "arguments"), [("mypy", ["--no-error-summary"]), ("basedpyright", [])])
def test_a_static_checker_accepts_the_right_ones_and_needs_every_ignore(tool: str, arguments: list[str]) -> None:
    """mypy reports an ignore that is not needed (`warn_unused_ignores`)."""
    outcome = checked(tool, *arguments, source=COMPOSITIONS)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr


@pytest.mark.parametrize(("tool", "mark"), [("mypy", "[operator]"), ("basedpyright", "(reportOperatorIssue)")])
def test_a_static_checker_refuses_every_wrong_one(tool: str, mark: str, tmp_path: Path) -> None:
    """The same file without its ignores: one error for each wrong case, and no other."""
    bare = tmp_path / "compositions_without_ignores.py"
    bare.write_text(
        COMPOSITIONS.read_text(encoding="utf-8").replace("  # type: ignore[operator]", ""), encoding="utf-8"
    )
    lines = bare.read_text(encoding="utf-8").splitlines()
    expected = [
        number
        for number, line in enumerate(lines, 1)
        if '": lambda:' in line and number > lines.index("WRONG: dict[str, Callable[[], Any]] = {")
    ]
    report = checked(tool, source=bare).stdout
    refused = {
        number
        for number in range(1, len(lines) + 1)
        for line in report.splitlines()
        if mark in line and f".py:{number}:" in line
    }
    assert sorted(refused) == expected, report
