"""A folder as knowledge: its files are indexed when they come or change, and forgotten when they go (P-1).

The folder is compared with the index at the start and by `watch`, never by a search. No path from a question or a
model is opened: a search reads the index.
"""

import asyncio
import contextlib
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from batuta.kernel.errors import ConfigurationError
from batuta.knowledge.document import DocumentText
from batuta.knowledge.extract.extractor import Extractor
from batuta.knowledge.extract.failures import ExtractionFailedError
from batuta.knowledge.extract.reading import read
from batuta.knowledge.index import IndexedDocument, PassageIndex, SearchScope

SUFFIXES = frozenset(
    {".md", ".markdown", ".txt", ".pdf", ".docx", ".xlsx", ".pptx", ".csv", ".tsv", ".html", ".htm", ".eml"}
)
PLAIN_SUFFIXES = frozenset({".md", ".markdown", ".txt"})
"""Read here: nothing is parsed but lines."""
MAX_PLAIN_BYTES = 2_000_000
MAX_PLAIN_CHARS = 2_000_000
MAX_FILES = 20_000
WATCH_SECONDS = 2.0
FOLDER_PREFIX = "folder_"
"""Of the ids of documents that lie in a folder and are no files of a person."""


@dataclass(slots=True)
class KnowledgeFolder:
    """Keeps one owner's documents in step with a folder."""

    folder: Path
    index: PassageIndex
    owner: str
    extractor: Extractor = field(default_factory=Extractor)
    failures: dict[str, str] = field(default_factory=dict)
    """Files that could not be read, with the reason."""
    is_compared_by_content: bool = False
    """For an index that several machines share: the same file has another date on each."""
    _is_synced: bool = False
    _digests: dict[tuple[str, str], str] = field(default_factory=dict)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        self.folder = Path(self.folder)
        if not self.folder.is_dir():
            raise ConfigurationError(f"there is no folder of documents at {self.folder}: create it, or name another")

    @property
    def scope(self) -> SearchScope:
        """Everything in the folder."""
        return SearchScope(owners=(self.owner,))

    async def ready(self) -> None:
        """Wait until the folder was indexed once."""
        if not self._is_synced:
            await self.sync()

    async def sync(self) -> int:
        """Bring the index up to date: how many files had changed."""
        async with self._lock:
            current = dict(await asyncio.to_thread(lambda: list(self._stamps())))
            known = {entry.name: entry for entry in await self.index.entries(self.scope)}
            gone = frozenset(entry.document_id for name, entry in known.items() if name not in current)
            changed = [
                (name, stamp)
                for name, stamp in current.items()
                if (name not in known or known[name].revision != stamp) and self.failures.get(name) != stamp
            ]
            if gone:
                await self.index.remove(SearchScope(owners=(self.owner,), documents=gone))
            try:
                for name, stamp in changed:
                    await self._read(name, stamp)
            finally:
                # An agent that has read a folder is only forgotten, never closed: no process waits with it.
                await self.extractor.close()
            self._is_synced = True
            return len(changed) + len(gone)

    async def watch(self, seconds: float = WATCH_SECONDS) -> None:
        """Follow the folder until cancelled."""
        while True:
            with contextlib.suppress(OSError):
                await self.sync()
            await asyncio.sleep(seconds)

    async def _read(self, name: str, stamp: str) -> None:
        path = self.folder / name
        identity = self.document_id(name)
        try:
            content = await self._content(path, name)
        except (ExtractionFailedError, OSError):
            self.failures[name] = stamp
            await self.index.remove(SearchScope(owners=(self.owner,), documents=frozenset({identity})))
            return
        self.failures.pop(name, None)
        await self.index.put(
            IndexedDocument(document_id=identity, owner=self.owner, name=name, content=content, revision=stamp)
        )

    async def _content(self, path: Path, name: str) -> DocumentText:
        if path.suffix.lower() not in PLAIN_SUFFIXES:
            return await self.extractor.extract(path, name)
        data = await asyncio.to_thread(path.read_bytes)
        if len(data) > MAX_PLAIN_BYTES:
            raise ExtractionFailedError("too_large")
        return await asyncio.to_thread(read, data, name, max_chars=MAX_PLAIN_CHARS)

    def document_id(self, name: str) -> str:
        """The id of a file of the folder: the same after a restart."""
        digest = hashlib.sha256(f"{self.owner}\n{name}".encode()).hexdigest()
        return f"{FOLDER_PREFIX}{digest[:32]}"

    def _stamps(self) -> Iterator[tuple[str, str]]:
        """The files there are, each with what changes when it does."""
        count = 0
        for root, folders, names in os.walk(self.folder):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                path = Path(root, name)
                if path.suffix.lower() not in SUFFIXES or name.startswith(".") or path.is_symlink():
                    continue
                count += 1
                if count > MAX_FILES:
                    return
                facts = path.stat()
                yield (
                    path.relative_to(self.folder).as_posix(),
                    self._stamp(path, f"{facts.st_mtime_ns}:{facts.st_size}"),
                )

    def _stamp(self, path: Path, dated: str) -> str:
        if not self.is_compared_by_content:
            return dated
        key = (str(path), dated)
        if key not in self._digests:
            with path.open("rb") as content:
                self._digests[key] = hashlib.file_digest(content, "sha256").hexdigest()
        return self._digests[key]
