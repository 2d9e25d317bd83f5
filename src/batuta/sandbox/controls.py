"""The sandbox's own switches, beside the API: what it is, faults for the next requests, snapshots to go back to.

GET    /sandbox                        working date, manner, companies
POST   /sandbox/faults                 {"faults": ["503", "none", "429"]}: the next request fails, and the third
PUT    /sandbox/snapshots/{name}       remember everything as it is now
POST   /sandbox/snapshots/{name}       go back to it
DELETE /sandbox/snapshots/{name}       forget it
"""

import re
import sqlite3
from typing import Any, Final

from batuta.sandbox.errors import BadRequestError, RecordNotFoundError
from batuta.sandbox.limits import FaultPlan
from batuta.sandbox.quirks import Manner
from batuta.sandbox.records import SandboxStore
from batuta.sandbox.requests import SandboxRequest, SandboxResponse
from batuta.sandbox.resources import not_found

MOST_SNAPSHOTS: Final = 5
_SNAPSHOT: Final = re.compile(r"^/sandbox/snapshots/([\w-]{1,40})$")


class SandboxControls:
    """Answers the requests below `/sandbox`; refuses by raising `SandboxError`."""

    def __init__(self, store: SandboxStore, faults: FaultPlan, manner: Manner) -> None:
        self._store = store
        self._faults = faults
        self._manner = manner
        self._snapshots: dict[str, sqlite3.Connection] = {}

    def answer(self, request: SandboxRequest) -> SandboxResponse:
        found = _SNAPSHOT.match(request.path)
        match request.method, request.path:
            case "GET", "/sandbox":
                return SandboxResponse.of_json(self._facts())
            case "POST", "/sandbox/faults":
                self._put_up_faults(request)
            case "PUT", _ if found:
                self._remember(found[1])
            case "POST", _ if found:
                self._go_back(found[1])
            case "DELETE", _ if found:
                self._kept(found[1]).close()
                del self._snapshots[found[1]]
            case _:
                raise not_found(request.path)
        return SandboxResponse(status=204)

    def _facts(self) -> dict[str, Any]:
        with self._store.lock:
            companies = self._store.records("").find("companies")
            today = self._store.today()
        return {
            "today": today.isoformat(),
            "quirks": self._manner.value,
            "companies": [{"id": each["id"], "name": each["name"]} for each in companies],
            "snapshots": sorted(self._snapshots),
        }

    def _put_up_faults(self, request: SandboxRequest) -> None:
        names = request.json().get("faults")
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise BadRequestError('Send {"faults": ["503", …]}.')
        self._faults.put_up(names)

    def _remember(self, name: str) -> None:
        with self._store.lock:
            if len(self._snapshots) >= MOST_SNAPSHOTS and name not in self._snapshots:
                raise BadRequestError(f"There are {MOST_SNAPSHOTS} snapshots already: delete one.")
            copy = self._snapshots.get(name) or sqlite3.connect(":memory:", check_same_thread=False)
            self._store.connection.backup(copy)
            self._snapshots[name] = copy

    def _go_back(self, name: str) -> None:
        with self._store.lock:
            self._kept(name).backup(self._store.connection)

    def _kept(self, name: str) -> sqlite3.Connection:
        if name not in self._snapshots:
            raise RecordNotFoundError(f"There is no snapshot '{name}'.")
        return self._snapshots[name]
