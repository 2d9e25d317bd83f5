"""The stored responses that ``previous_response_id`` refers to, oldest forgotten first."""

from collections import OrderedDict

from batuta.simulator.answers import Json
from batuta.simulator.wire.asked import dicts

KEPT = 1000


class ResponseMemory:
    def __init__(self) -> None:
        self._items: OrderedDict[str, tuple[Json, ...]] = OrderedDict()

    def items_before(self, body: Json) -> tuple[Json, ...] | None:
        """All items of the conversation that a request continues; ``None`` if it names one that is not stored."""
        previous = body.get("previous_response_id")
        if not previous:
            return ()
        return self._items.get(str(previous))

    def keep(self, body: Json, response: Json) -> None:
        if body.get("store") is False:
            return
        earlier = self.items_before(body) or ()
        self._items[response["id"]] = (*earlier, *dicts(body.get("input")), *response["output"])
        while len(self._items) > KEPT:
            self._items.popitem(last=False)
