"""Bytes of files in an S3-compatible store: a `BlobStore` for platforms of several machines (extra `s3`).

    uploads/{upload}/{offset}    the parts of an upload as they came, each an object
    blobs/{ab}/{hash}            whole contents

An upload has no state but its parts: any process of any machine can go on with it. A part is written only where none is
(`If-None-Match: *`), so that of two requests at the same place one is refused. Readers need a file: a content that is
read lies for a minute in a folder of its own, and is looked for in the store at every use, so that it does not outlive
its erasure there.
"""

import asyncio
import contextlib
import hashlib
import os
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError, NotFoundError, PreconditionError
from obstore.store import S3Store

from batuta.kernel.errors import StoreUnavailableError
from batuta.server.files.blobs import UploadBusyError, UploadMovedError, safe_name

PART_BYTES = 5 * 1024 * 1024
"""Of an upload no more than this is in memory, and no part of a multipart upload may be smaller."""
PARTS_AT_ONCE = 2
KEPT_SECONDS = 60.0
"""How long a content lies on this machine after it was last fetched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Bucket:
    """A part of a bucket; what is not given is taken from the machine's own role or environment."""

    name: str
    prefix: str
    endpoint: str | None = None
    region: str | None = None
    access_key: str | None = None
    secret_key: str | None = None

    def open(self) -> S3Store:
        """A client of it. Nothing is asked of the store yet."""
        given = {
            "endpoint": self.endpoint,
            "region": self.region,
            "access_key_id": self.access_key,
            "secret_access_key": self.secret_key,
        }
        config: Any = {name: value for name, value in given.items() if value}
        return S3Store(
            self.name,
            prefix=self.prefix,
            config=config,
            client_options={"allow_http": bool(self.endpoint and self.endpoint.startswith("http://"))},
            retry_config={"max_retries": 3, "retry_timeout": timedelta(seconds=20)},
        )


class S3BlobStore:
    """A `BlobStore` in a bucket."""

    def __init__(self, bucket: S3Bucket, folder: Path) -> None:
        self._store = bucket.open()
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._fetching: dict[str, asyncio.Lock] = {}

    async def offset(self, upload_id: str) -> int:
        """See `BlobStore.offset`: up to the first gap."""
        size = 0
        for start, length in await self._parts(upload_id):
            if start != size:
                break
            size += length
        return size

    async def append(self, upload_id: str, chunks: AsyncIterator[bytes], *, begin: int, limit: int) -> int:
        """See `BlobStore.append`."""
        if await self.offset(upload_id) != begin:
            raise UploadMovedError("another request has added to this upload")
        size, waiting = begin, bytearray()
        try:
            async for chunk in chunks:
                waiting += chunk[: max(0, limit - size - len(waiting))]
                while len(waiting) >= PART_BYTES:
                    part = bytes(waiting[:PART_BYTES])
                    await self._put_part(upload_id, size, part)
                    size += len(part)
                    del waiting[:PART_BYTES]
        finally:
            if waiting or (not size and not limit):
                await asyncio.shield(self._put_part(upload_id, size, bytes(waiting)))
        return size + len(waiting)

    async def finish(self, upload_id: str) -> str:
        """See `BlobStore.finish`: the parts are read twice, for the hash and as the parts of one object."""
        parts = await self._parts(upload_id)
        hashing = hashlib.sha256()
        async for piece in self._content(upload_id, parts):
            hashing.update(piece)
        digest = hashing.hexdigest()
        async with _ours():
            content = self._content(upload_id, parts) if sum(size for _, size in parts) else b""
            await obstore.put_async(
                self._store, _blob(digest), content, chunk_size=PART_BYTES, max_concurrency=PARTS_AT_ONCE
            )
        return digest

    async def discard(self, upload_id: str) -> None:
        """See `BlobStore.discard`."""
        names = [_part(upload_id, start) for start, _ in await self._parts(upload_id)]
        if names:
            async with _ours():
                await obstore.delete_async(self._store, names)

    async def local_path(self, digest: str) -> Path | None:
        """See `BlobStore.local_path`."""
        path = self._folder / safe_name(digest)
        async with self._fetching.setdefault(digest, asyncio.Lock()), _ours():
            await asyncio.to_thread(self._forget_old)
            try:
                if path.is_file():
                    await obstore.head_async(self._store, _blob(digest))
                else:
                    await self._fetch(digest, path)
            except (NotFoundError, FileNotFoundError):
                path.unlink(missing_ok=True)
                return None
            os.utime(path)
        return path

    async def delete(self, digest: str) -> None:
        """See `BlobStore.delete`."""
        async with _ours():
            with contextlib.suppress(NotFoundError, FileNotFoundError):
                await obstore.delete_async(self._store, _blob(digest))
        (self._folder / safe_name(digest)).unlink(missing_ok=True)

    async def sweep(self) -> None:
        """See `BlobStore.sweep`: copies that were fetched a while ago."""
        await asyncio.to_thread(self._forget_old)

    async def _fetch(self, digest: str, path: Path) -> None:
        answer = await obstore.get_async(self._store, _blob(digest))
        partial = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            with partial.open("wb") as local:
                async for piece in answer.stream(min_chunk_size=PART_BYTES):
                    await asyncio.to_thread(local.write, bytes(piece))
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)

    async def _put_part(self, upload_id: str, start: int, part: bytes) -> None:
        async with _ours():
            try:
                await obstore.put_async(self._store, _part(upload_id, start), part, mode="create")
            except (AlreadyExistsError, PreconditionError) as error:
                raise UploadBusyError("another request is sending this upload") from error

    async def _parts(self, upload_id: str) -> list[tuple[int, int]]:
        """Where each part of an upload begins, and its length, in order."""
        async with _ours():
            found = await obstore.list(self._store, prefix=f"uploads/{safe_name(upload_id)}").collect_async()
        return sorted((int(each["path"].rpartition("/")[2]), each["size"]) for each in found)

    async def _content(self, upload_id: str, parts: list[tuple[int, int]]) -> AsyncIterator[bytes]:
        for start, _ in parts:
            async with _ours():
                answer = await obstore.get_async(self._store, _part(upload_id, start))
                yield bytes(await answer.bytes_async())

    def _forget_old(self) -> None:
        before = time.time() - KEPT_SECONDS
        for path in self._folder.iterdir():
            with contextlib.suppress(FileNotFoundError):
                if path.stat().st_mtime < before:
                    path.unlink()


def _part(upload_id: str, start: int) -> str:
    return f"uploads/{safe_name(upload_id)}/{start:015d}"


def _blob(digest: str) -> str:
    return f"blobs/{safe_name(digest)[:2]}/{digest}"


@contextlib.asynccontextmanager
async def _ours() -> AsyncIterator[None]:
    """Foreign errors become ours here: what the store does not do may be tried again."""
    try:
        yield
    except (NotFoundError, FileNotFoundError):
        raise
    except (BaseError, OSError) as error:
        raise StoreUnavailableError(f"the store of files did not do it: {type(error).__name__}") from error
