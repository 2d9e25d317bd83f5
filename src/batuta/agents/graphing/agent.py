"""The graphing agent: it chooses what to show; code computes the figures, draws, and refuses what would mislead."""

from batuta.agents.graphing.tools import GRAPHING_TOOLS
from batuta.agents.graphing.understanding import UNDERSTANDING
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.llm.model import Model, ModelSettings
from batuta.llm.roles import DEFAULT_ROLES
from batuta.orchestration.specialist import Specialist
from batuta.steps.agent import AgentStep
from batuta.tools.builtin.language import resolve_words_tool

AGENT_ID = "graphing_agent"

INSTRUCTIONS = (
    "You draw charts of datasets in this conversation. Use `list_datasets` to see what there is, `draw_chart` for a "
    "new chart, and `change_chart` when the request is about the last one (the same by month, only Spain, as a line). "
    "To prepare figures that no column holds, use `query_datasets` first and draw its result. Ask `resolve_words` for "
    "the days of a period before you filter by it. Name columns as the dataset does. Never state a figure that no tool "
    "gave you. Tell the user what the chart shows in one or two sentences, and pass on every note of the tool. If "
    "there is no dataset to draw from, say so. Answer in the language of the request."
)
EXAMPLES = {
    "en": (
        "Sales by month this year as a line chart",
        "Top 5 customers by sales as a pie chart",
        "Stock value by category as a bar chart",
        "Receivables by customer as bars",
    ),
    "es": (
        "Ventas por mes este año en un gráfico de líneas",
        "Los 5 mejores clientes por ventas en un gráfico de tarta",
        "Valor de existencias por categoría en un gráfico de barras",
        "Pendiente de cobro por cliente en un gráfico de barras",
    ),
}


def specialist(
    model: Model | str,
    *,
    clock: Clock = SYSTEM_CLOCK,
    settings: ModelSettings | None = None,
    is_streaming: bool = True,
) -> Specialist:
    """The agent as a member of a team."""
    work = AgentStep(
        name=AGENT_ID,
        model=model,
        output=str,
        instructions=INSTRUCTIONS,
        tools=[*GRAPHING_TOOLS, resolve_words_tool(clock)],
        settings=settings or DEFAULT_ROLES[AGENT_ID].settings,
        is_streaming=is_streaming,
    )
    return Specialist(
        work,
        name="Charts",
        icon="📈",
        color="#EC4899",
        description="Charts of tables that other agents brought: bars, lines, pies, heat maps, figures",
        capabilities=("draw charts of datasets", "change the last chart", "compare and rank figures"),
        commands=("/chart",),
        examples=EXAMPLES,
        model_role=AGENT_ID,
        understanding=UNDERSTANDING,
    )
