"""Records as they are kept: sent on without being read, as if they had been; read only where they are wanted."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from batuta.events import AssistantMessage, Event, StepStarted, TitleChanged, ToolRequest, UserMessage
from batuta.events import wire as stored_records
from batuta.events.admission import admit, revive
from batuta.events.catalogue import UPCASTS
from batuta.events.envelope import EVENT_TYPES
from batuta.events.log import Head, Stored, StoredPage
from batuta.events.routing import ROUTES, Persistence
from batuta.events.wire import events_in, opened, to_wire, wire_of
from batuta.kernel.errors import UndecodableEventError
from batuta.kernel.ids import SessionId, new_id
from tests.unit.events.strategies import events

SESSION, TURN = SessionId(new_id()), new_id()
KEPT = [route.type for route in ROUTES.values() if route.persistence is not Persistence.TRANSIENT]


def kept(event: Event, seq: int = 1) -> Stored:
    (entry,) = admit(SESSION, [event.model_copy(update={"session_id": None})]).entries
    return Stored(1, seq, entry.event_id, entry.payload)


def page_of(*records: Stored) -> StoredPage:
    return StoredPage(session_id=SESSION, records=records, head=Head(last_seq=len(records)))


def read_first(record: Stored) -> object:
    """What is sent of a record that is read as an event before."""
    event = revive(SESSION, record.seq, record.event_id, str(record.payload))
    return to_wire(event, epoch=3, previous_sequence=7) if event.is_visible else None


def sent(record: Stored) -> object:
    wire = wire_of(SESSION, record, epoch=3, previous_sequence=7)
    return None if wire is None else json.loads(wire)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(st.sampled_from(KEPT).flatmap(lambda name: events(EVENT_TYPES[name])), st.integers(1, 99))
def test_a_record_is_sent_as_if_it_had_been_read(event: Event, seq: int) -> None:
    """Whatever the type, whoever may see it."""
    agent = event.source_agent_id or "a"
    record = kept(event.model_copy(update={"persistence": event.route.persistence, "source_agent_id": agent}), seq)
    assert sent(record) == read_first(record)


def test_an_old_record_is_lifted_before_it_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that has all the fields of today, with another meaning."""
    monkeypatch.setitem(UPCASTS, ("title_changed", 0), lambda fields: {**fields, "title": fields["title"].title()})
    record = kept(TitleChanged(title="old words", is_automatic=False))
    fields = {**json.loads(str(record.payload)), "version": 0}
    wire = wire_of(SESSION, record._replace(payload=json.dumps(fields)), epoch=1, previous_sequence=0)
    assert json.loads(wire or b"")["title"] == "Old Words"


def test_a_field_that_came_later_is_sent_with_its_default() -> None:
    """A model may gain a field within a version: who opens an old session is given it like anybody else."""
    record = kept(ToolRequest(tool_use_id="t", tool_name="look_up", source_agent_id="a"))
    fields = json.loads(str(record.payload))
    del fields["args"]
    older = record._replace(payload=json.dumps(fields))
    assert sent(older) == sent(record)


def test_most_records_are_sent_without_being_read(monkeypatch: pytest.MonkeyPatch) -> None:
    record = kept(AssistantMessage(content="hello", source_agent_id="a"))
    monkeypatch.setattr(stored_records, "revive", None)
    assert wire_of(SESSION, record, epoch=1, previous_sequence=0) is not None


@pytest.mark.parametrize(
    "event",
    [
        AssistantMessage(content="back to supervisor", is_internal=True, source_agent_id="a"),
        ToolRequest(tool_use_id="t", tool_name="transfer_to_erp", source_agent_id="a"),
        StepStarted(step_name="s", step_type="t", path="s"),
    ],
    ids=["marked", "routing tool", "by its type"],
)
def test_what_users_may_not_see_is_not_sent(event: Event) -> None:
    assert sent(kept(event)) is None


@pytest.mark.parametrize("payload", ["", "[]", "{}", '{"type":"user_mess', "\x80"])
def test_what_cannot_be_read_is_neither_sent_nor_passed_over(payload: str) -> None:
    record = Stored(1, 1, new_id(), payload)
    with pytest.raises(UndecodableEventError, match="position 1"):
        wire_of(SESSION, record, epoch=1, previous_sequence=0)
    with pytest.raises(UndecodableEventError, match="position 1"):
        events_in(page_of(record), types=(), turn_id=TURN)


def test_a_foreign_event_is_not_sent() -> None:
    record = kept(UserMessage(content="planted"))._replace(event_id=new_id())
    with pytest.raises(UndecodableEventError, match="stored as event"):
        wire_of(SESSION, record, epoch=1, previous_sequence=0)


def test_an_erased_record_is_left_out() -> None:
    record = kept(UserMessage(content="mine"))._replace(payload=None)
    assert sent(record) is None
    assert events_in(page_of(record), types={"user_message"}, turn_id=TURN) == []
    assert opened(page_of(record)).records[0].event is None


def test_events_of_a_turn_and_of_some_types_are_found_and_nothing_else_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = {"step_name": "s", "step_type": "t", "path": "s"}
    told = [
        UserMessage(content="earlier", turn_id=new_id()),
        StepStarted(**steps, turn_id=new_id()),
        UserMessage(content="now", turn_id=TURN),
        StepStarted(**steps, turn_id=TURN),
        StepStarted(**{**steps, "path": TURN}, turn_id=new_id()),
    ]
    read: list[int] = []

    def counting(owner: str, seq: int, event_id: str, payload: str) -> Event:
        read.append(seq)
        return revive(owner, seq, event_id, payload)

    monkeypatch.setattr(stored_records, "revive", counting)
    page = page_of(*(kept(event, seq) for seq, event in enumerate(told, 1)))
    found = events_in(page, types={"user_message"}, turn_id=TURN.lower())
    assert [event.sequence_number for event in found] == [1, 3, 4]
    assert read == [1, 3, 4, 5]
