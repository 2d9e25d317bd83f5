"""`$batch`: several requests in one, as JSON or as multipart.

With `Isolation: snapshot` all of them are one transaction: one that fails takes all back. A change set of a multipart
batch and an `atomicityGroup` of a JSON batch are always one transaction. What was taken back is never shown as done: in
JSON its parts answer 424, in multipart the change set has one answer, that of the part that failed. Without
`Prefer: odata.continue-on-error` the batch ends at the first failure; what depends on it still answers 424.
"""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

from batuta.sandbox.errors import BadRequestError, MethodNotAllowedError
from batuta.sandbox.paths import ApiPath
from batuta.sandbox.quirks import quirk_refusal
from batuta.sandbox.records import SandboxStore
from batuta.sandbox.requests import JSON_TYPE, SandboxRequest, SandboxResponse, reason_phrase

MOST_REQUESTS: Final = 100
_METHODS: Final = frozenset({"GET", "POST", "PATCH", "PUT", "DELETE"})
_BOUNDARY: Final = re.compile(r'boundary="?([^";,]{1,100})"?', re.IGNORECASE)

Answer: TypeAlias = Callable[[SandboxRequest], SandboxResponse]


@dataclass(frozen=True, kw_only=True)
class BatchPart:
    id: str
    request: SandboxRequest
    depends_on: tuple[str, ...] = ()
    group: str = ""
    """Parts of one group succeed or fail together."""
    content_id: str = ""
    """How a multipart batch names the part; its answer repeats it."""


class _BatchFailedError(Exception):
    """Takes the transaction of a batch or group back; never leaves this module."""


def answer_batch(request: SandboxRequest, path: ApiPath, store: SandboxStore, answer: Answer) -> SandboxResponse:
    """Answer every part of a batch; `answer` answers one request and never raises for what is wrong with it."""
    if request.method != "POST":
        raise MethodNotAllowedError("A batch is sent with POST.", ["POST"])
    content_type = request.header("content-type", "application/json")
    is_multipart = content_type.lower().startswith("multipart/mixed")
    parts = _multipart_parts(request, path, content_type) if is_multipart else _json_parts(request, path)
    if len(parts) > MOST_REQUESTS:
        raise BadRequestError(f"A batch has at most {MOST_REQUESTS} requests.")
    responses = _Batch(request, store, answer).run(parts)
    return _multipart_response(parts, responses) if is_multipart else _json_response(responses)


class _Batch:
    def __init__(self, request: SandboxRequest, store: SandboxStore, answer: Answer) -> None:
        self._store = store
        self._answer = answer
        self._is_snapshot = request.header("isolation", request.header("odata-isolation")).lower() == "snapshot"
        self._goes_on = "continue-on-error" in request.header("prefer").lower()
        self._responses: dict[str, SandboxResponse] = {}
        self._failed: set[str] = set()
        """Ids and groups of what failed or was taken back."""

    def run(self, parts: list[BatchPart]) -> dict[str, SandboxResponse]:
        if not self._is_snapshot:
            self._run_groups(parts)
            return self._responses
        with suppress(_BatchFailedError), self._store.transaction():
            self._run_groups(parts)
            if self._failed:
                self._take_back([part for part in parts if part.id in self._responses], "the batch")
                raise _BatchFailedError
        return self._responses

    def _run_groups(self, parts: list[BatchPart]) -> None:
        is_over = False
        for _, listed in groupby(parts, key=lambda part: part.group or part.id):
            group = list(listed)
            if not is_over:
                self._run_group(group)
                is_over = bool(self._failed) and not self._goes_on
            elif any(self._missing_need(part) for part in group):
                self._refuse_group(group)

    def _run_group(self, group: list[BatchPart]) -> None:
        if not group[0].group:
            self._run_part(group[0])
            return
        with suppress(_BatchFailedError), self._store.transaction():
            for part in group:
                self._run_part(part)
                if part.id in self._failed:
                    self._take_back(group, "the change set")
                    raise _BatchFailedError

    def _run_part(self, part: BatchPart) -> None:
        needed = self._missing_need(part)
        if needed:
            self._note(part, _failed_dependency(f"The request {needed}, which this one needs, failed."))
        else:
            self._note(part, self._answer(part.request))

    def _refuse_group(self, group: list[BatchPart]) -> None:
        """After the end of a batch: what depends on a failure gets its answer, and its group with it."""
        for part in group:
            if self._missing_need(part):
                self._run_part(part)
        self._take_back(group if group[0].group else [], "the change set")

    def _take_back(self, parts: list[BatchPart], what: str) -> None:
        """No part of what is rolled back is shown as done, also where it was before another one failed."""
        for part in parts:
            if part.id not in self._failed:
                self._note(part, _failed_dependency(f"Another request of {what} failed, so this one was taken back."))

    def _missing_need(self, part: BatchPart) -> str:
        return next((each for each in part.depends_on if each in self._failed), "")

    def _note(self, part: BatchPart, response: SandboxResponse) -> None:
        self._responses[part.id] = response
        if _has_failed(response):
            self._failed |= {part.id, part.group} - {""}


