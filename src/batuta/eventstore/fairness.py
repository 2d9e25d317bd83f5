"""Whose work comes next: users take turns, so that one with a hundred turns delays another by one at most.

Of equally urgent work, that of the user with the fewest running turns is first, then that of the user served
longest ago by this process, then the oldest. A look goes over the oldest `LOOKED_AT` pieces of work, so that a very
long queue costs no more than a long one.
"""

from collections.abc import Sequence

from batuta.events.queue import Lease

LOOKED_AT = 1_000
REMEMBERED_USERS = 1_000


class ServedUsers:
    """The users a process served last, the latest at the end."""

    def __init__(self) -> None:
        self._served: dict[str, None] = {}

    def note(self, lease: Lease | None) -> Lease | None:
        """Remember whose work was given out; the same lease again."""
        if lease is not None and lease.work.user_id is not None:
            self._served.pop(lease.work.user_id, None)
            self._served[lease.work.user_id] = None
            if len(self._served) > REMEMBERED_USERS:
                del self._served[next(iter(self._served))]
        return lease

    @property
    def in_order(self) -> Sequence[str]:
        """Who was served longest ago first."""
        return list(self._served)
