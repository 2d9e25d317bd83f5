"""Events that wait in a file, in order, for a subscriber that does not keep up.

    producer -> put -> (in memory) -> a thread that writes -> the file -> take -> consumer

A producer only puts its event down: making text of it and writing that is the thread's work, in small portions, so
that a run pays for neither.
"""

import logging
import tempfile
import threading
import time
from collections import deque

from batuta.events.catalogue import encode
from batuta.events.envelope import Event

log = logging.getLogger("batuta.observability")

PORTION = 64
BREATH_SECONDS = 0.0005
"""After each portion the thread lets others run: a portion is all that a run ever has to wait for."""
UNWRITTEN = 10_000
"""So many may wait to be written before a producer waits for the thread."""
MAX_UNWRITTEN = 5 * UNWRITTEN
"""A disk that is so far behind takes nothing more."""


class SpillFile:
    """First in, first out. The file has no name, so it goes with the process that made it."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="batuta-spill-", buffering=0)  # noqa: SIM115 - closed by its owner
        self._read_at = 0
        self.size = 0
        """Bytes written so far."""

    def append(self, lines: bytes) -> None:
        """Add lines at the end; what was written of them in vain is written over."""
        self._file.seek(self.size)
        left = memoryview(lines)
        while left:
            left = left[self._file.write(left) :]
        self.size += len(lines)

    def read(self, size: int) -> bytes:
        """Take so many bytes from the beginning."""
        self._file.seek(self._read_at)
        found = b""
        while len(found) < size:
            more = self._file.read(size - len(found))
            if not more:
                raise OSError(f"the file ends {size - len(found)} bytes too early")
            found += more
        self._read_at += size
        return found

    def close(self) -> None:
        """Forget what is left."""
        self._file.close()


class Spill:
    """What waits beyond a subscriber's buffer. Put by producers, taken by one consumer; safe between threads."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._file = SpillFile()
        self._using_file = threading.Lock()
        self._changed = threading.Condition(threading.Lock())
        self._unwritten: deque[Event] = deque()
        self._is_writing = False
        self._written: deque[int] = deque()
        """The length of each line in the file that was not taken yet."""
        self._count = 0
        self._is_closed = self._is_behind = False
        self.is_broken = False
        """Whether the disk took no more; what was put is still there."""
        threading.Thread(target=self._write, name=f"batuta-{name}-spill", daemon=True).start()

    def __len__(self) -> int:
        """How many events wait."""
        return self._count

    @property
    def size(self) -> int:
        """Bytes written so far."""
        return self._file.size

    def put(self, event: Event, max_wait: float) -> bool:
        """Put an event at the end; whether there is a place for it. Waits, within the bound and once until the thread
        comes forward again, where a producer is far ahead of it.
        """
        with self._changed:
            if len(self._unwritten) >= UNWRITTEN and not self._is_behind and not self.is_broken:
                self._is_behind = not self._changed.wait_for(lambda: len(self._unwritten) < UNWRITTEN, max_wait)
            if self.is_broken or len(self._unwritten) >= MAX_UNWRITTEN:
                return False
            self._unwritten.append(event)
            self._count += 1
            if len(self._unwritten) == 1:
                self._changed.notify_all()
        return True

    def take(self, limit: int) -> list[Event | bytes]:
        """Up to `limit` from the beginning: those in the file as they were written, the others as they are.

        A disk that does not give back what it took is `is_broken`, and fewer are taken than are gone.
        """
        if limit <= 0:
            return []
        with self._changed:
            if not self._written:
                self._changed.wait_for(lambda: not self._is_writing)
            lengths = [self._written.popleft() for _ in range(min(limit, len(self._written)))]
            taken: list[Event | bytes] = []
            if not lengths:
                taken.extend(self._unwritten.popleft() for _ in range(min(limit, len(self._unwritten))))
            self._count -= len(lengths) + len(taken)
        return self._read(lengths) if lengths else taken

    def close(self) -> None:
        """Forget what is left."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        with self._using_file:
            self._file.close()

    def _read(self, lengths: list[int]) -> list[Event | bytes]:
        try:
            with self._using_file:
                text = self._file.read(sum(lengths))
        except OSError as error:
            log.error("subscriber %s: %d events were not read back: %s", self._name, len(lengths), error)  # noqa: TRY400
            self.is_broken = True
            return []
        return [*text.split(b"\n")[:-1]]

    def _write(self) -> None:
        while portion := self._next_portion():
            is_written = self._write_portion(portion)
            with self._changed:
                self._is_writing = self._is_behind = False
                self._changed.notify_all()
            if not is_written:
                return
            time.sleep(BREATH_SECONDS)

    def _next_portion(self) -> list[Event]:
        """The next events to write, once there are some; none when it is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._unwritten or self._is_closed)
            if self._is_closed:
                return []
            self._is_writing = True
            return [self._unwritten.popleft() for _ in range(min(PORTION, len(self._unwritten)))]

    def _write_portion(self, portion: list[Event]) -> bool:
        try:
            lines = [encode(event) + b"\n" for event in portion]
            with self._using_file:
                if self._is_closed:
                    return False
                self._file.append(b"".join(lines))
        except Exception as error:  # whatever it is, nothing that was put may be lost by it
            log.error("subscriber %s lags and its events cannot be written: %s", self._name, error)  # noqa: TRY400
            with self._changed:
                self.is_broken = True
                self._unwritten.extendleft(reversed(portion))
            return False
        with self._changed:
            self._written.extend(map(len, lines))
        return True