def _failed_dependency(message: str) -> SandboxResponse:
    error = quirk_refusal("rolled_back_part", message)
    return SandboxResponse.of_json({"error": {"code": error.code, "message": error.message}}, error.status)


def _has_failed(response: SandboxResponse) -> bool:
    return response.status >= 400


def _inner(
    outer: SandboxRequest, path: ApiPath, method: str, url: str, headers: dict[str, str], body: bytes
) -> SandboxRequest:
    """A request of a batch: its address may be whole, from the host, or relative to the service."""
    parts = urlsplit(url)
    base = outer.path.rstrip("/").removesuffix("/$batch")
    place = parts.path if parts.netloc or parts.path.startswith("/") else f"{base}/{parts.path}"
    if place.startswith("/") and not place.startswith(("/v2.0", "/api")):
        place = f"{path.root}{place}"
    if method not in _METHODS:
        raise BadRequestError(f"'{method[:20]}' is not a method of a request in a batch.")
    kept = {name: outer.headers[name] for name in ("authorization", "accept-language") if name in outer.headers}
    return replace(outer, method=method, path=place, query=parts.query, headers={**kept, **headers}, body=body)


def _json_parts(request: SandboxRequest, path: ApiPath) -> list[BatchPart]:
    listed = request.json().get("requests")
    if not isinstance(listed, list):
        raise BadRequestError("A batch is a JSON object with a list of requests.")
    parts = [_json_part(request, path, each) for each in listed]
    if len({part.id for part in parts}) != len(parts):
        raise BadRequestError("Every request of a batch needs its own id.")
    known: set[str] = set()
    for part in parts:
        unknown = sorted(set(part.depends_on) - known)
        if unknown:
            raise BadRequestError(
                f"The request '{part.id[:60]}' depends on '{unknown[0][:60]}', which is no request or group before it."
            )
        known |= {part.id, part.group} - {""}
    _check_groups_lie_together(parts)
    return parts


def _check_groups_lie_together(parts: list[BatchPart]) -> None:
    named = [name for name, _ in groupby(parts, key=lambda part: part.group) if name]
    if len(set(named)) != len(named):
        raise BadRequestError("The requests of an atomicityGroup stand one after another.")
    if set(named) & {part.id for part in parts}:
        raise BadRequestError("An atomicityGroup and a request have the same name.")


def _json_part(outer: SandboxRequest, path: ApiPath, given: Any) -> BatchPart:
    if not isinstance(given, dict) or not isinstance(given.get("method"), str) or not isinstance(given.get("url"), str):
        raise BadRequestError("A request of a batch has id, method and url.")
    headers = given.get("headers") or {}
    if not isinstance(headers, dict) or not all(isinstance(each, str) for each in headers.values()):
        raise BadRequestError("The headers of a request in a batch are texts.")
    lower = {str(name).lower(): value for name, value in headers.items()}
    depends = given.get("dependsOn") or []
    if not isinstance(depends, list):
        raise BadRequestError("'dependsOn' is a list of ids.")
    body = given.get("body")
    raw = b"" if body is None else json.dumps(body).encode()
    try:
        inner = _inner(outer, path, given["method"].upper(), given["url"], lower, raw)
    except ValueError as error:
        raise BadRequestError(f"'{given['url'][:60]}' is not an address.") from error
    group = given.get("atomicityGroup", "")
    return BatchPart(id=str(given.get("id", "")), request=inner, depends_on=tuple(map(str, depends)), group=str(group))


def _json_response(responses: dict[str, SandboxResponse]) -> SandboxResponse:
    """Bodies that are JSON go in as they are: pages of thousands of rows are not read and written once more."""
    listed = []
    for name, response in responses.items():
        headers = {key.lower(): value for key, value in response.headers.items()}
        head = _as_json({"id": name, "status": response.status, "headers": headers})
        if response.body:
            is_json = "json" in headers.get("content-type", "")
            body = response.body if is_json else _as_json(response.body.decode("utf-8", "replace"))
            head = head.removesuffix(b"}") + b',"body":' + body + b"}"
        listed.append(head)
    whole = b'{"responses":[' + b",".join(listed) + b"]}"
    return SandboxResponse(status=200, headers={"Content-Type": JSON_TYPE}, body=whole)


