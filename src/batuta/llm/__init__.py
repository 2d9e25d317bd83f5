"""The seam to language models: one small protocol, one thin client per provider.

These names are what only some agents need: those with a model that is named, a budget or a wish about thinking. Each is
imported when it is first used.
"""

from typing import TYPE_CHECKING

from batuta.kernel.lazy import lazy_exports

if TYPE_CHECKING:
    from batuta.llm.budget import MemoryBudgetLedger as MemoryBudgetLedger
    from batuta.llm.budgeted import BudgetedModel as BudgetedModel
    from batuta.llm.budgeted import LostTriesModel as LostTriesModel
    from batuta.llm.budgeted import worst_case as worst_case
    from batuta.llm.factory import named_model as named_model
    from batuta.llm.prices import DEFAULT_PRICES as DEFAULT_PRICES
    from batuta.llm.prices import FREE as FREE
    from batuta.llm.prices import prices_of as prices_of
    from batuta.llm.providers import parse_model as parse_model
    from batuta.llm.thinking import ThinkingModel as ThinkingModel

_imported, __all__ = lazy_exports(
    __name__,
    {
        "batuta.llm.budget": ("MemoryBudgetLedger",),
        "batuta.llm.budgeted": ("BudgetedModel", "LostTriesModel", "worst_case"),
        "batuta.llm.factory": ("named_model",),
        "batuta.llm.prices": ("DEFAULT_PRICES", "FREE", "prices_of"),
        "batuta.llm.providers": ("parse_model",),
        "batuta.llm.thinking": ("ThinkingModel",),
    },
)

if not TYPE_CHECKING:  # a type checker that saw it would take any name for granted
    __getattr__ = _imported
