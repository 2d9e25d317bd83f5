"""File tools that cannot leave a root: list, read, write, search.

A path is walked one name at a time from an open directory, and no symbolic link is followed, so nothing that changes
on the disk between a check and a use can lead outside. Only ordinary files are opened.
"""

import asyncio
import errno
import fnmatch
import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from batuta.kernel.errors import ConfigurationError, ToolFailedError, ToolRefusedError
from batuta.tools.policy import Approval
from batuta.tools.tool import Tool, tool

MAX_FILE_BYTES = 1_000_000
MAX_ENTRIES = 1_000
MAX_MATCHES = 100
MAX_SEARCHED_FILES = 5_000
MAX_SEARCH_SECONDS = 10.0
MAX_DEPTH = 32
MAX_LINE_CHARS = 300

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_KINDS = {stat.S_IFDIR: "directory", stat.S_IFREG: "file", stat.S_IFLNK: "link"}


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """One name in a directory."""

    name: str
    kind: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Match:
    """A line that holds what was searched for."""

    path: str
    line: int
    text: str


def file_tools(
    root: str | Path, *, writable: bool = False, approval: Approval = "never", max_file_bytes: int = MAX_FILE_BYTES
) -> tuple[Tool, ...]:
    """The tools `list_files`, `read_file`, `search_files`, and `write_file` if the root is writable."""
    folder = ConfinedFolder(root, max_file_bytes=max_file_bytes)
    readers = (_list_tool(folder), _read_tool(folder), _search_tool(folder))
    return (*readers, _write_tool(folder, approval)) if writable else readers


def _list_tool(folder: "ConfinedFolder") -> Tool:
    @tool(kind="retrieval")
    async def list_files(path: str = ".") -> list[FolderEntry]:
        """List a directory.

        Args:
            path: The directory, relative to the root.
        """
        return await asyncio.to_thread(folder.entries, path)

    return list_files


def _read_tool(folder: "ConfinedFolder") -> Tool:
    @tool(kind="retrieval", max_result_chars=folder.max_file_bytes)
    async def read_file(path: str) -> str:
        """Read a text file.

        Args:
            path: The file, relative to the root.
        """
        return await asyncio.to_thread(folder.text, path)

    return read_file


def _search_tool(folder: "ConfinedFolder") -> Tool:
    @tool(kind="retrieval")
    async def search_files(text: str, path: str = ".", pattern: str = "*") -> list[Match]:
        """Find the lines of text files that hold a text, without regard to case.

        Args:
            text: What to look for, literally.
            path: The directory to search, relative to the root.
            pattern: Which file names to look into, such as `*.md`.
        """
        return await asyncio.to_thread(folder.search, text, path, pattern)

    return search_files


def _write_tool(folder: "ConfinedFolder", approval: Approval) -> Tool:
    @tool(kind="side_effect", effect="write", approval=approval, max_argument_bytes=folder.max_file_bytes * 2)
    async def write_file(path: str, content: str) -> str:
        """Write a text file, replacing it if it exists.

        Args:
            path: The file, relative to the root; missing directories are made.
            content: The whole new content.
        """
        size = await asyncio.to_thread(folder.write, path, content)
        return f"wrote {size} bytes to {path}"

    return write_file


class ConfinedFolder:
    """A directory and what is in it. Blocking: call it in a thread.

    Raises `ToolRefusedError` for every path that leads or might lead outside, `ToolFailedError` for what is not there.
    """

    def __init__(self, root: str | Path, *, max_file_bytes: int = MAX_FILE_BYTES) -> None:
        self._root = Path(root).resolve()
        if not self._root.is_dir():
            raise ConfigurationError(f"the root of file tools is a directory, got {root}")
        self.max_file_bytes = max_file_bytes

    def entries(self, path: str) -> list[FolderEntry]:
        """What a directory holds, by name."""
        with self._directory(_names(path)) as folder, os.scandir(folder) as found:
            entries = [_entry(item) for _, item in zip(range(MAX_ENTRIES), found, strict=False)]
        return sorted(entries, key=lambda entry: entry.name)

    def text(self, path: str) -> str:
        """The content of a text file."""
        content = self._content(_file_names(path))
        try:
            return content.decode()
        except UnicodeDecodeError:
            raise ToolFailedError(f"{path} is no text file") from None

    def write(self, path: str, content: str) -> int:
        """Put a file in place at once: a reader sees the old content or the new one. Returns its size."""
        data = _encoded(content)
        if len(data) > self.max_file_bytes:
            raise ToolRefusedError(f"a file has at most {self.max_file_bytes} bytes, this one has {len(data)}")
        *parents, name = _file_names(path)
        with self._directory(parents, make=True) as folder:
            _require_replaceable(name, folder)
            _replace(name, data, folder)
        return len(data)

    def search(self, text: str, path: str = ".", pattern: str = "*") -> list[Match]:
        """Lines that hold a text, in the files below a directory, within bounds of files, matches and time."""
        if not text.strip():
            raise ToolFailedError("there is nothing to search for")
        deadline = time.monotonic() + MAX_SEARCH_SECONDS
        names, matches = _names(path), list[Match]()
        with self._directory(names) as folder:
            for place, _ in zip(_files_below(folder, pattern), range(MAX_SEARCHED_FILES), strict=False):
                if len(matches) >= MAX_MATCHES or time.monotonic() > deadline:
                    break
                matches += self._matches_in([*names, *place], text.casefold())
        return matches[:MAX_MATCHES]

    def _matches_in(self, names: list[str], text: str) -> list[Match]:
        try:
            lines = self._content(names).decode().splitlines()
        except (ToolFailedError, ToolRefusedError, UnicodeDecodeError):
            return []
        path = "/".join(names)
        found = ((number, line) for number, line in enumerate(lines, 1) if text in line.casefold())
        return [Match(path, number, line.strip()[:MAX_LINE_CHARS]) for number, line in found]

    def _content(self, names: list[str]) -> bytes:
        *parents, name = names
        with self._directory(parents) as folder, _opened(name, _READ, folder) as file:
            status = os.fstat(file)
            if not stat.S_ISREG(status.st_mode):
                raise ToolRefusedError(f"{name} is no ordinary file")
            if status.st_size > self.max_file_bytes:
                raise ToolFailedError(f"{name} has {status.st_size} bytes; at most {self.max_file_bytes} can be read")
            with os.fdopen(os.dup(file), "rb") as stream:
                return stream.read(self.max_file_bytes)

    @contextmanager
    def _directory(self, names: list[str], *, make: bool = False) -> Iterator[int]:
        """Walk down one name at a time, holding each directory open until the next one is."""
        current = os.open(self._root, _DIRECTORY)
        try:
            for name in names:
                if make:
                    _make_directory(name, current)
                with _opened(name, _DIRECTORY, current) as following:
                    os.dup2(following, current, inheritable=False)
            yield current
        finally:
            os.close(current)


