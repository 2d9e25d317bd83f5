"""Extraction beside the event loop: a few processes read files, and no file can take the worker with it (P-34)."""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from batuta.kernel.errors import TransientError
from batuta.kernel.tasks import await_shielded
from batuta.knowledge.document import DocumentText, from_json
from batuta.knowledge.extract.builder import MAX_CHARS
from batuta.knowledge.extract.failures import REASONS, ExtractionFailedError, FailureCode
from batuta.knowledge.extract.language_data import LANGUAGE_DATA
from batuta.knowledge.extract.pages import PageImage
from batuta.knowledge.extract.pages import from_json as page_from_json

MEBIBYTE = 1024 * 1024
PAGE_PIXELS = 1_000
"""The width of a page that is drawn to be read on a screen."""
GRACE_SECONDS = 5.0
"""What the process gets beyond a file's time to kill it and say so."""
ATTEMPTS = 4
"""At one file, where the process that reads it is killed from outside: by the kernel, say, that has no memory left."""
RESTARTS = 20
"""Of the extraction process during one file. It reads nothing itself, so that its end says nothing about the file."""
STALLED_SIGNALS = frozenset({int(signal.SIGXCPU), int(signal.SIGKILL)})


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionLimits:
    """What reading one file may take."""

    seconds: float = 40.0
    cpu_seconds: int = 20
    memory_bytes: int = 1536 * MEBIBYTE
    output_bytes: int = 64 * MEBIBYTE
    file_bytes: int = 100 * MEBIBYTE
    max_chars: int = MAX_CHARS


RECOGNITION_LIMITS = ExtractionLimits(seconds=600, cpu_seconds=400, memory_bytes=2048 * MEBIBYTE)
"""A page takes about a second of processor time."""
RECOGNISED: frozenset[FailureCode] = frozenset({"no_text", "image"})
"""What text recognition may help with."""


@dataclass(slots=True)
class Extractor:
    """Reads files in processes of its own. Close it to end them."""

    limits: ExtractionLimits = field(default_factory=ExtractionLimits)
    processes: int = 1
    recognition: ExtractionLimits | None = None
    """What recognising the text of one scan may take; without it scans and pictures are refused."""
    _free: asyncio.Queue["_Zygote"] | None = None
    _all: list["_Zygote"] = field(default_factory=list)

    async def extract(self, path: Path, name: str) -> DocumentText:
        """The text of a file; `name` is what people call it. Raises `ExtractionFailedError`."""
        request = {"path": str(path), "name": name, "max_chars": self.limits.max_chars}
        try:
            answer = await self._answer(request, path, self.limits)
        except ExtractionFailedError as error:
            if self.recognition is None or error.reason not in RECOGNISED:
                raise
            answer = await self._answer({**request, "is_recognised": True}, path, self.recognition)
        return from_json(answer["document"])

    async def page(self, path: Path, number: int, words: str = "", *, width: int = PAGE_PIXELS) -> PageImage:
        """A page of a PDF as a picture, with the places of some words on it. Raises `ExtractionFailedError`."""
        wanted = {"number": number, "words": words, "width": width}
        answer = await self._answer({"path": str(path), "page": wanted}, path, self.limits)
        return page_from_json(answer["page"])

    async def _answer(self, request: Mapping[str, Any], path: Path, limits: ExtractionLimits) -> Mapping[str, Any]:
        size = (await asyncio.to_thread(path.stat)).st_size
        if size == 0:
            raise ExtractionFailedError("empty")
        if size > limits.file_bytes:
            raise ExtractionFailedError("over_limit", f"{size} bytes")
        free = self._started()
        zygote = await free.get()
        try:
            return await _attempted(zygote, request, limits)
        finally:
            free.put_nowait(zygote)

    async def close(self) -> None:
        """End the processes."""
        for zygote in self._all:
            await zygote.end()

    def _started(self) -> asyncio.Queue["_Zygote"]:
        if self._free is None:
            self._free = asyncio.Queue()
            self._all = [_Zygote() for _ in range(self.processes)]
            for zygote in self._all:
                self._free.put_nowait(zygote)
        return self._free


class ExtractionInterruptedError(TransientError):
    """The extraction process is ended again and again by something that is not the file: try later."""


class _ReaderKilledError(Exception):
    """The process that read one file was killed from outside."""


class _ExtractionKilledError(Exception):
    """The extraction process was killed, with whatever it was doing."""


