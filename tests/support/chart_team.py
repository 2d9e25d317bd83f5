"""A team that reads sales and draws them: a question of a person ends in a table and a chart."""

from batuta.agents.graphing.tools import GRAPHING_TOOLS
from batuta.datasets.dataset import Dataset
from batuta.kernel.messages import ToolCallBlock
from batuta.llm.model import ModelRequest
from batuta.orchestration.orchestrator import Orchestrator
from batuta.orchestration.specialist import Specialist
from batuta.steps.agent import AgentStep
from batuta.tools.tool import tool
from tests.support.platform import RuleModel
from tests.unit.datasets.chart_cases import sales

SALES_READ: list[str] = []
"""One entry each time the sales were really read."""


@tool(effect="read")
async def read_sales() -> Dataset:
    """Read the sales of all customers."""
    SALES_READ.append("read")
    return sales()


def chart_team() -> Orchestrator:
    """An analyst that reads, draws, and says what it drew; `/chart as a line` changes the last chart."""
    analyst = AgentStep(
        name="analyst", model=RuleModel(_analyse), output=str, instructions="Draw.", tools=[read_sales, *GRAPHING_TOOLS]
    )
    return Orchestrator(
        supervisor=RuleModel(lambda request: '{"answer": "ask the analyst"}'),
        agents=[Specialist(analyst, name="Analyst", icon="📈", commands=("/chart",))],
    )


def _analyse(request: ModelRequest) -> str | ToolCallBlock:
    words = next(message.text for message in reversed(request.messages) if message.role == "user" and message.text)
    results = request.tool_results
    if "line" in words:
        return "A line." if results else ToolCallBlock(id="c3", name="change_chart", args={"time_unit": "month"})
    if not results:
        return ToolCallBlock(id="c1", name="read_sales", args={})
    if results[-1].tool_name == "read_sales":
        return ToolCallBlock(id="c2", name="draw_chart", args={"kind": "bar", "x": "customer", "y": ["amount"]})
    return "Acme bought most."
