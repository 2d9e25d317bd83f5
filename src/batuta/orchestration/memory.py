"""What a session's log says about its past: the conversation so far, and what was decided."""

from collections.abc import Iterable

from batuta.conversations.conversation import Conversation
from batuta.events.conversation import AssistantMessage, Complete, UserMessage
from batuta.events.envelope import Event
from batuta.events.tools import ApprovalRequested, ApprovalResolved
from batuta.kernel.messages import Message
from batuta.orchestration.remembering import RememberedCall

MEMORABLE = frozenset(
    model.route.type for model in (UserMessage, AssistantMessage, Complete, ApprovalRequested, ApprovalResolved)
)
"""What these functions look at of the turns before."""


def conversation_before(events: Iterable[Event], turn_id: str) -> Conversation:
    """What was said in the turns before one: each request, and the last word it was given.

    Work between agents stays out: its result is in the last word. So the history is valid for every provider. A turn
    that failed leaves nothing, as in a conversation that is kept in memory; what came of one that was stopped stays.
    """
    answered: set[str] = set()
    said: dict[str, list[Message]] = {}
    for event in events:
        if event.turn_id is None or event.turn_id == turn_id or event.is_internal:
            continue
        turn = said.setdefault(event.turn_id, [])
        if isinstance(event, UserMessage):
            turn[:0] = [Message.user(event.content)]
        elif isinstance(event, AssistantMessage) and event.content:
            turn[1:] = [Message.assistant(event.content, event.source_agent_id)]
        elif isinstance(event, Complete) and event.status in ("success", "cancelled"):
            answered.add(event.turn_id)
    return Conversation(
        message for turn_id, turn in said.items() if turn_id in answered and len(turn) == 2 for message in turn
    )


def decisions_in(events: Iterable[Event]) -> dict[str, ApprovalResolved]:
    """Decisions by approval; the first one counts."""
    decided: dict[str, ApprovalResolved] = {}
    for event in events:
        if isinstance(event, ApprovalResolved):
            decided.setdefault(event.approval_id, event)
    return decided


def remembered_calls(events: Iterable[Event]) -> tuple[RememberedCall, ...]:
    """Calls that a user allowed for the rest of the session, as they ran. A call that was refused allows nothing,
    whatever is written beside the refusal.
    """
    asked: dict[str, ApprovalRequested] = {}
    allowed: list[RememberedCall] = []
    for event in events:
        if isinstance(event, ApprovalRequested):
            asked[event.approval_id] = event
        elif isinstance(event, ApprovalResolved) and event.approval_id in asked and _allows_the_session(event):
            request = asked[event.approval_id]
            args = event.args if event.decision == "edited" and event.args is not None else request.args
            allowed.append(RememberedCall(tool_name=request.tool_name, args=args, by=event.by))
    return tuple(allowed)


def _allows_the_session(resolved: ApprovalResolved) -> bool:
    return resolved.remember == "session" and resolved.decision in ("approved", "edited")
