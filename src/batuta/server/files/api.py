"""Files over HTTP: uploads by the tus protocol, lists, previews, search.

POST  /api/files                     announce an upload (Upload-Length, Upload-Metadata)
HEAD  /api/files/{file_id}/upload    how much of it is there
PATCH /api/files/{file_id}/upload    the next part, from there
"""

import base64
import binascii
import re
from datetime import datetime
from typing import Annotated, Literal

from fastapi import Query, Request, Response
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field

from batuta.kernel.id_fields import UuidStr
from batuta.knowledge.extract.failures import REASONS
from batuta.server.files.repository import StoredFile
from batuta.server.files.service import Files
from batuta.server.files.uploads import Announcement, UploadPart
from batuta.server.http.dependencies import CurrentCaller, provided
from batuta.server.http.guard import new_router
from batuta.server.problems import BadRequestProblem

router = new_router(tags=["files"])

FilesService = Annotated[Files, provided(Files)]

TUS = {"Tus-Resumable": "1.0.0", "Tus-Version": "1.0.0", "Tus-Extension": "creation,termination"}
KEY = re.compile(r"[A-Za-z0-9._:-]{1,100}")
PART_TYPE = "application/offset+octet-stream"
MAX_SHOWN_CHARS = 200_000
SHOWN_TYPES = frozenset({"application/pdf", "text/plain"})
"""Shown in the browser's own viewer; everything else is downloaded. HTML never runs."""
CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox"


class FileView(BaseModel):
    """A file, as its owner sees it."""

    file_id: str
    name: str
    folder: str
    media_type: str
    size_bytes: int
    status: Literal["uploading", "processing", "ready", "failed"]
    reason: str | None
    """Why it could not be read: a code."""
    explanation: dict[str, str] | None
    """The reason and what to do, by language."""
    job_id: str | None
    created_at: datetime


class FileList(BaseModel):
    """A page of my files."""

    items: list[FileView]
    folders: list[str]
    used_bytes: int
    quota_bytes: int
    next_cursor: str | None


class FileChange(BaseModel):
    """A new name or folder."""

    name: str | None = Field(default=None, max_length=200)
    folder: str | None = Field(default=None, max_length=400)


class FileText(BaseModel):
    """What was read of a file."""

    title: str
    text: str
    is_part: bool
    """Whether there is more than is shown."""
    extractor: str


@router.get("/api/files")
async def list_files(
    caller: CurrentCaller,
    files: FilesService,
    folder: Annotated[str | None, Query(max_length=400)] = None,
    cursor: Annotated[str, Query(max_length=40)] = "",
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
) -> FileList:
    """My files, newest first."""
    found = await files.page(caller, folder=folder, after=cursor, limit=limit + 1)
    used, quota = await files.used(caller)
    return FileList(
        items=[file_view(file) for file in found[:limit]],
        folders=list(await files.folders(caller)),
        used_bytes=used,
        quota_bytes=quota,
        next_cursor=found[limit - 1].file_id if len(found) > limit else None,
    )


@router.post("/api/files", status_code=201)
async def begin_upload(caller: CurrentCaller, request: Request, files: FilesService) -> Response:
    """Announce an upload: `Upload-Length` bytes, `Upload-Metadata` with `filename` and, if wanted, `folder`.

    The same `Idempotency-Key` again is answered with the same file: a lost answer costs nothing.
    """
    named = _metadata(request.headers.get("upload-metadata", ""))
    announced = Announcement(
        name=named.get("filename", ""),
        folder=named.get("folder", ""),
        size_bytes=_number(request, "upload-length"),
        client_key=_key(request),
    )
    file = await files.begin(caller, announced)
    offset = (await files.offset(file.file_id))[1] if announced.client_key else 0
    headers = {**TUS, "Location": f"/api/files/{file.file_id}/upload", "Upload-Offset": str(offset)}
    return Response(file_view(file).model_dump_json(), 201, headers, "application/json")


@router.head("/api/files/{file_id}/upload")
async def upload_offset(file_id: UuidStr, files: FilesService) -> Response:
    """How much of an upload is there."""
    file, done = await files.offset(file_id)
    headers = {"Upload-Offset": str(done), "Upload-Length": str(file.size_bytes), "Cache-Control": "no-store"}
    return Response(status_code=200, headers={**TUS, **headers})


