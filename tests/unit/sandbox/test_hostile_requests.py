"""Malformed requests: whatever arrives is answered, quickly, and never with a failure of ours.

`make fuzz` sends 20,000 (BATUTA_REQUESTS).
"""

import json
import os
import random
import time

from batuta.sandbox.limits import RequestLimits
from batuta.sandbox.requests import SandboxRequest
from batuta.sandbox.service import SandboxSettings
from tests.unit.sandbox.service import COMPANY, ROOT, ApiClient

COUNT = int(os.environ.get("BATUTA_REQUESTS", "1500"))
LONGEST_SECONDS = 5.0
SIGNS = "()'\"/\\;,:=&?$%#@!*+-. \t\r\n\x00\x7f[]{}<>|~`^é漢🙂"
MARKS = [*SIGNS, "%00", "%2F", "%27", "%zz", "%ff", "''", "//", ".."]
WORDS = [
    "customers", "salesOrders", "salesOrderLines", "companies", COMPANY, "$filter", "$expand", "$select", "$orderby",
    "$top", "$skip", "$count", "$skiptoken", "$batch", "$metadata", "$value", "Microsoft.NAV.post", "eq", "ne", "and",
    "or", "not", "in", "contains", "tolower", "null", "true", "2026-01-31", "0001-01-01T00:00:00Z", "9" * 40, "-1",
    "1e999", "number", "displayName", "unitPrice", "id", "any(x:x/y eq 1)", "documentId", "dateFilter",
]  # fmt: skip
PATHS = [
    f"{ROOT}/companies({COMPANY})/customers?$filter=number eq 'C1' and creditLimit gt 5&$orderby=number desc&$top=3",
    f"{ROOT}/companies({COMPANY})/salesOrders?$expand=salesOrderLines($select=sequence;$filter=sequence gt 1),customer",
    f"{ROOT}/companies({COMPANY})/salesOrders(00000000-0000-0000-0000-000000000001)/salesOrderLines/$count",
    f"{ROOT}/companies({COMPANY})/trialBalances?$filter=dateFilter ge 2026-01-01 and dateFilter le 2026-06-30",
    f"{ROOT}/companies({COMPANY})/items?$skiptoken=WyJhIiwgMV0&$orderby=number",
    f"{ROOT}/customerSales(customerId=1,customerNumber='x',name='y')?company=ALPHA",
    f"{ROOT}/$batch",
    f"{ROOT}/subscriptions",
    "/tenant/oauth2/v2.0/token",
    "/environments/v1.2",
    "/sandbox/faults",
]
BODIES = [
    {"displayName": "Acme", "creditLimit": 5, "blocked": "Ship", "currencyCode": "USD", "id": COMPANY},
    {"customerNumber": "C1", "salesOrderLines": [{"description": "x", "quantity": 2}], "orderDate": "2026-01-31"},
    {"requests": [{"id": "1", "method": "GET", "url": "customers?company=ALPHA", "headers": {}, "dependsOn": []}]},
    {"notificationUrl": "http://127.0.0.1:1/x", "resource": f"companies({COMPANY})/customers", "clientState": "x"},
    {"faults": []},
]
METHODS = ["GET", "GET", "POST", "POST", "PATCH", "DELETE", "PUT", "HEAD", "TRACE", "", "GET\x00"]
VALUES: list[object] = [
    None,
    True,
    -1,
    1e308,
    10**30,
    "",
    "x" * 5000,
    [],
    {},
    [[[]]],
    "\ud800",
    "0001-01-01",
    {"a": {"b": []}},
]
HEADERS = {
    "Prefer": ["odata.maxpagesize=0", "odata.maxpagesize=99999999", "odata.continue-on-error", "="],
    "If-Match": ["*", "", 'W/"', 'W/"MTs="', "é"],
    "Content-Type": ["application/json", "multipart/mixed; boundary=x", "multipart/mixed", "text/plain", ";"],
    "Authorization": ["Bearer x.y", "Basic", "Bearer"],
    "Isolation": ["snapshot", "x"],
    "X-Sandbox-Preview": ["true"],
    "Accept": ["application/json;odata.metadata=none", "application/xml", "*/*"],
    "Company": ["ALPHA", "x"],
}


class RequestMaker:
    """Spoils sensible requests."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def request(self) -> SandboxRequest:
        path, _, query = self._spoilt(self._random.choice(PATHS)).partition("?")
        headers = {name.lower(): self._random.choice(values) for name, values in HEADERS.items() if self._chance(0.3)}
        return SandboxRequest(
            method=self._random.choice(METHODS), path=path, query=query, headers=headers, body=self._body()
        )

    def _body(self) -> bytes:
        value: object = self._random.choice(BODIES)
        if isinstance(value, dict) and self._chance(0.6):
            key = self._random.choice([*value, self._random.choice(WORDS)])
            value = {**value, key: self._random.choice(VALUES)}
        text = json.dumps(value)
        if self._chance(0.2):
            text = f"--x\r\nContent-Type: application/http\r\n\r\nGET customers HTTP/1.1\r\n\r\n{text}\r\n--x--"
        return self._spoilt(text).encode("utf-8", "surrogatepass") if self._chance(0.5) else text.encode()

    def _spoilt(self, text: str) -> str:
        for _ in range(self._random.choice([0, 0, 1, 1, 2, 5, 20])):
            place = self._random.randrange(len(text) + 1)
            end = place + self._random.choice([0, 0, 1, 3, 10])
            text = text[:place] + self._random.choice([*MARKS, *WORDS, "(" * 50]) + text[end:]
        return text

    def _chance(self, share: float) -> bool:
        return self._random.random() < share


def test_no_request_is_answered_with_a_failure_or_late() -> None:
    client = ApiClient(SandboxSettings(limits=RequestLimits(requests=10**9)))
    client.records.insert("customers", {"number": "C1", "displayName": "Acme"})
    for seed in range(COUNT):
        request = RequestMaker(seed).request()
        started = time.process_time()
        response = client.sandbox.handle(request)
        seconds = time.process_time() - started
        assert response.status < 500, (seed, request, response)
        assert response.status != 429, "refused unread"
        assert seconds < LONGEST_SECONDS, (seed, request, seconds)
