"""The envelope that every event shares. A subclass is an event type: it finds its row in the routing table."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, ParamSpec, Protocol, Self, TypedDict, TypeVar, cast

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field

from batuta.events.routing import ROUTES, Audience, Persistence, Route, is_internal
from batuta.kernel.id_fields import LOWER_HEX_32, UPPER_UUID, AnyId
from batuta.kernel.ids import EventId, MessageId, SessionId, TraceId, TurnId, new_id

SUMMARY_LIMIT = 200
"""The longest summary of a value that an event holds, in characters."""

_new = object.__new__
# The slots of a pydantic model, filled directly where nothing has to be validated: every step makes two events.
_set_dict, _set_fields_set, _set_extra, _set_private = (
    vars(BaseModel)[slot].__set__
    for slot in ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
)


_now = partial(datetime.now, UTC)
# Members of an enumeration are looked up by a function of Python, and these are asked for with every event.
_TRANSIENT, _SYNC_REQUIRED = Persistence.TRANSIENT, Persistence.SYNC_REQUIRED


def _in_utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo is UTC else moment.astimezone(UTC)


UtcDatetime = Annotated[AwareDatetime, AfterValidator(_in_utc)]
"""A moment given with any offset, kept in UTC."""


_OF_PRODUCER = {"source_agent_id", "message_id", "caused_by"}
"""The fields of the envelope that are known where an event is made."""


_STAMPED = frozenset({"session_id", "sequence_number"})


class _Layout:
    """What a class of events fills its objects with. Looked up by class: a model's attributes are slow to find."""

    __slots__ = ("checked", "defaults", "payload_names", "placed_names", "required_names")

    def __init__(self, event_type: "type[Event]") -> None:
        fields = event_type.model_fields
        self.defaults = {name: field.default for name, field in fields.items()} | {"event_id": None, "timestamp": None}
        self.payload_names = fields.keys() - Event.model_fields.keys() | _OF_PRODUCER
        """The fields that the code which makes an event fills in; the others are the run's."""
        self.placed_names = self.payload_names | _STAMPED
        self.required_names = {name for name, field in fields.items() if field.is_required()} - {"type"}
        self.checked: set[tuple[str, ...]] = set()
        """The names of the fields it was given so far, as often as they were found to be right."""


_LAYOUTS: "dict[type[Event], _Layout]" = {}


