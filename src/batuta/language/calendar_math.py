"""Days, weeks, months, quarters and years as periods, and the way from one to another. Pure."""

import calendar
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal

Grain = Literal["day", "week", "month", "quarter", "half", "year", "range"]
Preference = Literal["past", "future"]

MONTHS_IN: dict[Grain, int] = {"month": 1, "quarter": 3, "half": 6, "year": 12}


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A stretch of days, first and last included."""

    first: date
    last: date
    grain: Grain = "range"

    def __post_init__(self) -> None:
        """Refuse a period that ends before it begins."""
        if self.last < self.first:
            raise ValueError(f"a period cannot end ({self.last}) before it begins ({self.first})")

    @property
    def days(self) -> int:
        """How many days it has."""
        return (self.last - self.first).days + 1

    def covers(self, day: date) -> bool:
        """Whether a day lies in it."""
        return self.first <= day <= self.last

    def year_before(self) -> "Period":
        """The same stretch a year earlier; a whole February stays whole."""
        is_to_month_end = self.last == month_end(self.last)
        last = months_on(self.last, -12)
        return Period(
            first=months_on(self.first, -12), last=month_end(last) if is_to_month_end else last, grain=self.grain
        )

    def before(self) -> "Period":
        """The stretch of the same length just before it: the month before a month, 30 days before 30 days."""
        if self.grain in MONTHS_IN and self.last == unit_of(self.grain, self.first).last:
            return unit_of(self.grain, self.first - timedelta(days=1))
        months = (self.last.year - self.first.year) * 12 + self.last.month - self.first.month + 1
        if self.first.day == 1 and self.last == month_end(self.last):
            return Period(first=months_on(self.first, -months), last=self.first - timedelta(days=1), grain=self.grain)
        return Period(
            first=self.first - timedelta(days=self.days), last=self.first - timedelta(days=1), grain=self.grain
        )

    def after(self) -> "Period":
        """The stretch of the same length just after it."""
        start = self.last + timedelta(days=1)
        if self.first.day == 1 and start.day == 1:
            months = (start.year - self.first.year) * 12 + start.month - self.first.month
            return Period(first=start, last=months_on(start, months) - timedelta(days=1), grain=self.grain)
        return Period(first=start, last=self.last + timedelta(days=self.days), grain=self.grain)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """From where words are understood: a moment with its zone, and whether they speak of what was or what comes."""

    now: datetime
    prefer: Preference
    is_day_first: bool = True

    @property
    def today(self) -> date:
        """The day it is there."""
        return self.now.date()


def months_on(day: date, months: int) -> date:
    """The same day some months later or earlier, or the last of a month that is too short."""
    years, month = divmod(day.month - 1 + months, 12)
    last = calendar.monthrange(day.year + years, month + 1)[1]
    return date(day.year + years, month + 1, min(day.day, last))


def month_end(day: date) -> date:
    """The last day of a day's month."""
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


def monday_of(day: date) -> date:
    """The Monday of a day's week."""
    return day - timedelta(days=day.weekday())


def unit_of(grain: Grain, day: date) -> Period:
    """The day, week, month, quarter, half or year that a day lies in."""
    if grain == "day":
        return Period(first=day, last=day, grain=grain)
    if grain == "week":
        return Period(first=monday_of(day), last=monday_of(day) + timedelta(days=6), grain=grain)
    months = MONTHS_IN[grain]
    first = date(day.year, (day.month - 1) // months * months + 1, 1)
    return Period(first=first, last=month_end(months_on(first, months - 1)), grain=grain)


def shifted_unit(grain: Grain, day: date, count: int) -> Period:
    """The unit so many units after (or, below zero, before) the one a day lies in."""
    if grain in ("day", "week"):
        return unit_of(grain, day + timedelta(days=count * (7 if grain == "week" else 1)))
    return unit_of(grain, months_on(day.replace(day=1), count * MONTHS_IN[grain]))


def back_from(grain: Grain, day: date, count: int) -> date:
    """The day so many units earlier (later, below zero)."""
    if grain in ("day", "week"):
        return day - timedelta(days=count * (7 if grain == "week" else 1))
    return months_on(day, -count * MONTHS_IN[grain])


def nth_weekday(first: date, nth: int, weekday: int) -> date:
    """The nth such day of a month, from its end if below zero. Raises `IndexError` where there are fewer."""
    days = [first.replace(day=day) for day in range(1, month_end(first).day + 1)]
    matching = [day for day in days if day.weekday() == weekday]
    return matching[nth - 1 if nth > 0 else nth]


def valid_date(year: int, month: int, day: int) -> date | None:
    """A date, if there is one."""
    try:
        return date(year, month, day)
    except ValueError:
        return None
