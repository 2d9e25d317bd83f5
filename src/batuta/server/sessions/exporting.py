"""A session as a file: everything as JSON, or the conversation as Markdown. Pure."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from batuta.events.conversation import AssistantMessage, TitleChanged, UserMessage
from batuta.events.datasets import ChartDrawn, DatasetStored
from batuta.events.envelope import Event
from batuta.events.tools import ApprovalResolved, ToolRequest, ToolResponse
from batuta.events.wire import to_wire
from batuta.server.sessions.repository import Summary


def as_json(session: Summary, events: Sequence[Event], epoch: int, tables: Sequence[Mapping[str, Any]] = ()) -> str:
    """The session, every event a user may see, and the tables with their rows."""
    head: dict[str, Any] = {
        "session_id": session.session_id,
        "title": session.title,
        "created_at": session.created_at.isoformat(),
        "epoch": epoch,
    }
    wire = [to_wire(event, epoch=epoch, previous_sequence=None) for event in events]
    return json.dumps({"session": head, "events": wire, "datasets": list(tables)}, ensure_ascii=False, indent=1)


def as_markdown(session: Summary, events: Sequence[Event], tables: Sequence[Mapping[str, Any]] = ()) -> str:
    """What was said, which tools were used, and the pictures of charts, within the file.

    What a tool brought of a table that may not be read any more is left out, and why.
    """
    parts = [f"# {_one_line(_title(session, events))}", f"_{session.created_at:%Y-%m-%d %H:%M} UTC_"]
    pictures = {str(table["dataset_id"]): table.get("picture") for table in tables}
    withheld = {str(table["dataset_id"]): str(table["withheld"]) for table in tables if table.get("withheld")}
    withheld |= {
        event.tool_use_id: withheld[event.dataset_id]
        for event in events
        if isinstance(event, DatasetStored) and event.dataset_id in withheld
    }
    parts += [part for event in events if (part := _part(event, pictures, withheld))]
    return "\n\n".join(parts) + "\n"


def _part(event: Event, pictures: Mapping[str, str | None], withheld: Mapping[str, str]) -> str:
    """`withheld` says by the id of a dataset, or of the call that brought it, why it is left out."""
    match event:
        case ChartDrawn() if event.dataset_id in withheld:
            return f"_{_one_line(event.title)}: {_one_line(withheld[event.dataset_id])}_"
        case ToolResponse() if event.tool_use_id in withheld:
            return f"> Done: {_one_line(withheld[event.tool_use_id])}"
        case ChartDrawn():
            picture = pictures.get(event.dataset_id)
            drawn = f"![{_alternative(event.title)}](data:image/png;base64,{picture})\n\n" if picture else ""
            return f"{drawn}_{_one_line(event.description or event.title)}_"
        case UserMessage():
            return f"## You\n\n{event.content}"
        case AssistantMessage():
            return f"## {_one_line(event.source_agent_id or 'Assistant')}\n\n{event.content}"
        case ToolRequest():
            return f"> Tool `{_one_line(event.tool_name)}`: `{json.dumps(event.args, ensure_ascii=False)[:500]}`"
        case ApprovalResolved():
            return f"> {_DECISIONS[event.decision]} by {_one_line(event.by)}{_reason(event)}{_changed(event.args)}"
        case ToolResponse():
            outcome = "Done" if event.success else "Failed"
            return f"> {outcome}{_changed(event.executed_args)}: {_one_line(event.content)[:500]}"
        case _:
            return ""


_DECISIONS = {
    "approved": "Approved",
    "edited": "Approved with changes",
    "rejected": "Rejected",
    "expired": "Expired",
    "set_aside": "Set aside",
}


def _reason(event: ApprovalResolved) -> str:
    return f" ({_one_line(event.reason)[:500]})" if event.reason else ""


def _changed(args: dict[str, Any] | None) -> str:
    return "" if args is None else f" with `{json.dumps(args, ensure_ascii=False)[:500]}`"


def _title(session: Summary, events: Sequence[Event]) -> str:
    """The last name it was given; the log knows it before any read model does."""
    given = [event.title for event in events if isinstance(event, TitleChanged)]
    return (given[-1] if given else session.title) or "Conversation"


def _alternative(text: str) -> str:
    return _one_line(text).replace("[", "(").replace("]", ")")


def _one_line(text: str) -> str:
    return " ".join(text.split())
