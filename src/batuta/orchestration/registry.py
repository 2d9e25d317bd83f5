"""The registry: the one source of truth about a team's members."""

import re
from collections.abc import Iterable, Iterator

from batuta.kernel.errors import ConfigurationError
from batuta.language.understanding import Understanding
from batuta.orchestration.specialist import AgentCard, Specialist

SUPERVISOR_ID = "supervisor"
_COMMAND = re.compile(r"/[^\W\d][\w-]*")
RESERVED = frozenset({SUPERVISOR_ID, "orchestrator"})


class AgentRegistry:
    """Specialists by id, in the order they were given."""

    def __init__(self, specialists: Iterable[Specialist] = ()) -> None:
        self._members: dict[str, Specialist] = {}
        self._commands: dict[str, str] = {}
        for specialist in specialists:
            self.add(specialist)

    def add(self, specialist: Specialist) -> None:
        """Take a specialist into the team."""
        if not isinstance(specialist, Specialist):
            raise ConfigurationError(f"a team is made of specialists: write Specialist({specialist!r}, name=…)")
        agent_id = specialist.agent_id
        if agent_id in RESERVED or agent_id in self._members:
            raise ConfigurationError(f"the team already has an agent {agent_id!r}; give this one another agent_id")
        for command in specialist.card.commands:
            if not command.startswith("/") or command.casefold() in self._commands or len(command.split()) != 1:
                raise ConfigurationError(
                    f"{agent_id}: the command {command!r} is taken, does not start with '/', or is more than one word"
                )
            self._commands[command.casefold()] = agent_id
        self._members[agent_id] = specialist

    def __iter__(self) -> Iterator[Specialist]:
        """The specialists."""
        return iter(self._members.values())

    def __len__(self) -> int:
        """How many there are."""
        return len(self._members)

    def __contains__(self, agent_id: str) -> bool:
        """True if an agent has this id."""
        return agent_id in self._members

    def __getitem__(self, agent_id: str) -> Specialist:
        """The specialist of an id."""
        return self._members[agent_id]

    @property
    def cards(self) -> tuple[AgentCard, ...]:
        """What is known about each."""
        return tuple(specialist.card for specialist in self)

    @property
    def understanding(self) -> tuple[Understanding, ...]:
        """What each can be asked, as data."""
        return tuple(specialist.understanding for specialist in self)

    @property
    def names(self) -> dict[str, str]:
        """Names by id."""
        return {card.agent_id: card.name for card in self.cards}

    def for_command(self, text: str) -> tuple[str, str] | None:
        """Whom a slash command means and what it says: `/erp late invoices` is (`erp_agent`, `late invoices`).

        However it is written, large or small.
        """
        command, *rest = text.split(maxsplit=1) or [""]
        agent_id = self._commands.get(command.casefold())
        return None if agent_id is None else (agent_id, "".join(rest).strip())

    def unknown_command(self, text: str) -> str | None:
        """The slash command that a text begins with, if no agent has it. A path or a lone slash is none."""
        command = text.split(maxsplit=1)[0] if text.strip() else ""
        is_unknown = bool(self._commands) and command.casefold() not in self._commands
        return command if is_unknown and _COMMAND.fullmatch(command) else None

    @property
    def commands(self) -> tuple[str, ...]:
        """All slash commands."""
        return tuple(command for specialist in self for command in specialist.card.commands)
