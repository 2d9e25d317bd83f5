"""The sandbox's own switches, beside the API: what it is, faults for the next requests, snapshots to go back to.

GET    /sandbox                        working date, manner, companies
POST   /sandbox/faults                 {"faults": ["503", "none", "429"]}: the next request fails, and the third
PUT    /sandbox/snapshots/{name}       remember everything as it is now
POST   /sandbox/snapshots/{name}       go back to it
DELETE /sandbox/snapshots/{name}       forget it
"""

import re
from typing import Any, Final

from batuta.sandbox.errors import BadRequestError, MethodNotAllowedError, SandboxError
from batuta.sandbox.limits import FaultPlan
from batuta.sandbox.quirks import Manner
from batuta.sandbox.records import SandboxStore
from batuta.sandbox.requests import SandboxRequest, SandboxResponse
from batuta.sandbox.resources import not_found
from batuta.sandbox.snapshots import SnapshotShelf

_SNAPSHOT: Final = re.compile(r"^/sandbox/snapshots/([A-Za-z0-9_-]{1,40})$")


class SandboxControls:
    """Answers the requests below `/sandbox`; refuses by raising `SandboxError`."""

    def __init__(self, store: SandboxStore, faults: FaultPlan, manner: Manner) -> None:
        self._store = store
        self._faults = faults
        self._manner = manner
        self._snapshots = SnapshotShelf(store)

    def answer(self, request: SandboxRequest) -> SandboxResponse:
        found = _SNAPSHOT.match(request.path)
        with self._store.lock:
            match request.method, request.path:
                case "GET" | "HEAD", "/sandbox":
                    return SandboxResponse.of_json(self._facts())
                case "POST", "/sandbox/faults":
                    self._put_up_faults(request)
                case "PUT", _ if found:
                    self._snapshots.take(found[1])
                case "POST", _ if found:
                    self._snapshots.restore(found[1])
                case "DELETE", _ if found:
                    self._snapshots.remove(found[1])
                case _:
                    raise _refusal(request)
        return SandboxResponse(status=204)

    def _facts(self) -> dict[str, Any]:
        companies = self._store.records("").find("companies")
        return {
            "today": self._store.today().isoformat(),
            "quirks": self._manner.value,
            "companies": [{"id": each["id"], "name": each["name"]} for each in companies],
            "snapshots": self._snapshots.names(),
        }

    def _put_up_faults(self, request: SandboxRequest) -> None:
        names = request.json().get("faults")
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise BadRequestError('Send {"faults": ["503", …]}.')
        self._faults.put_up(names)


def _refusal(request: SandboxRequest) -> SandboxError:
    methods = {"/sandbox": ["GET"], "/sandbox/faults": ["POST"]}.get(request.path, [])
    if _SNAPSHOT.match(request.path):
        methods = ["PUT", "POST", "DELETE"]
    if not methods:
        return not_found(request.path)
    return MethodNotAllowedError(f"{request.method[:20]} is not allowed on {request.path[:60]}.", methods)