def _names(path: str) -> list[str]:
    """A path as names below the root."""
    if "\0" in path or "\\" in path or any(ord(char) < 32 for char in path):
        raise ToolRefusedError("a path has no control characters and no backslashes")
    if path.startswith(("/", "~")) or ".." in path.split("/"):
        raise ToolRefusedError(f"{path[:200]!r} leads outside the root; give a path below it")
    names = [name for name in path.split("/") if name not in ("", ".")]
    if len(names) > MAX_DEPTH or any(len(_encoded(name)) > 255 for name in names):
        raise ToolRefusedError(f"a path has at most {MAX_DEPTH} names of at most 255 bytes")
    return names


def _file_names(path: str) -> list[str]:
    names = _names(path)
    if not names or path.endswith("/"):
        raise ToolFailedError(f"{path!r} names no file")
    return names


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise ToolRefusedError("the text is no valid Unicode") from None


@contextmanager
def _opened(name: str, flags: int, folder: int) -> Iterator[int]:
    try:
        descriptor = os.open(name, flags, dir_fd=folder)
    except OSError as error:
        raise _in_our_words(error, name, folder) from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _in_our_words(error: OSError, name: str, folder: int) -> ToolRefusedError | ToolFailedError:
    if _kind_of(name, folder) == "link":
        return ToolRefusedError(f"{name} is a symbolic link; links are not followed")
    if error.errno == errno.ENXIO:
        return ToolRefusedError(f"{name} is no ordinary file")
    return ToolFailedError(f"{name}: {os.strerror(error.errno or 0)}")


def _kind_of(name: str, folder: int) -> str | None:
    """What a name stands for, without following it; `None` if there is nothing."""
    try:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except OSError:
        return None
    return _KINDS.get(stat.S_IFMT(mode), "special")


def _make_directory(name: str, folder: int) -> None:
    try:
        os.mkdir(name, 0o755, dir_fd=folder)
    except FileExistsError:
        return
    except OSError as error:
        raise _in_our_words(error, name, folder) from None


def _require_replaceable(name: str, folder: int) -> None:
    kind = _kind_of(name, folder)
    if kind == "directory":
        raise ToolFailedError(f"{name} is a directory")
    if kind not in (None, "file"):
        raise ToolRefusedError(f"{name} is a {kind}, no ordinary file")


def _replace(name: str, data: bytes, folder: int) -> None:
    temporary = f".{secrets.token_hex(8)}.tmp"
    with _opened(temporary, _WRITE_NEW, folder) as file:
        try:
            with os.fdopen(os.dup(file), "wb") as stream:
                stream.write(data)
            os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        except OSError as error:
            os.unlink(temporary, dir_fd=folder)
            raise _in_our_words(error, name, folder) from None


def _entry(item: os.DirEntry[str]) -> FolderEntry:
    try:
        status = item.stat(follow_symlinks=False)
    except OSError:
        return FolderEntry(item.name, "gone", 0)
    kind = _KINDS.get(stat.S_IFMT(status.st_mode), "special")
    return FolderEntry(item.name, kind, status.st_size if kind == "file" else 0)


def _files_below(folder: int, pattern: str) -> Iterator[list[str]]:
    """The places of ordinary files, names below the directory; links are passed by."""
    for where, directories, files, _ in os.fwalk(".", dir_fd=folder, follow_symlinks=False):
        parents = [name for name in where.split("/") if name != "."]
        directories.sort()
        if len(parents) >= MAX_DEPTH:
            directories.clear()
        yield from ([*parents, name] for name in sorted(files) if fnmatch.fnmatchcase(name, pattern))
