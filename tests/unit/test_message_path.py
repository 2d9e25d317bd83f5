"""The count of what a chat message passes is a real one."""

from pathlib import Path

from tools.message_path import passed_by_a_message


async def test_a_message_passes_the_doors_that_the_guide_names(tmp_path: Path) -> None:
    """And no more files and functions than it is allowed: the bounds are lowered as the path gets shorter."""
    passed = await passed_by_a_message(tmp_path)
    assert "admit" in passed["server/http/guard.py"]
    assert "Turns.accept" in passed["server/turns/service.py"]
    assert "SessionFeed.follow" in passed["server/live/feed.py"]
    assert len(passed) <= 169
    assert sum(map(len, passed.values())) <= 895
