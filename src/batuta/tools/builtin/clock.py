"""The time, in any time zone."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import ToolFailedError
from batuta.tools.context import TIME_ZONE_SERVICE, ToolContext
from batuta.tools.tool import Tool, tool

MOST_MINUTES = 100 * 366 * 24 * 60


def clock_tool(clock: Clock = SYSTEM_CLOCK, *, time_zone: str = "UTC") -> Tool:
    """A tool `current_time`; `time_zone` is meant when the model names none."""
    default = _zone(time_zone)

    @tool(kind="computation")
    async def current_time(
        context: ToolContext, zone: str | None = None, offset_minutes: int = 0
    ) -> dict[str, str | int]:
        """Tell the current date, time and weekday, or those of a moment before or after now.

        Args:
            context: The call.
            zone: An IANA time zone such as `Europe/Madrid`; the user's own if it is left out.
            offset_minutes: How many minutes from now: 120 for what time it is in two hours, -30 for half an hour ago.
        """
        where = _zone(zone) if zone is not None else own_zone(context, default)
        now = _moved(clock.now(), offset_minutes).astimezone(where)
        return {
            **({"offset_minutes": offset_minutes} if offset_minutes else {}),
            "time": now.isoformat(timespec="seconds"),
            "weekday": now.strftime("%A"),
            "iso_week": now.isocalendar().week,
            "zone": str(now.tzinfo),
        }

    return current_time


def _moved(now: datetime, minutes: int) -> datetime:
    """Counted in time that passes, not on the face of a clock: summer time may begin or end meanwhile."""
    if abs(minutes) > MOST_MINUTES:
        raise ToolFailedError(
            f"{minutes} minutes from now is too far; at most {MOST_MINUTES}, which is a hundred years"
        )
    return now + timedelta(minutes=minutes)


def own_zone(context: ToolContext, default: ZoneInfo) -> ZoneInfo:
    """The user's own time zone, if the run says one."""
    told = context.services.get(TIME_ZONE_SERVICE)
    return _zone(told) if isinstance(told, str) else default


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ToolFailedError(f"there is no time zone {name[:64]!r}; use one like Europe/Madrid") from None
