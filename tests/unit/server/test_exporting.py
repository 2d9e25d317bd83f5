"""A session as a file: what may not be read any more is not handed out by it either."""

from datetime import UTC, datetime

import pytest

from batuta.events.datasets import ChartDrawn, Column, DatasetStored, Provenance
from batuta.events.tools import ToolResponse
from batuta.server.sessions.exporting import as_markdown
from batuta.server.sessions.repository import Summary

NOW = datetime(2026, 9, 30, tzinfo=UTC)
SESSION = Summary(
    session_id="s", user_id="u", workspace_id="w", title="Sales", created_at=NOW, updated_at=NOW, is_archived=False,
    status="idle", preview=None, pending_approvals=0,
)  # fmt: skip
EVENTS = (
    DatasetStored(
        dataset_id="d1", name="sales", columns=(Column(name="value", type="decimal"),), row_count=1,
        provenance=Provenance(retrieved_at=NOW), tool_use_id="call_1",
    ),
    ToolResponse(tool_use_id="call_1", tool_name="compute_measure", content="sales: 4711", success=True),
    ToolResponse(tool_use_id="call_2", tool_name="clock", content="noon", success=True),
    ChartDrawn(
        chart_id="c1", dataset_id="d1", dataset_name="sales", spec={}, title="Sales by month", kind="bar",
        description="highest 4711",
    ),
)  # fmt: skip


@pytest.mark.parametrize(("withheld", "is_shown"), [(None, True), ("You may not read this company.", False)])
def test_markdown_holds_nothing_of_a_table_whose_right_was_withdrawn(withheld: str | None, is_shown: bool) -> None:
    text = as_markdown(SESSION, EVENTS, [{"dataset_id": "d1", "picture": None, "withheld": withheld}])

    assert ("4711" in text) == is_shown
    assert ("You may not read this company." in text) != is_shown
    assert "noon" in text
    assert "Sales by month" in text or is_shown
