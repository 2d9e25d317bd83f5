"""The model an agent calls: resolved from its name, budgeted and protected as the run asks."""

import importlib
from functools import cache
from typing import TYPE_CHECKING

from batuta import llm
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.llm.model import Model
from batuta.llm.resilient import ImposedProtection, Protection, ResilientModel
from batuta.pipelines.context import Context

if TYPE_CHECKING:
    from batuta.llm.budget import MemoryBudgetLedger


def equipped(model: Model | str, ctx: Context) -> Model:
    """A model ready for one execution: protection outside, budget inside, the client at the core.

    A model that is protected already, inside whatever is wrapped around it, gets no second protection: two policies
    would multiply their tries. It keeps its own unless the run has one (`protection=`), which goes before it. One from
    a name shares the breakers of the process. A bare model object is retried, but has no breaker: whoever made it
    knows what it stands for.

    A run may put another model in the place of one that is named (`models=`), and say whether models think
    (`thinking=`).
    """
    options = ctx._run.options
    if isinstance(model, str):
        model = _from_name(options.get("models", {}).get(model, model))
    ready = _protected(model, ctx)
    thinking = options.get("thinking")
    return ready if thinking is None else llm.ThinkingModel(ready, thinking)


def _protected(model: Model, ctx: Context) -> Model:
    options = ctx._run.options
    of_the_run = options.get("protection")
    protection = of_the_run
    if isinstance(model, ResilientModel):
        protection = protection or model.protection
        model = model.inner
    budgets = options.get("budgets", ())
    if budgets:
        model = llm.BudgetedModel(model, options.get("ledger") or _process_ledger(), budgets)
    if _is_protected(model):
        return model if of_the_run is None else ImposedProtection(model, of_the_run)
    return ResilientModel(model, protection or _retries_alone(ctx._run.clock))


def _is_protected(model: object) -> bool:
    while model is not None:
        if isinstance(model, ResilientModel):
            return True
        model = getattr(model, "inner", None)
    return False


def _retries_alone(clock: Clock) -> Protection:
    return _RETRIES_ALONE if clock is SYSTEM_CLOCK else Protection(breaker=None, clock=clock)


_RETRIES_ALONE = Protection(breaker=None)


@cache
def _from_name(name: str) -> ResilientModel:
    """The factory knows every provider, so it is imported only by those who name one."""
    made: ResilientModel = importlib.import_module("batuta.llm.factory").model(name)
    return made


@cache
def _process_ledger() -> "MemoryBudgetLedger":
    return llm.MemoryBudgetLedger()
