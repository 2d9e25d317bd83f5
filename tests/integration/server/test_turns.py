"""Messages become turns: accepted once, run, stopped, told in order (P-10, P-11, S-5, S-6, O-2, O-6)."""

from tests.support.platform import Running


async def test_a_message_is_answered_and_its_events_are_in_order(site: Running) -> None:
    """O-6: the user's message first, `complete` last, dense numbers that grow."""
    ana = await site.person()
    session = await ana.session()
    events = await ana.ask(session, "hello")
    types = [event["type"] for event in events]
    assert types[0] == "user_message_confirmed"
    assert types[-1] == "complete"
    assert "message" in types
    numbers = [event["sequence_number"] for event in events]
    assert numbers == sorted(set(numbers))
