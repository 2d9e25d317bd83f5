"""The options and services of a run: the one place where a turn gets what its agents and tools may use.

    ctx.services[DATASETS]      in a step or tool, filled by a provider of that key

A domain gives its runs a service by adding a provider to `RunServices` in `batuta.server.wiring`. A provider is asked
once per turn, for the principal the turn acts for, so that a store shows only that user's rows.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from batuta.agents.documents.library import CHOSEN_SERVICE
from batuta.events.queue import Lease, Work
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.language.detection import detect_language
from batuta.llm.budget import Budget, BudgetLedger
from batuta.llm.resilient import Protection
from batuta.llm.thinking import ThinkingOptions
from batuta.pipelines.options import RunOptions
from batuta.server.config import Settings
from batuta.server.database.engines import Database
from batuta.server.database.principal import Principal, acting_as
from batuta.server.security.preferences import PreferenceReader, Preferences
from batuta.server.security.turn_rights import TurnRights
from batuta.tools.context import LANGUAGE_SERVICE, TIME_ZONE_SERVICE
from batuta.tools.invocation import ToolInvoker
from batuta.tools.limits import ToolLimits


class MonthlyBudgets:
    """The budgets of a turn, as the settings say. A month is one of the calendar, in UTC."""

    def __init__(self, settings: Settings, ledger: BudgetLedger) -> None:
        self._settings = settings
        self._ledger = ledger

    def options(self, *, user_id: str, workspace_id: str, now: datetime) -> RunOptions:
        """The options of a run of a user of a workspace; nothing where nothing is limited."""
        month, settings = f"{now:%Y-%m}", self._settings
        budgets: list[Budget] = []
        tokens, money = settings.user_tokens_per_month, settings.user_usd_per_month
        if tokens is not None or money is not None:
            budgets.append(Budget(scope="user", id=f"{user_id}/{month}", limit_tokens=tokens, limit_money=money))
        tokens, money = settings.workspace_tokens_per_month, settings.workspace_usd_per_month
        if tokens is not None or money is not None:
            budgets.append(Budget(scope="tenant", id=f"{workspace_id}/{month}", limit_tokens=tokens, limit_money=money))
        return RunOptions(budgets=budgets, ledger=self._ledger) if budgets else RunOptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnPrincipal:
    """The user a turn acts for."""

    user_id: str
    workspace_id: str
    session_id: str
    turn_id: str
    preferences: Preferences
    company: str | None = None
    """The company of the ERP that the message was about, by its id."""
    attached_files: tuple[str, ...] = ()
    """The ids of the files that came with the message."""
    files_in_folders: tuple[str, ...] = ()
    """The ids of the files in the folders that the message is about."""
    text: str = ""
    """The message."""


RunServiceProvider = Callable[[TurnPrincipal], Awaitable[object] | object]
"""Makes a service of a run; what it returns, or awaits to, is found under its key in `ctx.services`."""

USER_SERVICES: Mapping[str, RunServiceProvider] = {
    TIME_ZONE_SERVICE: lambda turn: turn.preferences.timezone,
    LANGUAGE_SERVICE: lambda turn: detect_language(turn.text, turn.preferences.language),
}
"""What every run knows of its user: the time zone of "tomorrow at ten", and the language of the answer: that of the
message, so that what tools label and what agents say of it agree; the page's where the message shows none.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunServices:
    """Makes the options of every run of a worker."""

    preferences: PreferenceReader
    protection: Protection
    budgets: MonthlyBudgets | None = None
    clock: Clock = SYSTEM_CLOCK
    models: Sequence[str] = ()
    """The models that users choose from, the default first."""
    providers: Mapping[str, RunServiceProvider] = field(default_factory=dict)
    """The services of the domains, by the key under which a run finds them."""
    file_providers: Mapping[str, RunServiceProvider] = field(default_factory=dict)
    """Those of a run whose message brought files."""

    database: Database
    """Acts for the system: the rights of users are read from it."""
    limits: ToolLimits = field(default_factory=ToolLimits)
    """Counts the calls of all turns of this process together."""

    async def admit(self, lease: Lease) -> str | None:
        """Why a turn may not run, or not any more."""
        return None if lease.work.user_id is None else await TurnRights.of(lease, self.database).loss()

    async def options(self, lease: Lease, *, in_folders: Sequence[str] | None = None) -> RunOptions:
        """The options of a leased turn; a turn without a user gets only the protection of its models.

        Args:
            lease: Of the turn.
            in_folders: The files in the folders that its message is about; nothing if it names none.
        """
        if lease.work.user_id is None:
            return RunOptions(protection=self.protection)
        rights = TurnRights.of(lease, self.database)
        turn = replace(await self._principal(lease.work, lease.work.user_id), files_in_folders=tuple(in_folders or ()))
        chosen = turn.preferences.model
        options = RunOptions(
            protection=self.protection,
            invoker=ToolInvoker(limits=self.limits, guard=rights),
            services=await self._services(turn),
            models={self.models[0]: chosen} if chosen is not None and chosen in self.models else {},
            thinking=thinking_of(lease.work.payload, turn.preferences),
        )
        if self.budgets is not None:
            owner = {"user_id": turn.user_id, "workspace_id": turn.workspace_id}
            options.update(self.budgets.options(**owner, now=self.clock.now()))
        return options

    async def services(self, work: Work) -> dict[str, Any]:
        """What the agents and tools of a turn find in `ctx.services`."""
        if work.user_id is None:
            return {}
        return await self._services(await self._principal(work, work.user_id))

    async def _principal(self, work: Work, user_id: str) -> TurnPrincipal:
        with acting_as(Principal(user_id=user_id, scope="user")):
            preferences = await self.preferences.get(user_id)
        return TurnPrincipal(
            user_id=user_id,
            workspace_id=work.tenant_id or "",
            session_id=work.session_id or "",
            turn_id=work.turn_id,
            preferences=preferences,
            company=work.payload.get("company"),
            attached_files=attached_files(work.payload),
            text=str(work.payload.get("text", "")),
        )

    async def _services(self, turn: TurnPrincipal) -> dict[str, Any]:
        services: dict[str, Any] = {}
        providers = {**USER_SERVICES, **self.providers}
        if chosen := [*turn.attached_files, *turn.files_in_folders]:  # its questions are about these
            services[CHOSEN_SERVICE] = chosen
            providers |= self.file_providers
        for key, provide in providers.items():
            service = provide(turn)
            services[key] = await service if isinstance(service, Awaitable) else service
        return services


def attached_files(payload: Mapping[str, Any]) -> tuple[str, ...]:
    """The ids of the files that a message brings."""
    return tuple(str(each["file_id"]).upper() for each in payload.get("attachments", ()) if each.get("file_id"))


def thinking_of(payload: Mapping[str, Any], preferences: Preferences) -> ThinkingOptions:
    """As the message says, else as the user prefers; a budget alone asks for thinking."""
    budget = payload.get("thinking_budget")
    is_on = payload.get("enable_thinking", preferences.enable_thinking if budget is None else True)
    return ThinkingOptions(is_on=is_on and budget != 0, budget_tokens=budget or None)
