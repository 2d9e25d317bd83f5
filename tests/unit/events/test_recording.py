"""Attribution: an assistant-side event names its agent or is not recorded."""

import pytest

from batuta.events import ROUTES, Event
from batuta.events.envelope import EVENT_TYPES, UnknownEvent
from batuta.events.recording import ensure_attributed
from batuta.kernel.errors import UnattributedEventError, UnknownEventTypeError

ATTRIBUTED = [event_type for event_type, route in ROUTES.items() if route.role in ("assistant", "tool")]
OTHERS = [event_type for event_type in ROUTES if event_type not in ATTRIBUTED]


def made(event_type: str, agent_id: str | None) -> Event:
    return EVENT_TYPES[event_type].model_construct(type=event_type, source_agent_id=agent_id)


@pytest.mark.parametrize("event_type", ATTRIBUTED)
def test_an_assistant_side_event_without_an_agent_is_refused(event_type: str) -> None:
    """E-6: refused, not stored as null."""
    with pytest.raises(UnattributedEventError, match="source_agent_id"):
        ensure_attributed(made(event_type, None))


@pytest.mark.parametrize("event_type", ATTRIBUTED)
def test_an_empty_name_is_no_agent(event_type: str) -> None:
    with pytest.raises(UnattributedEventError):
        ensure_attributed(made(event_type, ""))


@pytest.mark.parametrize("event_type", ATTRIBUTED)
def test_an_attributed_event_passes(event_type: str) -> None:
    ensure_attributed(made(event_type, "erp"))


@pytest.mark.parametrize("event_type", OTHERS)
def test_people_and_the_system_need_no_agent(event_type: str) -> None:
    ensure_attributed(made(event_type, None))


@pytest.mark.parametrize(
    "event_type", ["thinking", "tool_request", "tool_response", "assistant_message", "agent_handoff"]
)
def test_what_agents_say_needs_attribution(event_type: str) -> None:
    """Platform 14.3: thinking, tools and answers carry the agent that produced them."""
    assert ROUTES[event_type].needs_attribution


def test_an_event_nobody_knows_is_not_recorded() -> None:
    with pytest.raises(UnknownEventTypeError, match="weather"):
        ensure_attributed(UnknownEvent(type="weather"))
