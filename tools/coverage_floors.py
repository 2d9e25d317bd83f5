"""How much of each package the tests reach, and whether that is enough: run by `make coverage`.

    python -m tools.coverage_floors coverage.json

Lines, not branches. The packages that everything stands on have a higher floor than the rest.
"""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

FLOOR = 85.0
CORE_FLOOR = 95.0
CORE = ("kernel", "events", "eventstore", "pipelines")
ROOT = "src/batuta/"


class Reached(NamedTuple):
    """How much of one package was run."""

    package: str
    lines: int
    percent: float

    @property
    def floor(self) -> float:
        """How much it has to be; only the whole and the core are held to one."""
        return CORE_FLOOR if self.package in CORE else FLOOR if self.package == "all" else 0.0

    @property
    def is_enough(self) -> bool:
        """Whether the floor is reached."""
        return self.percent >= self.floor


def reached(report: dict[str, Any]) -> list[Reached]:
    """The packages of a JSON report of coverage, and all of them together."""
    lines: Counter[str] = Counter()
    run: Counter[str] = Counter()
    for path, facts in report["files"].items():
        package = path.partition(ROOT)[2].split("/")[0]
        for name in (package, "all"):
            lines[name] += facts["summary"]["num_statements"]
            run[name] += facts["summary"]["covered_lines"]
    names = sorted(name for name in lines if name != "all" and not name.endswith(".py"))
    return [Reached(name, lines[name], 100 * run[name] / lines[name]) for name in (*names, "all")]


def main(path: Path) -> int:
    """Print the table; 1 if a floor is not reached."""
    found = reached(json.loads(path.read_text()))
    for each in found:
        aim = f"at least {each.floor:g} %" if each.floor else ""
        sys.stdout.write(
            f"{each.package:<16}{each.lines:>7} lines {each.percent:6.1f} %  {aim}{'' if each.is_enough else '  NO'}\n"
        )
    return 0 if all(each.is_enough for each in found) else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