async def _attempted(zygote: "_Zygote", request: Mapping[str, Any], limits: ExtractionLimits) -> Mapping[str, Any]:
    """Ask again where a process was killed; a file whose readers are killed every time takes too much memory."""
    readers = restarts = 0
    while True:
        try:
            return await zygote.answer(request, limits)
        except _ReaderKilledError as error:
            readers += 1
            if readers == ATTEMPTS:
                raise ExtractionFailedError("too_large", str(error)) from error
        except _ExtractionKilledError as error:
            restarts += 1
            if restarts == RESTARTS:
                raise ExtractionInterruptedError("the extraction process does not stay alive") from error


class _Zygote:
    """One process that forks readers of files; a new one is started where the old one is gone."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._folder: Path | None = None
        self._discard_folder: Callable[[], object] | None = None
        self._asked_for = 0

    async def answer(self, request: Mapping[str, Any], limits: ExtractionLimits) -> Mapping[str, Any]:
        if self._folder is None:
            made = tempfile.mkdtemp(prefix="batuta-extract-")
            self._folder = Path(made)
            # Also when its owner is only forgotten: a folder that is read for a run has no end of its own.
            self._discard_folder = weakref.finalize(self, shutil.rmtree, made, ignore_errors=True)
        self._asked_for += 1
        output = Path(self._folder, f"{self._asked_for}.json")  # never one that another file left behind
        bounded = {
            **request,
            "output": str(output),
            "seconds": limits.seconds,
            "cpu_seconds": limits.cpu_seconds,
            "memory_bytes": limits.memory_bytes,
            "output_bytes": limits.output_bytes,
        }
        began = time.monotonic()
        ended = await self._asked(bounded, limits.seconds + GRACE_SECONDS)
        is_early = time.monotonic() - began < limits.cpu_seconds
        if ended["signal"] == signal.SIGKILL and is_early and not ended["is_late"]:
            raise _ReaderKilledError("the process of the file was killed")  # before any limit of ours could have
        return await asyncio.to_thread(_answer, ended, output)

    async def end(self) -> None:
        process, self._process = self._process, None
        discard, self._discard_folder, self._folder = self._discard_folder, None, None
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await await_shielded(
                process.wait()
            )  # cancelled twice, it would be left to a loop that may be closed by then
        if discard is not None:
            discard()

    async def _asked(self, request: Mapping[str, Any], seconds: float) -> Mapping[str, Any]:
        try:
            process = await self._running()
            if process.stdin is None or process.stdout is None:
                raise ExtractionFailedError("broken", "the extraction process has no pipes")
            process.stdin.write(json.dumps(request).encode() + b"\n")
            async with asyncio.timeout(seconds):
                await process.stdin.drain()
                line = await process.stdout.readline()
            if line:
                answer: Mapping[str, Any] = json.loads(line)
                return answer
        except TimeoutError as error:
            await self.end()
            raise ExtractionFailedError("too_slow", repr(error)) from error
        except OSError as error:
            await self.end()
            raise _ExtractionKilledError(repr(error)) from error
        except asyncio.CancelledError:
            await self.end()
            raise
        await self.end()
        raise _ExtractionKilledError("the extraction process was killed")

    async def _running(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            return await await_shielded(self._started())
        return self._process

    async def _started(self) -> asyncio.subprocess.Process:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "batuta.knowledge.extract.zygote",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=_reader_environment(),
            start_new_session=True,
        )
        return self._process


def _reader_environment() -> dict[str, str]:
    """What the reader process needs of ours, and no secret."""
    needed = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "LANG": "C.UTF-8"}
    return needed | {name: os.environ[name] for name in (LANGUAGE_DATA,) if name in os.environ}


def _answer(ended: Mapping[str, Any], output: Path) -> Mapping[str, Any]:
    if ended["is_late"] or ended["signal"] in STALLED_SIGNALS:
        raise ExtractionFailedError("too_slow", f"signal {ended['signal']}")
    try:
        answer: Mapping[str, Any] = json.loads(output.read_text(encoding="utf-8"))
        output.unlink()
    except (OSError, ValueError) as error:
        # A library in Rust or C aborts where memory is refused; a bare exit is Python that had none left to say so.
        reason: FailureCode = "broken" if ended["signal"] == signal.SIGSEGV else "too_large"
        raise ExtractionFailedError(reason, f"signal {ended['signal']}") from error
    if "reason" not in answer:
        return answer
    reason = answer["reason"] if answer.get("reason") in REASONS else "broken"
    raise ExtractionFailedError(reason, str(answer.get("detail", "")))
