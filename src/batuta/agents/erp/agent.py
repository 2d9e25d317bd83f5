"""The ERP agent as a member of a team (A-1, A-2, A-5, A-8)."""

from collections.abc import Sequence
from dataclasses import replace

from batuta.agents.erp.access import ErpAccess
from batuta.agents.erp.changes.preparing import preparing_tools
from batuta.agents.erp.measuring import measure_tools
from batuta.agents.erp.metatools import catalogue_tools
from batuta.agents.erp.reading import reading_tools
from batuta.agents.erp.rights import authorize_reading
from batuta.agents.erp.understanding import erp_understanding
from batuta.agents.erp.writing import writing_tools
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.llm.model import Model, ModelSettings
from batuta.llm.roles import DEFAULT_ROLES
from batuta.orchestration.specialist import Specialist
from batuta.steps.agent import AgentStep
from batuta.tools.builtin.language import resolve_words_tool
from batuta.tools.tool import Tool

AGENT_ID = "erp_agent"

INSTRUCTIONS = (
    "You answer questions about the business from its ERP, Business Central, and change records there when asked. For "
    "sales, margin, money owed, purchases, stock, orders and results use `compute_measure`: it returns a dataset with "
    "figures that are right; never add up, convert or round figures yourself. For lists and single records use "
    "`read_records` and `find_record`. Ask `resolve_words` for the days of a period or an amount in words before you "
    "filter by it. Name what was counted, the period, the company and the currency. Before a change, call "
    "`prepare_change` with the person's words, or find the record; then call the tool that writes: a person sees and "
    "approves it. Where a result names a `next_tool`, call that with the values it gave. If a tool refuses, say why "
    "and what would help; never work around it. If the API does not offer something, say so. Answer in the "
    "language of the question, briefly; the table is shown to the user, do not repeat all of it."
)
EXAMPLES = {
    "en": (
        "Which customers owe us the most?",
        "Sales by month this year compared with last year",
        "Which products sell at a loss?",
        "Which invoices are overdue by more than 60 days?",
    ),
    "es": (
        "¿Qué clientes nos deben más dinero?",
        "Ventas por mes este año comparadas con el año pasado",
        "¿Qué productos se venden con pérdida?",
        "¿Qué pedidos tenemos por enviar?",
    ),
}


def specialist(
    model: Model | str,
    *,
    access: ErpAccess,
    clock: Clock = SYSTEM_CLOCK,
    settings: ModelSettings | None = None,
    is_streaming: bool = True,
) -> Specialist:
    """The agent as a member of a team, on one ERP."""
    work: AgentStep[str, str] = AgentStep(
        name=AGENT_ID,
        model=model,
        output=str,
        instructions=INSTRUCTIONS,
        tools=[
            *guarded_reading_tools(access),
            *catalogue_tools(access.catalogue),
            *guarded_preparing_tools(access),
            *writing_tools(access),
            resolve_words_tool(clock),
        ],
        settings=settings or DEFAULT_ROLES[AGENT_ID].settings,
        is_streaming=is_streaming,
    )
    return Specialist(
        work,
        name="ERP",
        icon="📊",
        color="#0EA5E9",
        description="Customers, sales, purchases, stock, money and documents of the company, from Business Central",
        capabilities=(
            "sales, margin, receivables, payables, stock and orders, by customer, product, country, month and more",
            "find and list customers, vendors, items, invoices, orders and ledger entries",
            "create, change and post documents behind approval",
        ),
        commands=("/erp",),
        examples=EXAMPLES,
        model_role=AGENT_ID,
        understanding=erp_understanding(access),
    )


def guarded_reading_tools(access: ErpAccess) -> tuple[Tool, ...]:
    """The tools that read figures and records, each with the right to read in the company it is asked about."""
    figures = measure_tools(access) if access.measures.measures else ()
    return _guarded(access, (*figures, *reading_tools(access)))


def guarded_preparing_tools(access: ErpAccess) -> tuple[Tool, ...]:
    """The tools that prepare a write, which read records for it."""
    return _guarded(access, preparing_tools(access))


def _guarded(access: ErpAccess, tools: Sequence[Tool]) -> tuple[Tool, ...]:
    authorize = authorize_reading(access)
    return tuple(replace(one, policy=replace(one.policy, authorize=authorize)) for one in tools)
