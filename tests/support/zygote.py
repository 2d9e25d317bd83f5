"""The parent of test processes: imports once, then forks a child for every request, in a few milliseconds.

    python -m tests.support.zygote CONTROL_FD MODULE...        (started by `processes.Zygote`)

A request is a line of JSON on the control socket with three descriptors: the child's standard output, its standard
error, and a pipe that gets its wait status. Nothing here may start a thread: a fork would copy its locks, held.
"""

import asyncio
import ctypes
import gc
import importlib
import inspect
import json
import os
import select
import signal
import socket
import struct
import sys
import traceback
from contextlib import suppress
from typing import Any, NoReturn

from batuta.kernel import failpoints

PARENT_VARIABLE = "BATUTA_ZYGOTE_PARENT"
_PR_SET_PDEATHSIG = 1
_REQUEST_BYTES, _DESCRIPTORS = 1 << 16, 3
STATUS = struct.Struct("i")


class ThreadsError(RuntimeError):
    """A module to be imported beforehand started threads, so that forking is not safe."""


class Zygote:
    """Serves one control socket; ends when the other side of it is gone."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._statuses: dict[int, int] = {}
        self._wakeup, self._alarm = os.pipe()
        for end in (self._wakeup, self._alarm):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(self._alarm, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> None:
        """Fork on request and pass on how children ended."""
        sources = select.poll()  # not `select`, which takes no descriptor above 1,023
        for end in (self._control.fileno(), self._wakeup):
            sources.register(end, select.POLLIN)
        while True:
            ready = [end for end, _ in sources.poll()]
            if self._wakeup in ready:
                os.read(self._wakeup, 4096)
                self._report_ended()
            if self._control.fileno() in ready and not self._fork_on_request():
                return

    def _fork_on_request(self) -> bool:
        text, descriptors, _, _ = socket.recv_fds(self._control, _REQUEST_BYTES, _DESCRIPTORS)
        if not text:
            return False
        output, errors, status = descriptors
        parent, pid = os.getpid(), os.fork()
        self._statuses[pid] = status
        if pid == 0:
            self._become_child(json.loads(text), parent, output, errors)
        os.close(output)
        os.close(errors)
        tell(self._control, pid=pid)
        return True

    def _report_ended(self) -> None:
        while self._statuses:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            pipe = self._statuses.pop(pid)
            with suppress(BrokenPipeError):  # nobody wants to know any more
                os.write(pipe, STATUS.pack(os.waitstatus_to_exitcode(status)))
            os.close(pipe)

    def _become_child(self, request: dict[str, Any], parent: int, output: int, errors: int) -> NoReturn:
        """Take on what a fresh process would have: its own signals, output, environment."""
        code = 1
        try:
            die_with_parent(parent)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.dup2(output, 1)
            os.dup2(errors, 2)
            for descriptor in (output, errors, self._wakeup, self._alarm, *self._statuses.values()):
                os.close(descriptor)
            self._control.close()
            code = run(request)
        except SystemExit as leaving:
            code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)


def main(control: socket.socket, modules: list[str]) -> None:
    die_with_parent(int(os.environ[PARENT_VARIABLE]))
    for module in modules:
        importlib.import_module(module)
    refuse_threads()
    gc.collect()
    gc.freeze()  # children then touch, and so copy, fewer of the pages they share with us
    zygote = Zygote(control)
    tell(control, ready=os.getpid())
    zygote.serve()


def run(request: dict[str, Any]) -> int:
    """Call `module:function`; a coroutine function gets an event loop."""
    os.environ.update(request["environment"])
    failpoints.configure(os.environ.get(failpoints.VARIABLE, ""))
    module, _, name = request["target"].partition(":")
    function = getattr(importlib.import_module(module), name)
    if inspect.iscoroutinefunction(function):
        asyncio.run(function(**request["arguments"]))
    else:
        function(**request["arguments"])
    return 0


def tell(control: socket.socket, **facts: int) -> None:
    control.sendall(json.dumps(facts).encode() + b"\n")


def die_with_parent(parent: int) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def refuse_threads() -> None:
    if (threads := len(os.listdir("/proc/self/task"))) > 1:
        raise ThreadsError(f"{threads} threads run after the imports: import beforehand only what starts none")


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])), sys.argv[2:])
