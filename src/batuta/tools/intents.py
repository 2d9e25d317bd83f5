"""The keys of what calls intend.

A model that tries the same write again, with the same arguments, intends the same as before, until it has succeeded:
its calls carry one key, so that a system which knows keys does it once. After a success the same call is a new intent.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from batuta.kernel.messages import ToolCallBlock

_encode = json.JSONEncoder(sort_keys=True, default=str).encode


class IntentKeys:
    """Gives the calls of one agent their keys. The same calls with the same outcomes get the same keys again."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._succeeded: dict[str, set[int]] = {}

    def take(self, calls: Sequence[ToolCallBlock]) -> dict[str, str]:
        """The keys of the calls of one answer, by their ids: equal calls side by side are different intents."""
        keys: dict[str, str] = {}
        taken: dict[str, set[int]] = {}
        for call in calls:
            intent = f"{self._prefix}:{call.name}:{_digest(call.args)}"
            used = taken.setdefault(intent, set(self._succeeded.get(intent, ())))
            number = next(number for number in range(1, len(used) + 2) if number not in used)
            used.add(number)
            keys[call.id] = f"{intent}~{number}"
        return keys

    def succeeded(self, key: str) -> None:
        """What was intended under a key is done."""
        intent, _, number = key.rpartition("~")
        self._succeeded.setdefault(intent, set()).add(int(number))


def _digest(args: Mapping[str, Any]) -> str:
    return hashlib.sha256(_encode(args).encode()).hexdigest()[:16]
