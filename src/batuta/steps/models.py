"""The model an agent calls: resolved from its name, budgeted and protected as the run asks."""

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from batuta import llm
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.llm.model import Model
from batuta.llm.resilient import ImposedProtection, Protection, ResilientModel
from batuta.pipelines.context import Context, invocation_of

if TYPE_CHECKING:
    from batuta.llm.budget import MemoryBudgetLedger


def with_run_policies(model: Model | str, ctx: Context) -> Model:
    """A model ready for one execution: protection outside, budget inside, the client at the core.

    A model that is protected already, inside whatever is wrapped around it, gets no second protection: two policies
    would multiply their tries. It keeps its own unless the run has one (`protection=`), which goes before it. One from
    a name shares the breakers of the process. A bare model object is retried, but has no breaker: its maker
    knows what it stands for.

    A run may put another model in the place of one that is named (`models=`), and say whether models think
    (`thinking=`).
    """
    options = invocation_of(ctx).run.options
    if isinstance(model, str):
        model = llm.named_model(options.get("models", {}).get(model, model))
    ready = _protected(model, ctx)
    thinking = options.get("thinking")
    return ready if thinking is None else llm.ThinkingModel(ready, thinking)


def _protected(model: Model, ctx: Context) -> Model:
    run = invocation_of(ctx).run
    options, clock = run.options, run.clock
    protected = _protected_core(model)
    of_the_run = options.get("protection")
    if clock is not SYSTEM_CLOCK:  # tries and breakers wait by the run's clock
        if of_the_run is None and protected is not None:
            of_the_run = replace(protected.protection, clock=clock)
        elif of_the_run is not None and of_the_run.clock is SYSTEM_CLOCK:
            of_the_run = replace(of_the_run, clock=clock)
    protection = of_the_run
    if isinstance(model, ResilientModel):
        protection = protection or model.protection
        model = model.inner
    budgets = options.get("budgets", ())
    if budgets:
        model = llm.BudgetedModel(model, options.get("ledger") or _process_ledger(), budgets)
    elif run.emitter.is_recorded and model.provider not in llm.FREE:
        model = llm.LostTriesModel(model)
    if _protected_core(model) is not None:
        return model if of_the_run is None else ImposedProtection(model, of_the_run)
    return ResilientModel(model, protection or _retries_alone(clock))


def _protected_core(model: object) -> ResilientModel | None:
    """The protected model inside what is wrapped around it, if there is one."""
    while model is not None and not isinstance(model, ResilientModel):
        model = getattr(model, "inner", None)
    return model


def _retries_alone(clock: Clock) -> Protection:
    return _RETRIES_ALONE if clock is SYSTEM_CLOCK else Protection(breaker=None, clock=clock)


_RETRIES_ALONE = Protection(breaker=None)


@cache
def _process_ledger() -> "MemoryBudgetLedger":
    return llm.MemoryBudgetLedger()
