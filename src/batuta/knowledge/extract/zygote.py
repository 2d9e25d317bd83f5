"""The process that reads files: it forks once for each, so that each has limits and memory of its own.

    python -m batuta.knowledge.extract.zygote

One request a line on standard input, one answer a line on standard output. A fork costs milliseconds where a new
interpreter costs a second, and no file sees what another left behind. The fork is bounded by the kernel: processor
time, address space, size of the output. The wall clock is kept here, and the request's end (the parent died) ends the
fork as well.
"""

import json
import os
import resource
import select
import signal
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from batuta.knowledge.extract.failures import ExtractionFailedError
from batuta.knowledge.extract.pages import draw_page, to_json
from batuta.knowledge.extract.reading import read
from batuta.knowledge.extract.recognition import recognise

OPEN_FILES = 64


def main() -> None:
    """Serve until standard input ends."""
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is the parent's to answer
    for line in iter(sys.stdin.buffer.readline, b""):
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            _run(request)
        answer = _watched(child, float(request["seconds"]), wake_read)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _watched(child: int, seconds: float, wake: int) -> dict[str, Any]:
    """Wait for a fork; kill it when its time is over or its caller is gone."""
    deadline = time.monotonic() + seconds
    is_late = False
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return {"signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0, "is_late": is_late}
        left = deadline - time.monotonic()
        ready, _, _ = select.select([wake, sys.stdin], [], [], max(0.0, left) if not is_late else 1.0)
        if wake in ready:
            os.read(wake, 512)
        if left <= 0 or sys.stdin in ready:
            is_late = True
            os.kill(child, signal.SIGKILL)


def _run(request: dict[str, Any]) -> None:
    """The fork: read one file, write the answer, go without looking back."""
    code = 1
    try:
        signal.set_wakeup_fd(-1)
        _limit(request)
        data = Path(request["path"]).read_bytes()
        Path(request["output"]).write_text(json.dumps(_answer(data, request)), encoding="utf-8")
        code = 0
    finally:
        os._exit(code)


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
    limits = {
        resource.RLIMIT_AS: int(request["memory_bytes"]),
        resource.RLIMIT_CPU: int(request["cpu_seconds"]),
        resource.RLIMIT_FSIZE: int(request["output_bytes"]),
        resource.RLIMIT_NOFILE: OPEN_FILES,
        resource.RLIMIT_CORE: 0,
    }
    for kind, most in limits.items():
        resource.setrlimit(kind, (most, most))


if __name__ == "__main__":
    main()
