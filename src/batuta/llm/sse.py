"""Server-sent events: bytes in, the data of whole events out. Pure; knows nothing of providers."""

import re

_EVENT_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")


class SseDecoder:
    """Collects bytes until an event is whole."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """The data of the events that these bytes complete; events without data are left out."""
        *whole, self._rest = _EVENT_END.split(self._rest + data)
        return [payload for event in whole if (payload := _data_of(event))]

    def close(self) -> list[bytes]:
        """The data of a last event that was not ended."""
        payload, self._rest = _data_of(self._rest), b""
        return [payload] if payload else []


def _data_of(event: bytes) -> bytes:
    """Most events have one line of data; those with more are joined by line feeds."""
    lines = [line[5:].removeprefix(b" ") for line in event.splitlines() if line.startswith(b"data:")]
    return lines[0] if len(lines) == 1 else b"\n".join(lines)
