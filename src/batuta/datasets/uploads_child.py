"""The process that reads an uploaded table: bounded by the kernel, and then gone.

python -I uploads_child.py < request.json > tables.json
"""

import json
import resource
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

from batuta.datasets.dataset import Dataset, DatasetError
from batuta.datasets.files import dataset_from_csv, datasets_from_document, datasets_from_xlsx
from batuta.datasets.upload_problems import UploadRefusedError
from batuta.datasets.uploads import DOCUMENT_SUFFIXES
from batuta.events.datasets import as_cell

CPU_SECONDS = 25


def main() -> None:
    """Read a request, answer with the tables, end."""
    request = json.load(sys.stdin)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_AS, (request["max_bytes"] + 1024**3,) * 2)
    try:
        answer: dict[str, Any] = {"tables": read(Path(request["path"]), request["name"], request["now"])}
    except UploadRefusedError as error:
        answer = {"problem": error.problem, "facts": error.facts}
    except DatasetError as error:
        answer = {"error": str(error)}
    except (MemoryError, RecursionError):
        answer = {"problem": "too_long", "facts": {"name": request["name"]}}
    json.dump(answer, sys.stdout)


def read(path: Path, name: str, now: str) -> list[dict[str, Any]]:
    """The tables of a file as JSON holds them."""
    content, moment = path.read_bytes(), datetime.fromisoformat(now)
    if name.lower().endswith(".xlsx"):
        return [described(table, sheet) for sheet, table in datasets_from_xlsx(content, name=name, now=moment)]
    if name.lower().endswith(DOCUMENT_SUFFIXES):
        return [described(table, title) for title, table in datasets_from_document(content, name=name, now=moment)]
    return [described(dataset_from_csv(content, name=name, now=moment), "")]


def described(table: Dataset, sheet: str) -> dict[str, Any]:
    """One table."""
    return {
        "name": table.name,
        "title": table.title,
        "sheet": sheet,
        "columns": [column.model_dump() for column in table.columns],
        "rows": [[as_cell(value) for value in row] for row in table.rows],
    }


if __name__ == "__main__":
    main()