@router.patch("/api/files/{file_id}/upload", status_code=204)
async def receive_part(file_id: UuidStr, request: Request, files: FilesService) -> Response:
    """The next part of an upload, from `Upload-Offset` on."""
    if request.headers.get("content-type", "") != PART_TYPE:
        raise BadRequestProblem(f"Send the bytes as {PART_TYPE}.")
    length = _number(request, "content-length") if "content-length" in request.headers else None
    part = UploadPart(offset=_number(request, "upload-offset"), length=length, chunks=request.stream())
    done = await files.receive(file_id, part)
    return Response(status_code=204, headers={**TUS, "Upload-Offset": str(done)})


@router.get("/api/files/{file_id}")
async def read_file(file_id: UuidStr, files: FilesService) -> FileView:
    """A file, without its content."""
    return file_view(await files.get(file_id))


@router.patch("/api/files/{file_id}")
async def change_file(file_id: UuidStr, body: FileChange, files: FilesService) -> FileView:
    """Rename or move a file."""
    return file_view(await files.rename(file_id, name=body.name, folder=body.folder))


@router.delete("/api/files/{file_id}", status_code=204)
async def delete_file(file_id: UuidStr, files: FilesService) -> Response:
    """Delete a file, its text and its place in every search."""
    await files.delete(file_id)
    return Response(status_code=204)


@router.post("/api/files/{file_id}/process", status_code=202)
async def process_file(file_id: UuidStr, files: FilesService) -> FileView:
    """Read a file again."""
    await files.process_again(file_id)
    return file_view(await files.get(file_id))


@router.get("/api/files/{file_id}/content")
async def file_content(file_id: UuidStr, files: FilesService) -> Response:
    """The bytes of a file: shown where that is safe, else downloaded."""
    file, path = await files.content(file_id)
    is_shown = file.media_type in SHOWN_TYPES
    return FileResponse(
        path,
        media_type=file.media_type if is_shown else "application/octet-stream",
        filename=file.name,
        content_disposition_type="inline" if is_shown else "attachment",
        headers={"content-security-policy": CONTENT_POLICY, "x-frame-options": "SAMEORIGIN"},
    )


@router.get("/api/files/{file_id}/text")
async def file_text(file_id: UuidStr, files: FilesService) -> FileText:
    """The text of a file, as answers cite it."""
    _, text = await files.text(file_id)
    is_part = text.is_partial or len(text.text) > MAX_SHOWN_CHARS
    return FileText(title=text.title, text=text.text[:MAX_SHOWN_CHARS], is_part=is_part, extractor=text.extractor)


def file_view(file: StoredFile) -> FileView:
    """A file as the API shows it."""
    explanation = next((dict(texts) for code, texts in REASONS.items() if code == file.reason), None)
    return FileView(
        file_id=file.file_id,
        name=file.name,
        folder=file.folder,
        media_type=file.media_type,
        size_bytes=file.size_bytes,
        status=file.status,
        reason=file.reason,
        explanation={str(language): text for language, text in explanation.items()} if explanation else None,
        job_id=file.job_id,
        created_at=file.created_at,
    )


def _number(request: Request, name: str) -> int:
    given = request.headers.get(name, "")
    if not given.isascii() or not given.isdigit() or len(given) > 15:
        raise BadRequestProblem(f"The header {name} must be a number of bytes.")
    return int(given)


def _key(request: Request) -> str | None:
    given = request.headers.get("idempotency-key")
    if given is not None and not KEY.fullmatch(given):
        raise BadRequestProblem("An Idempotency-Key has 1 to 100 letters, digits or any of . _ : -")
    return given


def _metadata(header: str) -> dict[str, str]:
    """`name base64, name base64`: what tus clients send along."""
    found = {}
    for pair in header.split(","):
        key, _, value = pair.strip().partition(" ")
        try:
            found[key] = base64.b64decode(value.strip(), validate=True).decode("utf-8")
        except (binascii.Error, UnicodeDecodeError) as error:
            raise BadRequestProblem("Upload-Metadata holds pairs of a name and its value in base64.") from error
    return found
