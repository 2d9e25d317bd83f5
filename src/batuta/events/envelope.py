"""The envelope that every event shares. A subclass is an event type: it finds its row in the routing table."""

from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field

from batuta.events.routing import ROUTES, Audience, Persistence, Route, is_internal
from batuta.kernel.id_fields import LOWER_HEX_32, UPPER_UUID, AnyId
from batuta.kernel.ids import EventId, MessageId, SessionId, TraceId, TurnId, new_id

SUMMARY_LIMIT = 200
"""The longest summary of a value that an event holds, in characters."""

_new = object.__new__
# The slots of a pydantic model, filled directly: its own way in validates, and every step tells two events.
_set_dict, _set_fields_set, _set_extra, _set_private = (
    vars(BaseModel)[slot].__set__
    for slot in ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
)


def _now() -> datetime:
    return datetime.now(UTC)


def _in_utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo is UTC else moment.astimezone(UTC)


UtcDatetime = Annotated[AwareDatetime, AfterValidator(_in_utc)]
"""A moment given with any offset, kept in UTC."""


class Event(BaseModel):
    """Something that happened. Frozen; ids in upper case; times in UTC."""

    model_config = ConfigDict(frozen=True, defer_build=True, ser_json_inf_nan="strings")

    type: str
    event_id: Annotated[EventId, UPPER_UUID] = Field(default_factory=lambda: EventId(new_id()))
    version: int = 1
    timestamp: UtcDatetime = Field(default_factory=_now)
    session_id: Annotated[SessionId, UPPER_UUID] | None = None
    turn_id: Annotated[TurnId, UPPER_UUID] | None = None
    message_id: Annotated[MessageId, UPPER_UUID] | None = None
    sequence_number: int | None = None
    """Position in the session, given by the log."""
    original_index: int = 0
    """Position in the turn, given by whoever tells it."""
    source_agent_id: AnyId | None = None
    is_internal: bool = False
    persistence: Persistence = Persistence.ASYNC_ALLOWED
    correlation_id: AnyId | None = None
    trace_id: Annotated[TraceId, LOWER_HEX_32] | None = None
    caused_by: Annotated[EventId, UPPER_UUID] | None = None

    route: ClassVar[Route]
    _field_names: ClassVar[set[str]]

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Take version, persistence and visibility from the table, and enter the catalogue."""
        super().__pydantic_init_subclass__(**kwargs)
        event_type = cls.model_fields["type"].default
        if not isinstance(event_type, str):
            return  # a base of several events
        if event_type not in ROUTES:
            raise TypeError(f"{cls.__name__}: the routing table has no row for {event_type!r}; add one first")
        cls.route = ROUTES[event_type]
        cls._field_names = set(cls.model_fields)
        cls.model_fields["version"].default = cls.route.version
        cls.model_fields["persistence"].default = cls.route.persistence
        cls.model_fields["is_internal"].default = cls.route.audience is Audience.INTERNAL
        EVENT_TYPES[event_type] = cls

    @property
    def is_transient(self) -> bool:
        """Whether it is only for those who watch now, and not stored."""
        return self.persistence is Persistence.TRANSIENT

    @property
    def is_sync_required(self) -> bool:
        """Whether a run waits until it is stored and its read-model rows are committed."""
        return self.persistence is Persistence.SYNC_REQUIRED

    @property
    def is_visible(self) -> bool:
        """Whether a user may see it; asks the one function that decides."""
        # Not by `getattr`: a model looks long for what it does not have, and this is asked for every event.
        tool_name = self.__dict__.get("tool_name") or (self.__pydantic_extra__ or {}).get("tool_name")
        return not is_internal(self.type, tool_name=tool_name, is_marked=self.is_internal)

    @classmethod
    def template(cls) -> dict[str, Any]:
        """Every field in order with its default, for `adopt`; id and time still have to be filled in."""
        return _template_of(cls)

    @classmethod
    def adopt(cls, fields: dict[str, Any]) -> Self:
        """An event made of exactly these fields, which the runtime itself filled in: not validated again."""
        event = _new(cls)
        _set_dict(event, fields)
        _set_fields_set(event, cls._field_names)
        _set_extra(event, None)
        _set_private(event, None)
        return event

    def placed(self, session_id: SessionId, sequence_number: int) -> Self:
        """The same event at its place in a session."""
        event = _new(type(self))
        _set_dict(event, {**self.__dict__, "session_id": session_id, "sequence_number": sequence_number})
        _set_fields_set(event, self.__pydantic_fields_set__ | _PLACE)
        _set_extra(event, self.__pydantic_extra__)
        _set_private(event, self.__pydantic_private__)
        return event


_PLACE = frozenset({"session_id", "sequence_number"})


@cache
def _template_of(event_type: type[Event]) -> dict[str, Any]:
    return {name: field.default for name, field in event_type.model_fields.items()}


class UnknownEvent(Event):
    """An event whose type this program does not know, with all its fields: kept and passed on, never dropped."""

    model_config = ConfigDict(extra="allow")


EVENT_TYPES: dict[str, type[Event]] = {}
"""Every event model by its canonical name; a model enters when it is defined."""
