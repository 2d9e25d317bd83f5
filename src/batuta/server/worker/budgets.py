"""What people and workspaces may spend on models in a month: reserved before each call, together in all processes."""

from collections.abc import Sequence
from datetime import datetime

from batuta.llm.budget import Budget, BudgetLedger
from batuta.pipelines.options import RunOptions
from batuta.server.config import Settings


class MonthlyBudgets:
    """The budgets of a turn, as the settings say. A month is one of the calendar, in UTC."""

    def __init__(self, settings: Settings, ledger: BudgetLedger) -> None:
        self._settings = settings
        self._ledger = ledger

    def options(self, *, user_id: str, workspace_id: str, now: datetime) -> RunOptions:
        """The options of a run; nothing where nothing is limited."""
        budgets = self.of(user_id=user_id, workspace_id=workspace_id, now=now)
        return RunOptions(budgets=budgets, ledger=self._ledger) if budgets else RunOptions()

    def of(self, *, user_id: str, workspace_id: str, now: datetime) -> Sequence[Budget]:
        """The budgets that count for a user of a workspace."""
        month, settings = f"{now:%Y-%m}", self._settings
        of_user = Budget(
            scope="user",
            id=f"{user_id}/{month}",
            limit_tokens=settings.user_tokens_per_month,
            limit_money=settings.user_usd_per_month,
        )
        of_workspace = Budget(
            scope="tenant",
            id=f"{workspace_id}/{month}",
            limit_tokens=settings.workspace_tokens_per_month,
            limit_money=settings.workspace_usd_per_month,
        )
        return [
            budget
            for budget in (of_user, of_workspace)
            if budget.limit_tokens is not None or budget.limit_money is not None
        ]
