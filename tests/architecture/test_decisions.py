"""Every decision record has the same four parts, says what else was considered, and is in the index."""

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "decisions"
RECORDS = sorted(FOLDER.glob("0*.md"))
PARTS = (
    ("the question", r"Question"),
    ("what was looked at", r"What was looked at|Looked at|Considered"),
    ("the decision", r"Decision|Choice"),
    ("what follows", r"What follows|Consequences"),
)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.stem)
def test_a_record_has_its_four_parts_in_order(record: Path) -> None:
    text = record.read_text(encoding="utf-8")
    places = []
    for part, names in PARTS:
        found = re.search(rf"^(?:## (?:{names})$|\*\*(?:{names})\.\*\*)", text, re.MULTILINE)
        assert found is not None, f"{record.name} lacks {part}: see docs/decisions/index.md"
        places.append(found.start())
    assert places == sorted(places)


def test_every_record_is_in_the_index() -> None:
    linked = set(re.findall(r"\((0\d{3}-[\w-]+\.md)\)", (FOLDER / "index.md").read_text(encoding="utf-8")))
    assert {record.name for record in RECORDS} == linked
