"""Many agents, one conductor: teams, plans, handoffs, approvals, turns that survive."""

import importlib.util
from typing import TYPE_CHECKING

from batuta.kernel.errors import MissingExtraError
from batuta.kernel.lazy import lazy_exports

if importlib.util.find_spec("langgraph") is None:  # pragma: no cover - seen only without the extra
    raise MissingExtraError("langgraph", needed_for="batuta.orchestration")

if TYPE_CHECKING:
    from batuta.kernel.errors import CannotHelpError as CannotHelpError
    from batuta.orchestration.approvals import allow_below as allow_below
    from batuta.orchestration.approvals import allow_role as allow_role
    from batuta.orchestration.orchestrator import Orchestrator as Orchestrator
    from batuta.orchestration.orchestrator import Turn as Turn
    from batuta.orchestration.plan_execution import FailurePolicy as FailurePolicy
    from batuta.orchestration.plans import Plan as Plan
    from batuta.orchestration.plans import PlanStep as PlanStep
    from batuta.orchestration.specialist import AgentCard as AgentCard
    from batuta.orchestration.specialist import AgentRegistry as AgentRegistry
    from batuta.orchestration.specialist import Specialist as Specialist
    from batuta.orchestration.specialist import cannot_help as cannot_help
    from batuta.orchestration.worker import TurnWorker as TurnWorker
    from batuta.orchestration.worker import WorkerSettings as WorkerSettings

__getattr__, __all__ = lazy_exports(
    __name__,
    {
        "batuta.kernel.errors": ("CannotHelpError",),
        "batuta.orchestration.approvals": ("allow_below", "allow_role"),
        "batuta.orchestration.orchestrator": ("Orchestrator", "Turn"),
        "batuta.orchestration.plan_execution": ("FailurePolicy",),
        "batuta.orchestration.plans": ("Plan", "PlanStep"),
        "batuta.orchestration.specialist": ("AgentCard", "AgentRegistry", "Specialist", "cannot_help"),
        "batuta.orchestration.worker": ("TurnWorker", "WorkerSettings"),
    },
)