def _as_json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _multipart_parts(request: SandboxRequest, path: ApiPath, content_type: str) -> list[BatchPart]:
    parts: list[BatchPart] = []
    for headers, body in _split_multipart(content_type, request.body):
        kind = headers.get("content-type", "")
        if kind.lower().startswith("multipart/mixed"):
            group = f"changeset-{len(parts)}"
            for inner_headers, inner_body in _split_multipart(kind, body):
                parts.append(_multipart_part(request, path, inner_headers, inner_body, (str(len(parts)), group)))
        else:
            parts.append(_multipart_part(request, path, headers, body, (str(len(parts)), "")))
        if len(parts) > MOST_REQUESTS:
            break
    return parts


def _split_multipart(content_type: str, body: bytes) -> list[tuple[dict[str, str], bytes]]:
    found = _BOUNDARY.search(content_type)
    if found is None:
        raise BadRequestError("A multipart batch names its boundary in the content type.")
    mark = b"--" + found[1].strip().encode()
    pieces = body.replace(b"\r\n", b"\n").split(mark)
    if len(pieces) < 2:
        raise BadRequestError("The boundary of the batch does not stand in its body.")
    return [_headers_and_body(piece.removeprefix(b"\n")) for piece in pieces[1:] if not piece.startswith(b"--")]


def _headers_and_body(text: bytes) -> tuple[dict[str, str], bytes]:
    if text.startswith(b"\n"):
        return {}, text[1:]
    head, _, body = text.partition(b"\n\n")
    headers: dict[str, str] = {}
    for line in head.decode("utf-8", "replace").split("\n"):
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    return headers, body.removesuffix(b"\n")


def _multipart_part(
    outer: SandboxRequest, path: ApiPath, headers: dict[str, str], body: bytes, place: tuple[str, str]
) -> BatchPart:
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/http":
        raise BadRequestError("A part of a multipart batch is of type application/http.")
    line, _, rest = body.lstrip(b"\n").partition(b"\n")
    words = line.decode("utf-8", "replace").split()
    if len(words) < 2:
        raise BadRequestError("A part of a multipart batch begins with a method and an address.")
    inner_headers, inner_body = _headers_and_body(rest)
    try:
        request = _inner(outer, path, words[0].upper(), words[1], inner_headers, inner_body)
    except ValueError as error:
        raise BadRequestError(f"'{words[1][:60]}' is not an address.") from error
    return BatchPart(id=place[0], request=request, group=place[1], content_id=headers.get("content-id", "")[:100])


def _multipart_response(parts: list[BatchPart], responses: dict[str, SandboxResponse]) -> SandboxResponse:
    boundary = "batchresponse_sandbox"
    answered = [part for part in parts if part.id in responses]
    pieces: list[bytes] = []
    for group, listed in groupby(answered, key=lambda part: part.group):
        members = [(part, responses[part.id]) for part in listed]
        if group and any(_has_failed(response) for _, response in members):
            members = [_failure_of(members)]  # OData: one answer for a change set that failed
        elif group:
            pieces.append(f"--{boundary}\r\nContent-Type: multipart/mixed; boundary={group}\r\n\r\n".encode())
            pieces.extend(_http_piece(group, part.content_id, response) for part, response in members)
            pieces.append(f"--{group}--\r\n".encode())
            continue
        pieces.extend(_http_piece(boundary, part.content_id, response) for part, response in members)
    pieces.append(f"--{boundary}--\r\n".encode())
    headers = {"Content-Type": f"multipart/mixed; boundary={boundary}"}
    return SandboxResponse(status=200, headers=headers, body=b"".join(pieces))


def _failure_of(members: list[tuple[BatchPart, SandboxResponse]]) -> tuple[BatchPart, SandboxResponse]:
    """The part that failed by itself, not because of another one."""
    return next((each for each in members if _has_failed(each[1]) and each[1].status != 424), members[0])


def _http_piece(boundary: str, content_id: str, response: SandboxResponse) -> bytes:
    headers = {**response.headers, "Content-Length": str(len(response.body))}
    head = "".join(f"{key}: {value}\r\n" for key, value in headers.items())
    named = f"Content-ID: {content_id}\r\n" if content_id else ""
    opening = (
        f"--{boundary}\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n{named}\r\n"
        f"HTTP/1.1 {response.status} {reason_phrase(response.status)}\r\n{head}\r\n"
    )
    return opening.encode() + response.body + b"\r\n"
