"""Server-sent events as bytes."""

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class SseEvent:
    """One event; ``data`` is JSON, or a bare word such as ``[DONE]``. Without a name only ``data`` is sent."""

    data: Any
    name: str | None = None

    def encode(self) -> bytes:
        return frame(self.name, self.data if isinstance(self.data, str) else dump(self.data))


def frame(name: str | None, text: str) -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {text}\n\n".encode()


def dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
