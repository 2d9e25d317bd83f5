"""All benchmarks: `make bench`. Prints one table per part and keeps it under `bench/results/`.

    python -m bench.run                 every part
    python -m bench.run pipelines       some of them

A part is a module of this folder. Most print one JSON object per row when run with `--json`; the others print a table
of their own, which is kept as it is, and say in a last line (`bench.tables.verdict`) how many of their aims they
missed. One that says nothing of the kind was not judged. The command fails if an aim was missed.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from bench.tables import missed_in, table

FOLDER = Path(__file__).parent
RESULTS = FOLDER / "results"
ROWS = ("events", "pipelines", "weight", "first_paint", "eventlog", "delivery", "sandbox", "erp", "datasets")
"""Parts that print one JSON object per line."""
TELLERS = (
    "agents",
    "turns",
    "provider_path",
    "observability",
    "load",
    "streaming",
    "files",
    "retrieval_speed",
    "language",
)
"""Parts that print a table of their own."""
LIMIT_SECONDS = 1800


def parts() -> list[str]:
    return [*ROWS, *TELLERS]


def machine() -> dict[str, str]:
    """Where and with what it was measured."""
    cpu = next((line.partition(":")[2].strip() for line in _cpuinfo() if line.startswith("model name")), "unknown")
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "cpu": f"{os.cpu_count()} × {cpu}",
        "load": " ".join(f"{load:.1f}" for load in os.getloadavg()),
        "batuta": metadata.version("batuta-ai"),
        "pydantic": metadata.version("pydantic"),
    }


def measured(part: str) -> list[str]:
    """The rows of a part, as JSON, shown as they come."""
    command = [sys.executable, "-m", f"bench.{part}", *(["--json"] if part in ROWS else [])]
    environment = {**os.environ, "PYTHONPATH": f"{FOLDER.parent}{os.pathsep}{FOLDER.parent / 'src'}"}
    outcome = subprocess.run(
        command,
        cwd=FOLDER.parent,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        timeout=LIMIT_SECONDS,
        check=True,
    )
    lines = outcome.stdout.splitlines()
    return [line for line in lines if line.startswith("{")] if part in ROWS else lines


def keep(part: str, lines: list[str], when: datetime) -> Path:
    """Write the figures with date, versions and machine; returns the Markdown file."""
    RESULTS.mkdir(exist_ok=True)
    where = machine()
    name = f"{when:%Y-%m-%d}-{part}"
    whole: dict[str, Any] = {"part": part, "when": when.isoformat(timespec="seconds"), "machine": where}
    whole["rows"] = [json.loads(line) for line in lines]
    (RESULTS / f"{name}.json").write_text(json.dumps(whole, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    facts = "".join(f"- {key}: {value}\n" for key, value in where.items())
    text = f"# {part}, {when:%Y-%m-%d %H:%M} UTC\n\n{facts}\n{table(lines, is_markdown=True)}"
    path = RESULTS / f"{name}.md"
    path.write_text(text, encoding="utf-8")
    return path


def keep_text(part: str, lines: list[str], when: datetime) -> Path:
    """Write what a part printed, with date, versions and machine."""
    RESULTS.mkdir(exist_ok=True)
    facts = "".join(f"- {key}: {value}\n" for key, value in machine().items())
    path = RESULTS / f"{when:%Y-%m-%d}-{part}.md"
    path.write_text(
        f"# {part}, {when:%Y-%m-%d %H:%M} UTC\n\n{facts}\n```\n" + "\n".join(lines) + "\n```\n", encoding="utf-8"
    )
    return path


def judged(part: str, lines: list[str]) -> int | None:
    """How many aims a part missed; nothing if it states none that a machine could judge."""
    if part in TELLERS:
        return missed_in(lines)
    verdicts = [met for line in lines if (met := json.loads(line).get("met")) is not None]
    return sum(not met for met in verdicts) if verdicts else None


def summary(missed: dict[str, int | None]) -> str:
    """What may be said of all parts together: of those that were not judged, only that."""
    unjudged = [part for part, count in missed.items() if count is None]
    failed = {part: count for part, count in missed.items() if count}
    said = [f"aims missed: {', '.join(f'{part} {count}' for part, count in failed.items())}"] if failed else []
    if not failed and len(unjudged) < len(missed):
        said.append("every aim that was judged is met")
    return "; ".join([*said, *([f"not judged: {', '.join(unjudged)}"] if unjudged else [])])


def _cpuinfo() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"any of {', '.join(parts())}; all if none is named")
    chosen = parser.parse_args().parts or parts()
    if unknown := sorted(set(chosen) - set(parts())):
        parser.error(f"no such part: {', '.join(unknown)}")
    when = datetime.now(UTC)
    missed: dict[str, int | None] = {}
    for part in chosen:
        lines = measured(part)
        missed[part] = judged(part, lines)
        if part in TELLERS:
            print(f"\n{part}\n\n" + "\n".join(lines) + f"\n\n-> {keep_text(part, lines, when).name}", flush=True)
            continue
        print(f"\n{part}\n\n{table(lines)}\n\n-> {keep(part, lines, when).relative_to(FOLDER.parent)}", flush=True)
    print(f"\n{summary(missed)}")
    return 1 if any(missed.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
