"""How much one person, and all people of a workspace together, may have open at once."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

from batuta.server.config import Settings
from batuta.server.problems import TooManyProblem
from batuta.server.security.ownership import Caller


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenLimits:
    """The most of something that may be open."""

    of_a_user: int
    of_a_workspace: int

    def check(self, of_the_user: int, of_the_workspace: int, what: str, code: str) -> None:
        """Refuse one more beside those that are open. Raises `TooManyProblem`."""
        if of_the_user >= self.of_a_user:
            raise _refusal(f"You have {self.of_a_user} {what}; wait for some, or close them.", code)
        if of_the_workspace >= self.of_a_workspace:
            raise _refusal(f"Your workspace has {self.of_a_workspace} {what}; try again in a moment.", code)

    def check_callers(self, caller: Caller, open_of: Iterable[Caller], what: str, code: str) -> None:
        """The same, by who has each of them."""
        mine = [each.user_id for each in open_of if each.workspace_id == caller.workspace_id]
        self.check(mine.count(caller.user_id), len(mine), what, code)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLimits:
    """What a turn may be, and how many may be unfinished in all processes together."""

    message_chars: int
    attempts: int
    unfinished: OpenLimits

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """As the settings say."""
        return cls(
            message_chars=settings.max_message_chars,
            attempts=settings.turn_attempts,
            unfinished=OpenLimits(
                of_a_user=settings.max_open_turns_of_a_user, of_a_workspace=settings.max_open_turns_of_a_workspace
            ),
        )


def limits_of_connections(settings: Settings) -> OpenLimits:
    """Of sockets, and of streams, at one process."""
    return OpenLimits(
        of_a_user=settings.max_connections_of_a_user, of_a_workspace=settings.max_connections_of_a_workspace
    )


@dataclass(frozen=True, slots=True)
class Arrival:
    """A turn that is about to be stored by a request of this process."""

    turn_id: str
    user_id: str
    workspace_id: str


class Arrivals:
    """The turns that are about to be stored: they count before they are."""

    def __init__(self) -> None:
        self._arriving: list[Arrival] = []

    @contextmanager
    def noting(self, arrival: Arrival) -> Iterator[Sequence[Arrival]]:
        """One more within the block: those of the same workspace that came before it."""
        before = [each for each in self._arriving if each.workspace_id == arrival.workspace_id]
        self._arriving.append(arrival)
        try:
            yield before
        finally:
            self._arriving.remove(arrival)


def _refusal(detail: str, code: str) -> TooManyProblem:
    return TooManyProblem(detail, code=code, headers={"Retry-After": "10"})
