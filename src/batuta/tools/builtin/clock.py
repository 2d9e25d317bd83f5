"""The time, in any time zone."""

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import ToolFailedError
from batuta.tools.context import TIME_ZONE_SERVICE, ToolContext
from batuta.tools.tool import Tool, tool


def clock_tool(clock: Clock = SYSTEM_CLOCK, *, time_zone: str = "UTC") -> Tool:
    """A tool `current_time`; `time_zone` is meant when the model names none."""
    default = _zone(time_zone)

    @tool(kind="computation")
    async def current_time(context: ToolContext, zone: str | None = None) -> dict[str, str | int]:
        """Tell the current date, time and weekday.

        Args:
            context: The call.
            zone: An IANA time zone such as `Europe/Madrid`; the user's own if it is left out.
        """
        now = clock.now().astimezone(_zone(zone) if zone is not None else own_zone(context, default))
        return {
            "time": now.isoformat(timespec="seconds"),
            "weekday": now.strftime("%A"),
            "iso_week": now.isocalendar().week,
            "zone": str(now.tzinfo),
        }

    return current_time


def own_zone(context: ToolContext, default: ZoneInfo) -> ZoneInfo:
    """The user's own time zone, if the run says one."""
    configured = context.services.get(TIME_ZONE_SERVICE)
    return _zone(configured) if isinstance(configured, str) else default


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ToolFailedError(f"there is no time zone {name[:64]!r}; use one like Europe/Madrid") from None