class Envelope(TypedDict, total=False):
    """What a run stamps on the events it emits."""

    event_id: EventId
    timestamp: datetime
    session_id: SessionId
    turn_id: TurnId
    original_index: int
    correlation_id: str
    trace_id: TraceId


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
    """Position in the turn, given by the run that emits it; 0 before it is emitted."""
    source_agent_id: AnyId | None = None
    is_internal: bool = False
    persistence: Persistence = Persistence.ASYNC_ALLOWED
    correlation_id: AnyId | None = None
    trace_id: Annotated[TraceId, LOWER_HEX_32] | None = None
    caused_by: Annotated[EventId, UPPER_UUID] | None = None

    route: ClassVar[Route]
    _field_names: ClassVar[set[str]]

    if not TYPE_CHECKING:  # a type checker derives the constructor from the fields

        def __init__(self, /, **fields: Any) -> None:
            """Validate the fields. A name that is no field is refused, which decoding stored events does not do."""
            if not fields.keys() <= self._field_names and self.model_config.get("extra") != "allow":
                unknown = ", ".join(sorted(fields.keys() - self._field_names))
                raise TypeError(f"{self.__class__.__name__} has no field {unknown}")
            super().__init__(**fields)

        __init__.__pydantic_base_init__ = True  # `model_validate` need not go through it

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Take version, persistence and visibility from the table, and enter the catalogue."""
        super().__pydantic_init_subclass__(**kwargs)
        cls._field_names = set(cls.model_fields)
        event_type = cls.model_fields["type"].default
        if not isinstance(event_type, str):
            return  # a base of several events
        if event_type not in ROUTES:
            raise TypeError(f"{cls.__name__}: the routing table has no row for {event_type!r}; add one first")
        cls.route = ROUTES[event_type]
        cls.model_fields["version"].default = cls.route.version
        cls.model_fields["persistence"].default = cls.route.persistence
        cls.model_fields["is_internal"].default = cls.route.audience is Audience.INTERNAL
        _LAYOUTS[cls] = _Layout(cls)
        EVENT_TYPES[event_type] = cls

    @property
    def is_transient(self) -> bool:
        """Whether it is only for those who watch now, and not stored."""
        return self.persistence is _TRANSIENT

    @property
    def is_sync_required(self) -> bool:
        """Whether a run waits until it is stored and its read-model rows are committed."""
        return self.persistence is _SYNC_REQUIRED

    @property
    def is_visible(self) -> bool:
        """Whether a user may see it; asks the one function that decides."""
        # Not by `getattr`: a model looks long for what it does not have, and this is asked for every event.
        tool_name = self.__dict__.get("tool_name") or (self.__pydantic_extra__ or {}).get("tool_name")
        return not is_internal(self.type, tool_name=tool_name, is_marked=self.is_internal)

    @property
    def has_own_id(self) -> bool:
        """Whether its id was given to the constructor: a run that emits it keeps it."""
        return "event_id" in self.__pydantic_fields_set__

    def stamp(self, envelope: Envelope) -> Self:
        """This event, with the envelope of the run that emits it; if it was emitted before, another one like it.

        The envelope comes from the run and is not validated. A new event is filled in place: no one has seen it yet.
        """
        fields = self.__dict__
        if fields["original_index"]:
            return self._twin({**fields, "event_id": new_id(), "sequence_number": None, **envelope})
        fields.update(envelope)
        if fields["event_id"] is None:
            fields["event_id"] = new_id()
        return self

    @classmethod
    def adopt(cls, fields: dict[str, Any]) -> Self:
        """An event of these fields, which are not validated; see `trusted`."""
        event = _new(cls)
        _fill(event, _LAYOUTS[cls], fields)
        return event

    def placed(self, session_id: SessionId, sequence_number: int) -> Self:
        """The same event at its place in a session."""
        return self._twin({**self.__dict__, "session_id": session_id, "sequence_number": sequence_number})

    def _twin(self, fields: dict[str, Any]) -> Self:
        event = _new(type(self))
        _set_dict(event, fields)
        given, layout = self.__pydantic_fields_set__, _LAYOUTS.get(type(self))
        if layout is not None and given is layout.payload_names:
            _set_fields_set(event, layout.placed_names)
        else:
            _set_fields_set(event, given | _STAMPED)
        _set_extra(event, self.__pydantic_extra__)
        _set_private(event, self.__pydantic_private__)
        return event


Event._field_names = set(Event.model_fields)  # noqa: SLF001 - a subclass gets its own when it is defined

P = ParamSpec("P")
E = TypeVar("E", bound=Event)


class RuntimeEvent(Event):
    """An event that only the runtime makes, of values it has already checked.

    Its constructor is checked by the type checker and not again while it runs. With a field of the envelope that comes
    from elsewhere, and whenever an event is decoded, it is validated like any other.
    """

    if not TYPE_CHECKING:

        def __init__(self, /, **fields: Any) -> None:
            """Fill in the fields."""
            layout, given = _LAYOUTS[type(self)], tuple(fields)
            if given in layout.checked:
                _fill(self, layout, {"event_id": new_id(), "timestamp": _now(), **fields})
            elif layout.required_names <= fields.keys() <= layout.payload_names:
                layout.checked.add(given)
                _fill(self, layout, {"event_id": new_id(), "timestamp": _now(), **fields})
            else:
                super().__init__(**fields)

        __init__.__pydantic_base_init__ = True


def _fill(event: Event, layout: _Layout, fields: dict[str, Any]) -> None:
    """Give a new event its fields, which are not validated."""
    filled = layout.defaults.copy()
    filled.update(fields)
    _set_dict(event, filled)
    _set_fields_set(event, layout.payload_names)
    _set_extra(event, None)
    _set_private(event, None)


class _Trusted(Protocol):
    """A function of a constructor that gives one of the same signature."""

    def __call__(self, event_type: Callable[P, E], /) -> Callable[P, E]: ...


def _unvalidated(event_type: type[Event]) -> Callable[..., Event]:
    adopt, layout = event_type.adopt, _LAYOUTS[event_type]

    def adopted(**fields: Any) -> Event:
        return adopt(fields)

    def made(**fields: Any) -> Event:
        event = _new(event_type)
        _fill(event, layout, fields)
        return event

    has_own_way = getattr(adopt, "__func__", None) is not vars(Event)["adopt"].__func__
    return adopted if has_own_way else made


trusted = cast("_Trusted", cache(_unvalidated))
"""The constructor of an event for values that were checked where they came in: they are not validated again.

A type checker sees the event's own constructor. The envelope is the run's: the event has no id and no time before it is
emitted.
"""


class UnknownEvent(Event):
    """An event whose type this program does not know, with all its fields: kept and passed on, never dropped."""

    model_config = ConfigDict(extra="allow")


EVENT_TYPES: dict[str, type[Event]] = {}
"""Every event model by its canonical name; a model enters when it is defined."""
