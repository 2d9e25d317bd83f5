"""Where large datasets lie. Any storage of uploaded files does."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol


class TableStorage(Protocol):
    """Keeps files by their hash, and uploads until they are whole."""

    async def append(self, upload_id: str, chunks: AsyncIterator[bytes], *, begin: int, limit: int) -> int:
        """Add bytes to an upload of `begin` bytes up to `limit` in all: how many are there then."""
        ...

    async def finish(self, upload_id: str) -> str:
        """Keep an upload by its hash, which is returned."""
        ...

    async def discard(self, upload_id: str) -> None:
        """Forget an upload."""
        ...

    async def local_path(self, digest: str) -> Path | None:
        """A file to read the content from, or nothing if it is not there."""
        ...

    async def delete(self, digest: str) -> None:
        """Forget a file."""
        ...
