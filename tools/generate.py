"""Write what follows from the catalogue, the API and the metrics: `python -m tools.generate` (`--check` compares)."""

import argparse
import sys
from pathlib import Path

from tools import (
    alerts,
    api_types,
    dashboard,
    erp_names,
    guide_pictures,
    metrics_reference,
    promises,
    reference,
    replays,
    schema,
    typescript,
)

ROOT = Path(__file__).parent.parent


def generated() -> dict[Path, str]:
    """Every generated file and what it must hold."""
    own = {
        "docs/reference/events.schema.json": schema.schema_text(),
        "docs/reference/events.md": reference.events_page(),
        "docs/reference/event-names.md": reference.names_page(),
        "docs/reference/metrics.md": metrics_reference.metrics_page(),
        "docs/operate/promises.md": promises.promises_page(),
        "deploy/prometheus/rules.yml": alerts.rules_text(),
        "deploy/grafana/dashboard.json": dashboard.dashboard_text(),
        "docs/assets/journey.svg": guide_pictures.picture("A message's journey", guide_pictures.JOURNEY),
        "docs/assets/append.svg": guide_pictures.picture("An append, step by step", guide_pictures.APPEND),
        "web/src/events/generated.ts": typescript.events_text(),
        "web/src/events/generated-view.ts": typescript.view_text(),
        "web/src/transport/generated-api.ts": api_types.api_text(),
        "web/src/lib/i18n/generated-erp.ts": erp_names.names_text(),
    }
    return {ROOT / path: text for path, text in own.items()} | replays.derived()


def stale() -> list[Path]:
    """The files that do not hold what they should."""
    return [path for path, text in generated().items() if not path.exists() or path.read_text("utf-8") != text]


def write() -> None:
    """Write all of them."""
    for path, text in generated().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Write, or with `--check` compare and answer 1 on a difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is out of date")
    if not parser.parse_args(arguments).check:
        write()
        return 0
    differing = stale()
    for path in differing:
        sys.stderr.write(f"{path.relative_to(ROOT)} is out of date; run: python -m tools.generate\n")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
