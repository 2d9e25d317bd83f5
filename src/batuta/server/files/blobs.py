"""Where the bytes of files lie: a protocol, and a local folder. The same content lies there once."""

import asyncio
import contextlib
import errno
import fcntl
import hashlib
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Protocol

from batuta.kernel.errors import ConflictError, StoreUnavailableError
from batuta.kernel.tasks import await_shielded

WRITTEN_BYTES = 1024 * 1024
"""Gathered before each write: of an upload no more than this is in memory."""


class UploadBusyError(ConflictError):
    """Another request is writing to this upload."""


class UploadMovedError(ConflictError):
    """An upload does not stand where a request wants to go on: another one added to it."""


class StorageFullError(StoreUnavailableError):
    """There is no room for more bytes."""


class BlobStore(Protocol):
    """Keeps bytes by their hash, and uploads until they are whole."""

    async def offset(self, upload_id: str) -> int:
        """How many bytes of an upload are there."""
        ...

    async def append(self, upload_id: str, chunks: AsyncIterator[bytes], *, begin: int, limit: int) -> int:
        """Add bytes to an upload of `begin` bytes up to `limit` in all: how many are there then. What came before a
        break is kept.

        Raises:
            UploadBusyError: another request is adding.
            UploadMovedError: another request has added since.
            StorageFullError: there is no room for them.
        """
        ...

    async def finish(self, upload_id: str) -> str:
        """Make an upload a blob: its hash. The same call again gives the same."""
        ...

    async def discard(self, upload_id: str) -> None:
        """Forget an upload."""
        ...

    async def local_path(self, digest: str) -> Path | None:
        """A file to read the blob from, or nothing if it is not there."""
        ...

    async def delete(self, digest: str) -> None:
        """Forget a blob."""
        ...

    async def sweep(self) -> None:
        """Remove what this machine keeps of contents that nothing reads any more."""
        ...


class LocalBlobStore:
    """A `BlobStore` in a folder."""

    def __init__(self, folder: Path) -> None:
        self._uploads = folder / "uploads"
        self._blobs = folder / "blobs"
        for each in (self._uploads, self._blobs):
            each.mkdir(parents=True, exist_ok=True, mode=0o700)

    async def offset(self, upload_id: str) -> int:
        """See `BlobStore.offset`."""
        return await asyncio.to_thread(_size, self._upload(upload_id))

    async def append(self, upload_id: str, chunks: AsyncIterator[bytes], *, begin: int, limit: int) -> int:
        """See `BlobStore.append`."""
        handle = await asyncio.to_thread(_locked, self._upload(upload_id), begin)
        try:
            size, waiting = begin, bytearray()
            try:
                async for chunk in chunks:
                    waiting += chunk[: max(0, limit - size - len(waiting))]
                    if len(waiting) >= WRITTEN_BYTES:
                        part = bytes(waiting)
                        waiting.clear()  # written below, or lost: in no case written a second time
                        size += await await_shielded(asyncio.to_thread(_write, handle, part))
            finally:
                size += await await_shielded(asyncio.to_thread(_write_through, handle, bytes(waiting)))
            return size
        finally:
            os.close(handle)

    async def finish(self, upload_id: str) -> str:
        """See `BlobStore.finish`."""
        return await asyncio.to_thread(self._finish, self._upload(upload_id))

    async def discard(self, upload_id: str) -> None:
        """See `BlobStore.discard`."""
        await asyncio.to_thread(self._upload(upload_id).unlink, missing_ok=True)

    async def local_path(self, digest: str) -> Path | None:
        """See `BlobStore.local_path`."""
        path = self._blob(digest)
        return path if await asyncio.to_thread(path.is_file) else None

    async def delete(self, digest: str) -> None:
        """See `BlobStore.delete`."""
        await asyncio.to_thread(self._blob(digest).unlink, missing_ok=True)

    async def sweep(self) -> None:
        """See `BlobStore.sweep`: the contents themselves are here, and nothing else."""

    def _finish(self, upload: Path) -> str:
        with upload.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
        blob = self._blob(digest)
        # A link and not a move: should this process die before the row is written, the upload is still whole.
        with _full_disk(), contextlib.suppress(FileExistsError):
            blob.parent.mkdir(exist_ok=True, mode=0o700)
            os.link(upload, blob)
        return digest

    def _upload(self, upload_id: str) -> Path:
        return self._uploads / safe_name(upload_id)

    def _blob(self, digest: str) -> Path:
        return self._blobs / safe_name(digest)[:2] / safe_name(digest)


def safe_name(name: str) -> str:
    """Ids and hashes are letters, digits and hyphens; anything else never becomes a path."""
    if not name.replace("-", "").isalnum() or not name.isascii():
        raise ValueError("this is no id of a stored file")
    return name


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _locked(path: Path, size: int) -> int:
    """A handle that no other request has, of a file with so many bytes."""
    try:
        with _full_disk():
            handle = os.open(path, os.O_WRONLY | os.O_APPEND | (0 if size else os.O_CREAT), 0o600)
    except FileNotFoundError as error:
        raise UploadMovedError("this upload has been made a file") from error
    try:
        _lock(handle, size)
    except BaseException:
        os.close(handle)
        raise
    return handle


def _lock(handle: int, size: int) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EACCES):
            raise UploadBusyError("another request is sending this upload") from error
        raise
    # Only who holds the lock knows: a request whose client is gone may have written its last bytes just now.
    if os.fstat(handle).st_size != size:
        raise UploadMovedError("another request has added to this upload")


def _write(handle: int, data: bytes) -> int:
    """All of it, or nothing: half of it would be taken for what the client has sent so far."""
    before, view = os.fstat(handle).st_size, memoryview(data)
    try:
        with _full_disk():
            while view:
                view = view[os.write(handle, view) :]
    except (OSError, StorageFullError):
        os.ftruncate(handle, before)
        raise
    return len(data)


def _write_through(handle: int, data: bytes) -> int:
    written = _write(handle, data)
    with _full_disk():
        os.fsync(handle)
    return written


@contextlib.contextmanager
def _full_disk() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFullError("there is no room for the bytes of this file") from error
        raise
