"""The values that pass through the appointment pipeline, from words to a checked slot."""

from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

DEFAULT_MINUTES = 60
MAX_MINUTES = 12 * 60

Language = Literal["en", "es"]
OutcomeName = Literal[
    "free",
    "appointment_created",
    "appointment_moved",
    "appointment_cancelled",
    "conflict_detected",
    "needs_information",
    "not_found",
    "not_approved",
]


class RequestKind(Enum):
    """What a user wants of the calendar."""

    CREATION = "appointment_creation"
    RESCHEDULING = "rescheduling"
    CANCELLATION = "cancellation"
    QUESTION = "availability_question"


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True)


class ParsedRequest(_Value):
    """What a request says, in its own words."""

    intent: RequestKind = Field(description="What the user wants")
    language: Language = Field(default="en", description="The language of the request")
    date_text: str | None = Field(default=None, description="The words for the (new) day, such as `tomorrow`")
    time_text: str | None = Field(default=None, description="The words for the (new) time, such as `10am`")
    duration_minutes: int | None = Field(default=None, description="How long it takes, if it is said")
    shift_minutes: int | None = Field(
        default=None, description="By how much an appointment is moved, where no new time is said; earlier is negative"
    )
    from_date_text: str | None = Field(default=None, description="The words for the day of the appointment to move")
    from_time_text: str | None = Field(default=None, description="The words for the time of the appointment to move")
    contact: str | None = Field(default=None, description="With whom, as written")
    place: str | None = Field(default=None, description="Where, as written")
    zone_text: str | None = Field(
        default=None, description="In whose time the time is said, such as `New York time`; none for the user's own"
    )
    owner: str | None = Field(
        default=None, description="Whose appointment it is, where it is said not to be the user's"
    )
    is_several: bool = Field(
        default=False, description="Whether several appointments are meant at once: `all my meetings`"
    )
    is_next: bool = Field(default=False, description="Whether only the next of those that repeat is meant")
    named: tuple[str, ...] = Field(default=(), description="Other words that name the appointment, such as `yoga`")
    repeat_text: str | None = Field(
        default=None, description="The words for how it repeats and how long, such as `every Monday until June`"
    )
    part_text: str | None = Field(default=None, description="The words for the part of the day, such as `afternoon`")
    unread: tuple[str, ...] = Field(default=(), description="Figures that neither a day, a time nor a length takes")
    title: str = Field(default="", description="A short title")
    confidence: float = Field(ge=0, le=1)
    reasoning: str = ""


class AmendedRequest(ParsedRequest):
    """A request that was changed by what was said later, before or after it was carried out."""

    earlier: tuple[ParsedRequest, ...]
    """As it was before, the oldest first."""


class TimeSlot(_Value):
    """A stretch of time."""

    start: AwareDatetime
    end: AwareDatetime

    @classmethod
    def of(cls, start: datetime, minutes: int) -> "TimeSlot":
        """So many real minutes from a start, whatever the clocks do meanwhile."""
        return cls(start=start, end=(start.astimezone(UTC) + timedelta(minutes=minutes)).astimezone(start.tzinfo))

    @property
    def minutes(self) -> int:
        """How long it is."""
        return int((self.end - self.start).total_seconds() // 60)

    def overlaps(self, other: "TimeSlot") -> bool:
        """Whether both have some time in common."""
        return self.start < other.end and other.start < self.end


class Appointment(TimeSlot):
    """What stands in a calendar."""

    uid: str
    title: str
    place: str | None = None
    contact: str | None = None
    repeats: str | None = None
    """The recurrence rule of iCalendar, where it is one of a series."""


class Draft(_Value):
    """A request while it is resolved: what is known so far, and what stands in its way."""

    parsed: ParsedRequest
    zone: str
    slot: TimeSlot | None = None
    day: AwareDatetime | None = None
    """The day that is meant, where no time is said."""
    days: tuple[AwareDatetime, ...] = ()
    """The days that may be meant, where two may."""
    other_day: AwareDatetime | None = None
    """The day that the words may mean beside the one that was taken."""
    repeats: str | None = None
    """The recurrence rule of iCalendar, where it is to come again and again."""
    moved: Appointment | None = None
    """The appointment to move or cancel."""
    problems: tuple[str, ...] = ()
    """Keys of what is missing or wrong; `wording` says them."""
    notes: tuple[str, ...] = ()
    """What was assumed on the way."""


class Outcome(_Value):
    """What came of a request."""

    outcome: OutcomeName
    draft: Draft
    conflicts: tuple[Appointment, ...] = ()
    alternatives: tuple[TimeSlot, ...] = ()
    appointment: Appointment | None = None
    choices: tuple[Appointment, ...] = ()
    """The appointments that could be meant, where several could."""
    confidence: float = 1.0
