"""What the core weighs: to import, beside `import pydantic`, and to install, alone in a fresh environment.

    python -m bench.weight            the table
    python -m bench.weight --json     one JSON object per line

An import is the CPU time of a whole fresh interpreter that does nothing else, best of several.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

from bench.measuring import Row

ROOT = Path(__file__).parents[1]
FLOOR = "import pydantic"
IMPORTS = {
    "import batuta": 1.5,
    "from batuta import Pipeline": 3.0,
    "from batuta import AgentStep": 3.0,
}
"""Each statement, and how many times the floor it may cost."""
MAX_PACKAGES, MAX_MEGABYTES = 10, 20
MEGABYTE = 1e6


def import_cost(statement: str, *, repeats: int = 15) -> float:
    """CPU seconds of a fresh interpreter that runs a statement, at best."""
    return min(_cpu_of([sys.executable, "-c", statement]) for _ in range(repeats))


@dataclass(frozen=True)
class Weight:
    """What an install brings."""

    names: tuple[str, ...]
    megabytes: float

    @property
    def packages(self) -> int:
        return len(self.names)


def core_install() -> Weight:
    """What a core install brings, from what the installed distributions say of themselves."""
    names, sizes = {"batuta"}, _size_of_source()
    waiting = _needs(_core_requirements())
    while waiting:
        name = waiting.pop()
        if name not in names:
            names.add(name)
            sizes += _size_of(name)
            waiting |= _needs(metadata.requires(name) or [])
    return Weight(tuple(sorted(names)), sizes / MEGABYTE)


def fresh_install() -> Weight:
    """The same, really installed without extras into a new environment."""
    uv = Path(sys.executable).with_name("uv")
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder) / "bin" / "python"
        subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, folder], check=True)
        subprocess.run([uv, "pip", "install", "--quiet", "--python", python, ROOT], check=True)
        listed = subprocess.run(
            [uv, "pip", "list", "--quiet", "--python", python, "--format", "freeze"],
            check=True,
            capture_output=True,
            text=True,
        )
        site = next((Path(folder) / "lib").glob("python*/site-packages"))
        size = sum(
            file.stat().st_size for file in site.rglob("*") if file.is_file() and "__pycache__" not in file.parts
        )
        return Weight(
            tuple(line.partition("==")[0].partition(" ")[0] for line in listed.stdout.split("\n") if line),
            size / MEGABYTE,
        )


def rows() -> Iterator[Row]:
    floor = import_cost(FLOOR)
    yield Row(
        what="import", subject=FLOOR, value=floor * 1000, unit="ms", ratio=1.0, version=metadata.version("pydantic")
    )
    for statement, limit in IMPORTS.items():
        try:
            cost = import_cost(statement)
        except subprocess.CalledProcessError:
            continue  # a name that is not there yet
        yield Row(
            what="import", subject=statement, value=cost * 1000, unit="ms", floor=floor * 1000, ratio=cost / floor,
            aim=f"≤ {limit:g} × floor", met=cost <= limit * floor,
        )  # fmt: skip
    weight = fresh_install()
    yield Row(
        what="core install", subject="batuta", value=weight.packages, unit="packages",
        aim=f"≤ {MAX_PACKAGES}", met=weight.packages <= MAX_PACKAGES,
    )  # fmt: skip
    yield Row(
        what="core install", subject="batuta", value=weight.megabytes, unit="MB",
        aim=f"≤ {MAX_MEGABYTES}", met=weight.megabytes <= MAX_MEGABYTES,
    )  # fmt: skip


def _cpu_of(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # An installed package is compiled: the first of the repetitions does so here, whatever the shell says.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = {**kept, "PYTHONPATH": str(ROOT / "src")}
    subprocess.run(command, env=environment, cwd=ROOT, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _core_requirements() -> list[str]:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return list(project["dependencies"])


def _needs(requirements: list[str]) -> set[str]:
    """The names of what is needed here without any extra."""
    parsed = (Requirement(text) for text in requirements)
    return {one.name.lower() for one in parsed if one.marker is None or one.marker.evaluate({"extra": ""})}


def _size_of(name: str) -> int:
    return sum(
        Path(str(file.locate())).stat().st_size
        for file in metadata.files(name) or []
        if "__pycache__" not in file.parts and Path(str(file.locate())).is_file()
    )


def _size_of_source() -> int:
    return sum(
        file.stat().st_size for file in (ROOT / "src").rglob("*") if file.is_file() and "__pycache__" not in file.parts
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    lines = (row.as_json() for row in rows())
    if parser.parse_args().json:
        for line in lines:
            print(line, flush=True)
        return
    from bench.tables import table

    print(table(list(lines)))


if __name__ == "__main__":
    main()
