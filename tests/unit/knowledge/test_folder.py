"""A folder as knowledge: what reads its files ends with the reading (P-1)."""

import os
from pathlib import Path

from batuta.knowledge.folder import KnowledgeFolder
from batuta.knowledge.sqlite_index import SqlitePassageIndex

MAIL = "Subject: Offer\n\nWe offer 420 panels.\n"


def children() -> set[str]:
    return set(Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text("ascii").split())


async def test_no_process_waits_after_a_folder_was_read(tmp_path: Path) -> None:
    """An agent with a folder is never closed: a process of its own would outlive the loop that started it."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "offer.eml").write_text(MAIL)
    index = SqlitePassageIndex(tmp_path / "index.db")
    before = children()
    folder = KnowledgeFolder(tmp_path / "docs", index, "owner")
    assert await folder.sync() == 1
    assert not folder.failures
    assert children() == before
    await index.close()
