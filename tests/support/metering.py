"""What a provider served and what the log counts of it, for the verifier (I11)."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from batuta.events.envelope import Event
from batuta.events.runtime import LlmRequest, LlmResponse
from tests.support.history import MeteredCall, ServedCall


def metered_in(events: Iterable[Event]) -> Iterator[MeteredCall]:
    """The model calls of a session as its log counts them."""
    asked: list[LlmRequest] = []
    ends = Counter[str]()
    for event in events:
        if isinstance(event, LlmRequest):
            asked.append(event)
        elif isinstance(event, LlmResponse):
            ends[event.call_id] += 1
            yield MeteredCall(
                turn=str(event.correlation_id),
                response_id=event.response_id,
                tokens=event.usage.total if event.usage is not None else 0,
                lost_tokens=event.lost_tokens,
            )
    for request in asked:
        if ends[request.call_id] != 1:
            yield MeteredCall(turn=str(request.correlation_id), response_id=None, is_ended=False)


def served_in(bill: Path) -> Iterator[ServedCall]:
    """The calls that a provider wrote down, a line each: turn, answer, tokens."""
    for line in bill.read_text().splitlines():
        turn, response_id, tokens = line.split()
        yield ServedCall(turn=turn, response_id=response_id, tokens=int(tokens))
