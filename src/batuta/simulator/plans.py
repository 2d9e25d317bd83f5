"""What will go over the socket, decided beforehand: a plan is data, and a fault is a change of it."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from batuta.simulator.answers import Answer, Pace, RawAnswer
from batuta.simulator.wire.dialect import Dialect, Failure
from batuta.simulator.wire.sse import Event, dump
from batuta.simulator.wire.turn import Turn

JSON = "application/json"
EVENTS = "text/event-stream"


@dataclass(frozen=True)
class Send:
    """Bytes to write; ``ends_event`` tells whether they complete what they belong to."""

    data: bytes
    ends_event: bool = True


@dataclass(frozen=True)
class Wait:
    seconds: float


@dataclass(frozen=True)
class Cut:
    """Close the connection where it stands, without ending the response."""


@dataclass(frozen=True)
class Reset:
    """Reset the connection, so that the peer sees an error and not an end."""


Step: TypeAlias = Send | Wait | Cut | Reset


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A response. With a ``length`` it is one body of that size, without one it is chunked."""

    steps: tuple[Step, ...]
    status: int = 200
    content_type: str = JSON
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = None

    @property
    def is_stream(self) -> bool:
        return self.length is None


def body_plan(value: object, status: int = 200, headers: dict[str, str] | None = None) -> Plan:
    data = (value if isinstance(value, str) else dump(value)).encode()
    return Plan(steps=(Send(data),), status=status, headers=headers or {}, length=len(data))


def stream_plan(events: list[Event]) -> Plan:
    return Plan(steps=tuple(Send(event.encode()) for event in events), content_type=EVENTS)


def failure_plan(dialect: Dialect, failure: Failure, headers: dict[str, str] | None = None) -> Plan:
    return body_plan(dialect.error(failure), failure.status, headers)


def answer_plan(dialect: Dialect, answer: Answer, turn: Turn) -> Plan:
    raw = answer.raw_for(dialect.provider)
    if raw is not None:
        return _raw_plan(raw, turn.asked.streaming)
    if turn.asked.streaming:
        return stream_plan(dialect.events(answer, turn))
    return body_plan(dialect.whole(answer, turn))


def paced(plan: Plan, pace: Pace) -> Plan:
    """Spread a plan over time and over writes."""
    return replace(plan, steps=tuple(_spread(plan, pace)))


def _raw_plan(raw: RawAnswer, streaming: bool) -> Plan:
    if streaming and raw.events:
        plan = stream_plan([Event(item.data, item.event) for item in raw.events])
        return replace(plan, status=raw.status, headers=raw.headers)
    return body_plan(raw.body, raw.status, raw.headers)


def _spread(plan: Plan, pace: Pace) -> Iterator[Step]:
    if pace.first_byte_ms:
        yield Wait(pace.first_byte_ms / 1000)
    for index, step in enumerate(plan.steps):
        if pace.delay_ms and index and isinstance(step, Send):
            yield Wait(pace.delay_ms / 1000)
        yield from _written(step, pace.bytes_per_write)


def _written(step: Step, size: int | None) -> Iterator[Step]:
    if size is None or not isinstance(step, Send):
        yield step
        return
    for start in range(0, len(step.data), size):
        is_last = start + size >= len(step.data)
        yield Send(step.data[start : start + size], ends_event=is_last and step.ends_event)
