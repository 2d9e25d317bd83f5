"""Python processes to be killed: forked from a pre-imported parent, watched line by line, ended for certain.

    zygote = Zygote(["batuta.eventstore.sqlite"])
    child = await zygote.spawn("tests.chaos.writers:append_for_ever", {"path": str(path)})
    await child.ready(); await child.kill_within(rng, 0.0, 0.2); child.messages

The function prints JSON lines (`say`); one with the key `ready` tells that it is. What a killed child printed before
it died is all there, a torn last line apart. Nothing is left behind: children die with the zygote, it with us.
"""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from random import Random
from typing import Any

from tests.support.zygote import PARENT_VARIABLE, STATUS

_START_SECONDS, _SPAWN_SECONDS, _WAIT_SECONDS = 90.0, 90.0, 90.0
Message = dict[str, Any]


class ChildError(RuntimeError):
    """A child did not do what was expected of it in time; the message holds what it wrote to standard error."""


def say(**facts: Any) -> None:
    """In a child: one JSON line, out of the process before this returns."""
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


class Zygote:
    """The pre-imported parent. Start it from the main thread: it dies with the thread that started it."""

    def __init__(self, modules: Sequence[str] = ()) -> None:
        self._control, theirs = socket.socketpair()
        self._control.settimeout(_START_SECONDS)
        self._errors = os.memfd_create("errors")
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.zygote", str(theirs.fileno()), *modules],
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                    PARENT_VARIABLE: str(os.getpid()),
                },
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stderr=self._errors,
                process_group=0,
            )
        try:
            self.pid = self._answer("ready")
        except (ChildError, TimeoutError):
            self.close()
            raise
        self._control.settimeout(_SPAWN_SECONDS)

    async def spawn(
        self, target: str, arguments: Mapping[str, Any] | None = None, *, environment: Mapping[str, str] | None = None
    ) -> "Child":
        """Run `module:function` with these arguments (what JSON can say) in a new child."""
        request = {"target": target, "arguments": dict(arguments or {}), "environment": dict(environment or {})}
        (output, output_end), (status, status_end) = os.pipe(), os.pipe()
        errors = os.memfd_create("errors")  # not a pipe: nobody has to read it for the child to go on
        try:
            socket.send_fds(self._control, [json.dumps(request).encode()], [output_end, errors, status_end])
            pid = self._answer("pid")
        finally:
            os.close(output_end)
            os.close(status_end)
        return await Child.of(pid, target, output, status, errors)

    @asynccontextmanager
    async def running(
        self, target: str, arguments: Mapping[str, Any] | None = None, *, environment: Mapping[str, str] | None = None
    ) -> AsyncIterator["Child"]:
        """A child that is ready for the block, and killed at its end if it still lives."""
        child = await self.spawn(target, arguments, environment=environment)
        try:
            await child.ready()
            yield child
        finally:
            await child.close()

    def close(self) -> None:
        """End it, and with it every child it still has."""
        self._control.close()
        self._process.kill()
        self._process.wait(_WAIT_SECONDS)
        os.close(self._errors)

    def _answer(self, key: str) -> int:
        answer = b""
        while not answer.endswith(b"\n"):
            chunk = self._control.recv(4096)
            if not chunk:
                self._process.wait(_WAIT_SECONDS)
                raise ChildError(f"the zygote ended with {self._process.returncode}:\n{_text_of(self._errors)}")
            answer += chunk
        return int(json.loads(answer)[key])


