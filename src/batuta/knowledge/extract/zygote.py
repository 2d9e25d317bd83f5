"""The process that reads files: it forks readers, so that each file has limits of its own and none can take it along.

    python -m batuta.knowledge.extract.zygote

One request a line on standard input, one answer a line on standard output. A fork costs ten milliseconds where a new
interpreter costs a second. One reader takes many small files after one another, as long as all goes well; a PDF (its
library is C++), a large file, a page or a scan has a reader to itself, and one that failed is the last of its reader.
A reader is bounded by the kernel: processor time of each file, address space, size of the output. The wall clock is
kept here, and the request's end (the parent died) ends the reader as well.
"""

import gc
import json
import os
import resource
import select
import signal
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

from batuta.knowledge.extract.failures import ExtractionFailedError
from batuta.knowledge.extract.pages import draw_page, to_json
from batuta.knowledge.extract.reading import read
from batuta.knowledge.extract.recognition import recognise

OPEN_FILES = 64
FILES_OF_A_READER = 100
LARGE_BYTES = 1024 * 1024
HEAD_BYTES = 1024
NICENESS = 5
"""Below the process that answers people."""
GOES_ON, ENDS = b"+", b"-"


@dataclass(slots=True)
class _Reader:
    """A fork that reads one file after the other."""

    process: int
    requests: int
    """Where its requests are written."""
    answers: int
    """Where it says that a file is done, and whether it takes another."""
    left: int
    """How many files it may still read."""

    def send(self, line: bytes) -> bool:
        """Ask for a file; whether the reader is there to hear it."""
        try:
            os.write(self.requests, line)
        except BrokenPipeError:
            return False
        return True

    def end(self) -> int:
        """Wait for its end: by which signal, 0 if by none."""
        for pipe in (self.requests, self.answers):
            os.close(pipe)
        _, status = os.waitpid(self.process, 0)
        return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def main() -> None:
    """Serve until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is the parent's to answer
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    os.nice(NICENESS)
    gc.freeze()  # a fork that collects garbage would copy every page of it
    warm: _Reader | None = None
    for line in iter(sys.stdin.buffer.readline, b""):
        request = json.loads(line)
        if _is_shared(request):
            if warm is not None and not warm.send(b"\n"):  # it died while nothing was asked of it
                warm.end()
                warm = None
            answer, warm = _served(warm or _forked(request), line, request)
        else:
            answer, _ = _served(_forked(request, files=1, other=warm), line, request)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _is_shared(request: dict[str, Any]) -> bool:
    """Whether a file may be read in the process that reads others."""
    if "page" in request or request.get("is_recognised"):
        return False
    try:
        with Path(request["path"]).open("rb") as content:
            return os.fstat(content.fileno()).st_size <= LARGE_BYTES and b"%PDF" not in content.read(HEAD_BYTES)
    except OSError:
        return False


def _forked(request: dict[str, Any], files: int = FILES_OF_A_READER, other: _Reader | None = None) -> _Reader:
    asked, requests = os.pipe()
    answers, done = os.pipe()
    process = os.fork()
    if process:
        os.close(asked)
        os.close(done)
        return _Reader(process=process, requests=requests, answers=answers, left=files)
    try:
        for pipe in (requests, answers, *((other.requests, other.answers) if other else ())):
            os.close(pipe)
        _limit(request)
        with os.fdopen(asked, "rb") as lines:
            _read_files(lines, done)
    finally:
        os._exit(1)


def _served(reader: _Reader, line: bytes, request: dict[str, Any]) -> tuple[dict[str, Any], _Reader | None]:
    """How a reader ended, and the reader if it goes on. It is killed when its time is over or its caller is gone."""
    reader.send(line)
    deadline = time.monotonic() + float(request["seconds"])
    is_late = False
    while True:
        left = deadline - time.monotonic()
        ready, _, _ = select.select([reader.answers, sys.stdin], [], [], max(0.0, left) if not is_late else 1.0)
        if reader.answers in ready:
            said = os.read(reader.answers, 1)
            reader.left -= 1
            goes_on = said == GOES_ON and reader.left > 0 and not is_late
            ended_by = 0 if goes_on else reader.end()
            return {"signal": 0 if said else ended_by, "is_late": is_late}, reader if goes_on else None
        if left <= 0 or sys.stdin in ready:
            is_late = True
            os.kill(reader.process, signal.SIGKILL)


def _read_files(requests: BinaryIO, done: int) -> None:
    """The reader: file by file, without looking back."""
    for line in iter(requests.readline, b""):
        if not line.strip():
            continue
        request = json.loads(line)
        _limit_processor(request)
        answer = _answer(Path(request["path"]).read_bytes(), request)
        Path(request["output"]).write_text(json.dumps(answer), encoding="utf-8")
        os.write(done, ENDS if "reason" in answer else GOES_ON)
        if "reason" in answer:
            return


def _answer(data: bytes, request: dict[str, Any]) -> dict[str, Any]:
    try:
        if "page" in request:
            return {"page": to_json(draw_page(data, **request["page"]))}
        name, max_chars = request["name"], int(request["max_chars"])
        if request.get("is_recognised"):
            return {"document": asdict(recognise(Path(request["path"]), data, name, max_chars=max_chars))}
        return {"document": asdict(read(data, name, max_chars=max_chars))}
    except ExtractionFailedError as error:
        return {"reason": error.reason, "detail": error.detail[:500]}
    except RecursionError:
        return {"reason": "too_deep", "detail": ""}
    except MemoryError:
        return {"reason": "too_large", "detail": ""}
    except Exception as error:  # any parser's complaint about any bytes
        return {"reason": "broken", "detail": f"{type(error).__name__}: {error}"[:500]}


def _limit(request: dict[str, Any]) -> None:
    """What a reader may take in all; of the processor, what each file may."""
    limits = {
        resource.RLIMIT_AS: int(request["memory_bytes"]),
        resource.RLIMIT_FSIZE: int(request["output_bytes"]),
        resource.RLIMIT_NOFILE: OPEN_FILES,
        resource.RLIMIT_CORE: 0,
    }
    for kind, most in limits.items():
        resource.setrlimit(kind, (most, most))


def _limit_processor(request: dict[str, Any]) -> None:
    """The kernel counts the processor time of a process: this file may take so much more than those before it."""
    used = time.process_time()
    resource.setrlimit(resource.RLIMIT_CPU, (int(used) + 1 + int(request["cpu_seconds"]), resource.RLIM_INFINITY))


if __name__ == "__main__":
    main()
