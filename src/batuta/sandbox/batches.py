"""`$batch`: several requests in one, as JSON or as multipart.

With `Isolation: snapshot` all of them are one transaction: one that fails takes all back. A change set of a multipart
batch is always one transaction. Without `Prefer: odata.continue-on-error` the batch ends at the first failure.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

from batuta.sandbox.errors import BadRequestError, SandboxError
from batuta.sandbox.paths import ApiPath
from batuta.sandbox.records import SandboxStore
from batuta.sandbox.requests import SandboxRequest, SandboxResponse

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


class _BatchFailedError(Exception):
    """Takes the transaction of a batch or group back; never leaves this module."""


def answer_batch(request: SandboxRequest, path: ApiPath, store: SandboxStore, answer: Answer) -> SandboxResponse:
    """Answer every part of a batch; `answer` answers one request and never raises for what is wrong with it."""
    if request.method != "POST":
        raise SandboxError("A batch is sent with POST.", code="BadRequest_MethodNotAllowed", status=405)
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

    def run(self, parts: list[BatchPart]) -> dict[str, SandboxResponse]:
        if not self._is_snapshot:
            self._run_groups(parts)
            return self._responses
        try:
            with self._store.transaction():
                self._run_groups(parts)
                self._raise_if_failed(parts)
        except _BatchFailedError:
            pass
        return self._responses

    def _run_groups(self, parts: list[BatchPart]) -> None:
        groups: list[list[BatchPart]] = []
        for part in parts:
            if part.group and groups and groups[-1][0].group == part.group:
                groups[-1].append(part)
            else:
                groups.append([part])
        for group in groups:
            self._run_group(group)
            if not self._goes_on and any(
                _has_failed(self._responses[part.id]) for part in group if part.id in self._responses
            ):
                return

    def _run_group(self, group: list[BatchPart]) -> None:
        if not group[0].group:
            self._run_part(group[0])
            return
        try:
            with self._store.transaction():
                for part in group:
                    self._run_part(part)
                    self._raise_if_failed([part])
        except _BatchFailedError:
            return

    def _run_part(self, part: BatchPart) -> None:
        failed = [each for each in part.depends_on if each in self._responses and _has_failed(self._responses[each])]
        if failed:
            message = {
                "error": {"code": "BadRequest", "message": f"The request {failed[0]}, which this one needs, failed."}
            }
            self._responses[part.id] = SandboxResponse.of_json(message, 424)
            return
        self._responses[part.id] = self._answer(part.request)

    def _raise_if_failed(self, parts: list[BatchPart]) -> None:
        if self._has_failure(parts):
            raise _BatchFailedError

    def _has_failure(self, parts: list[BatchPart]) -> bool:
        return any(_has_failed(self._responses[part.id]) for part in parts if part.id in self._responses)


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
    return parts


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
    listed = []
    for name, response in responses.items():
        headers = {key.lower(): value for key, value in response.headers.items()}
        shown: dict[str, Any] = {"id": name, "status": response.status, "headers": headers}
        if response.body:
            is_json = "json" in headers.get("content-type", "")
            shown["body"] = response.json() if is_json else response.body.decode("utf-8", "replace")
        listed.append(shown)
    return SandboxResponse.of_json({"responses": listed})


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
    return BatchPart(id=place[0], request=request, group=place[1])


def _multipart_response(parts: list[BatchPart], responses: dict[str, SandboxResponse]) -> SandboxResponse:
    boundary = "batchresponse_sandbox"
    answered = [part for part in parts if part.id in responses]
    pieces: list[bytes] = []
    open_group = ""
    for part in answered:
        if open_group and part.group != open_group:
            pieces.append(f"--{open_group}--\r\n".encode())
        if part.group and part.group != open_group:
            pieces.append(f"--{boundary}\r\nContent-Type: multipart/mixed; boundary={part.group}\r\n\r\n".encode())
        open_group = part.group
        pieces.append(_http_piece(part.group or boundary, part.id, responses[part.id]))
    if open_group:
        pieces.append(f"--{open_group}--\r\n".encode())
    pieces.append(f"--{boundary}--\r\n".encode())
    headers = {"Content-Type": f"multipart/mixed; boundary={boundary}"}
    return SandboxResponse(status=200, headers=headers, body=b"".join(pieces))


def _http_piece(boundary: str, name: str, response: SandboxResponse) -> bytes:
    headers = {**response.headers, "Content-Length": str(len(response.body))}
    head = "".join(f"{key}: {value}\r\n" for key, value in headers.items())
    opening = (
        f"--{boundary}\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n"
        f"Content-ID: {name}\r\n\r\n"
        f"HTTP/1.1 {response.status} Answer\r\n{head}\r\n"
    )
    return opening.encode() + response.body + b"\r\n"
