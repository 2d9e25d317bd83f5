"""The gate of the log: what every backend refuses, and the way back from what is stored."""

import pytest

from batuta.events.admission import Limits, admit, content_digest, revive
from batuta.events.envelope import Event
from batuta.kernel.errors import EventRefusedError, EventTooLargeError, UndecodableEventError
from batuta.kernel.ids import new_id
from batuta.testing.eventlog import noted, said


def test_what_passes_the_gate_comes_back_equal() -> None:
    session, event = new_id(), said("hello")
    (entry,) = admit(session, [event]).entries
    revived = revive(session, 7, entry.event_id, entry.payload)
    assert revived == event.model_copy(update={"session_id": session, "sequence_number": 7})


def test_a_position_given_from_outside_is_taken_away() -> None:
    """Only the log gives positions."""
    batch = admit(new_id(), [said("x", sequence_number=99)])
    assert batch.events[0].sequence_number is None


def test_two_deliveries_of_one_message_have_one_digest() -> None:
    """S-6: other ids, other times, another turn."""
    first, second = said("hello"), said("hello", turn_id=new_id(), correlation_id="c")
    assert content_digest([first]) == content_digest([second])
    assert content_digest([first]) != content_digest([said("hello!")])
    assert content_digest([first]) != content_digest([first, first])


def test_a_batch_has_a_size() -> None:
    with pytest.raises(EventTooLargeError, match="2 at once"):
        admit(new_id(), [said(str(number)) for number in range(3)], limits=Limits(batch_events=2))


def test_an_id_that_is_no_uuid_is_refused() -> None:
    event = said("x").model_copy(update={"event_id": "1"})
    with pytest.raises(EventRefusedError, match="UUID"):
        admit(new_id(), [event])


@pytest.mark.parametrize("payload", ["", "[]", "3", '{"type": 4}', '{"type": "user_message"}', "\x80"])
def test_what_cannot_be_read_names_its_place(payload: str) -> None:
    session = new_id()
    with pytest.raises(UndecodableEventError, match=f"{session} position 5"):
        revive(session, 5, new_id(), payload)


def test_is01_an_event_of_another_session_is_not_read_as_ours() -> None:
    """IS-01: a row moved from one session to another is not shown."""
    theirs, ours, event = new_id(), new_id(), noted("secret")
    (entry,) = admit(theirs, [event]).entries
    with pytest.raises(UndecodableEventError, match="its content says"):
        revive(ours, 1, entry.event_id, entry.payload)


def test_a_base_event_without_a_row_is_refused() -> None:
    with pytest.raises(EventRefusedError, match="no event type"):
        admit(new_id(), [Event(type="made.up")])