class Child:
    """A process under test."""

    def __init__(self, pid: int, target: str, errors: int) -> None:
        self.pid = pid
        self.target = target
        self.messages: list[Message] = []
        self.torn = b""
        self.exit_code: int | None = None
        self._errors = errors
        self._handle: int | None = None
        self._news = asyncio.Event()
        self._ended = asyncio.Event()
        self._is_silent = False
        self._transports: list[asyncio.ReadTransport] = []

    @classmethod
    async def of(cls, pid: int, target: str, output: int, status: int, errors: int) -> "Child":
        child = cls(pid, target, errors)
        try:
            # A handle cannot come to mean another process, as a number can once its process is buried.
            child._handle = os.pidfd_open(pid)
        except ProcessLookupError:
            child._handle = None
        connect = asyncio.get_running_loop().connect_read_pipe
        for protocol, end in ((_Output(child), output), (_Status(child), status)):
            transport, _ = await connect(lambda made=protocol: made, os.fdopen(end, "rb", buffering=0))  # type: ignore[misc]
            child._transports.append(transport)
        return child

    @property
    def errors(self) -> str:
        """What it wrote to standard error so far."""
        return _text_of(self._errors)

    async def message(self, key: str, seconds: float = _WAIT_SECONDS) -> Message:
        """The first message with that key, waited for."""
        await self._until(lambda: self._find(key) is not None, seconds, f"said nothing of {key!r}")
        found = self._find(key)
        assert found is not None
        return found

    async def ready(self, seconds: float = _WAIT_SECONDS) -> Message:
        return await self.message("ready", seconds)

    async def count(self, messages: int, seconds: float = _WAIT_SECONDS) -> None:
        """Wait until it has said that much."""
        await self._until(lambda: len(self.messages) >= messages, seconds, f"did not say {messages} things")

    def send_signal(self, number: signal.Signals) -> None:
        """Nothing happens if it has ended."""
        if self._handle is not None and self.exit_code is None:
            try:
                signal.pidfd_send_signal(self._handle, number)
            except ProcessLookupError:
                return

    def pause(self) -> None:
        self.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.send_signal(signal.SIGCONT)

    async def kill(self) -> None:
        """SIGKILL; returns when it has ended and all it said is in `messages`."""
        self.send_signal(signal.SIGKILL)
        await self.wait()

    async def kill_within(self, rng: Random, shortest: float, longest: float) -> float:
        """SIGKILL at a random moment between these seconds from now; tells which."""
        moment = rng.uniform(shortest, longest)
        await asyncio.sleep(moment)
        await self.kill()
        return moment

    async def wait(self, seconds: float = _WAIT_SECONDS) -> int:
        """Its exit code, negative if a signal ended it, once it has ended."""
        try:
            async with asyncio.timeout(seconds):
                await self._ended.wait()
        except TimeoutError:
            raise ChildError(f"{self.target} did not end in {seconds:g} s:\n{self.errors}") from None
        assert self.exit_code is not None
        return self.exit_code

    async def expect_exit(self, code: int, seconds: float = _WAIT_SECONDS) -> None:
        """Wait for its end and insist on how it ended."""
        if (ended := await self.wait(seconds)) != code:
            raise ChildError(f"{self.target} ended with {ended}, not with {code}:\n{self.errors}")

    async def close(self) -> None:
        """Kill it if it lives, and let go of what belongs to it."""
        if self.exit_code is None:
            await self.kill()
        for transport in self._transports:
            transport.close()
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
        os.close(self._errors)

    def hear(self, data: bytes) -> None:
        """Output arrived."""
        *lines, self.torn = (self.torn + data).split(b"\n")
        self.messages += map(_message, lines)
        self._news.set()

    def fall_silent(self) -> None:
        """Its output is at its end."""
        self._is_silent = True
        self._end_when_all_is_known()

    def learn_status(self, status: bytes) -> None:
        """It ended; an empty status means that the zygote went down with it."""
        self.exit_code = STATUS.unpack(status)[0] if status else -signal.SIGKILL
        self._end_when_all_is_known()

    def _end_when_all_is_known(self) -> None:
        if self._is_silent and self.exit_code is not None:
            self._ended.set()
            self._news.set()

    def _find(self, key: str) -> Message | None:
        return next((message for message in self.messages if key in message), None)

    async def _until(self, condition: Callable[[], bool], seconds: float, complaint: str) -> None:
        try:
            async with asyncio.timeout(seconds):
                while not condition():
                    if self._ended.is_set():
                        raise ChildError(f"{self.target} {complaint} before it ended: {self.exit_code}\n{self.errors}")
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise ChildError(f"{self.target} {complaint} in {seconds:g} s:\n{self.errors}") from None


class _Output(asyncio.Protocol):
    def __init__(self, child: Child) -> None:
        self._child = child

    def data_received(self, data: bytes) -> None:
        self._child.hear(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._child.fall_silent()


class _Status(asyncio.Protocol):
    def __init__(self, child: Child) -> None:
        self._child = child
        self._received = b""

    def data_received(self, data: bytes) -> None:
        self._received += data

    def connection_lost(self, exc: Exception | None) -> None:
        self._child.learn_status(self._received)


def _message(line: bytes) -> Message:
    try:
        message = json.loads(line)
    except ValueError:
        message = None
    return message if isinstance(message, dict) else {"text": line.decode(errors="replace")}


def _text_of(file: int) -> str:
    # Not by seeking: the position is shared with the process that writes.
    size = os.fstat(file).st_size
    return os.pread(file, 4000, max(0, size - 4000)).decode(errors="replace")
