"""Events that wait in a file, in order, for a subscriber that does not keep up."""

import tempfile

from batuta.events.catalogue import encode
from batuta.events.envelope import Event


class SpillFile:
    """First in, first out. The file has no name, so it goes with the process that made it."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="batuta-spill-")  # noqa: SIM115 - closed by its owner
        self._read_at = self._written = 0
        self._count = 0
        self._is_at_end = True

    def __len__(self) -> int:
        """How many events wait."""
        return self._count

    @property
    def size(self) -> int:
        """Bytes written so far."""
        return self._written

    def append(self, event: Event) -> None:
        """Add one at the end."""
        if not self._is_at_end:  # a seek writes out what is buffered: not for every event
            self._file.seek(self._written)
            self._is_at_end = True
        self._written += self._file.write(encode(event) + b"\n")
        self._count += 1

    def read(self, limit: int) -> list[bytes]:
        """Take up to `limit` from the beginning, as they were written."""
        self._file.seek(self._read_at)
        self._is_at_end = False
        lines = [self._file.readline() for _ in range(min(limit, self._count))]
        self._read_at += sum(map(len, lines))
        self._count -= len(lines)
        return lines

    def close(self) -> None:
        """Forget what is left."""
        self._file.close()
