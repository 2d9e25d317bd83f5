"""Tables in files that people upload: CSV, TSV and XLSX become datasets, and so do those in documents.

    tables = await tables_of(path, "Ventas 2026.xlsx", now=now)         # one for each sheet that holds one

What comes in is untrusted: it is read by a process that can be ended, with bounds on time, memory and size.
"""

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from batuta.datasets.dataset import Column, Dataset, DatasetError, Provenance
from batuta.datasets.processes import ProcessLimit, run_child
from batuta.datasets.upload_problems import UploadRefusedError
from batuta.kernel.errors import DeadlineExceededError, ToolFailedError

TABLE_SUFFIXES = (".csv", ".tsv", ".xlsx")
DOCUMENT_SUFFIXES = (".docx", ".html", ".htm", ".md", ".markdown")
"""Of documents, which hold tables among other things."""
CHILD = Path(__file__).with_name("uploads_child.py")
LIMIT = ProcessLimit(seconds=30, max_bytes=1024**3)


def holds_tables(name: str) -> bool:
    """Whether a file may hold tables, by its name."""
    return name.lower().endswith((*TABLE_SUFFIXES, *DOCUMENT_SUFFIXES))


def is_table_file(name: str) -> bool:
    """Whether a file is nothing but tables, by its name."""
    return name.lower().endswith(TABLE_SUFFIXES)


async def tables_of(path: Path, name: str, *, now: datetime, source: str = "") -> Sequence[Dataset]:
    """The tables of a file, the first sheet first. Raises `DatasetError` that says why there is none."""
    request = {"path": str(path), "name": name, "now": now.isoformat(), "max_bytes": LIMIT.max_bytes}
    try:
        answer: dict[str, Any] = json.loads(await run_child(CHILD, request, LIMIT))
    except (ToolFailedError, DeadlineExceededError) as error:
        raise UploadRefusedError("too_long", name=name) from error
    if "problem" in answer:
        raise UploadRefusedError(answer["problem"], **answer["facts"])
    if "error" in answer:
        raise DatasetError(answer["error"])
    return [_table(found, name, now, source) for found in answer["tables"]]


def _table(found: dict[str, Any], file: str, now: datetime, source: str) -> Dataset:
    place = f"{file} › {found['sheet']}" if found["sheet"] else file
    return Dataset(
        name=found["name"],
        title=found["title"],
        columns=[Column.model_validate(column) for column in found["columns"]],
        rows=found["rows"],
        provenance=Provenance(
            connector="upload", query=f"{source} {place}".strip(), retrieved_at=now, record_count=len(found["rows"])
        ),
    )
