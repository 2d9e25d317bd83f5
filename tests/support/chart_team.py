"""A team that reads sales and draws them: a question of a person ends in a table and a chart."""

from dataclasses import dataclass, field
from typing import Any

from batuta.agents.graphing.tools import GRAPHING_TOOLS
from batuta.datasets.dataset import Dataset
from batuta.kernel.messages import ToolCallBlock
from batuta.llm.model import ModelRequest
from batuta.orchestration.orchestrator import Orchestrator
from batuta.orchestration.specialist import Specialist
from batuta.steps.agent import AgentStep
from batuta.tools.tool import Tool, tool
from tests.support.platform import RuleModel
from tests.unit.datasets.chart_cases import ROWS, sales

BY_COUNTRY = "select country, sum(amount) as amount from sales group by country order by amount desc"


@dataclass
class SalesBook:
    """Sales that can grow between two reads, and may need a role to be read."""

    rows: list[list[Any]] = field(default_factory=lambda: [list(row) for row in ROWS])
    reads: int = 0
    """How often they were really read."""
    needed_role: str | None = None

    def read_tool(self) -> Tool:
        """The tool that reads them."""

        @tool(effect="read", roles={self.needed_role} if self.needed_role else set())
        async def read_sales() -> Dataset:
            """Read the sales of all customers."""
            self.reads += 1
            return sales(self.rows)

        return read_sales


def chart_team(book: SalesBook | None = None) -> Orchestrator:
    """An analyst that reads, draws, and says what it drew.

    `/chart as a line` changes the last chart, `/chart by country` queries first, `/chart one figure` draws a figure.
    """
    tools = [(book or SalesBook()).read_tool(), *GRAPHING_TOOLS]
    analyst = AgentStep(name="analyst", model=RuleModel(_analyse), output=str, instructions="Draw.", tools=tools)
    return Orchestrator(
        supervisor=RuleModel(lambda request: '{"answer": "ask the analyst"}'),
        agents=[Specialist(analyst, name="Analyst", icon="📈", commands=("/chart",))],
    )


def _analyse(request: ModelRequest) -> str | ToolCallBlock:
    words = next(message.text for message in reversed(request.messages) if message.role == "user" and message.text)
    results = request.tool_results
    if "line" in words:
        return "A line." if results else ToolCallBlock(id="c3", name="change_chart", args={"time_unit": "month"})
    calls = [ToolCallBlock(id="c1", name="read_sales", args={})]
    if "country" in words:
        query = {"sql": BY_COUNTRY, "name": "by_country", "title": "Sales by country"}
        calls.append(ToolCallBlock(id="c4", name="query_datasets", args=query))
        calls.append(ToolCallBlock(id="c2", name="draw_chart", args={"kind": "bar", "x": "country", "y": ["amount"]}))
    elif "figure" in words:
        figure = {"kind": "kpi", "x": "day", "y": ["amount"], "time_unit": "month"}
        calls.append(ToolCallBlock(id="c2", name="draw_chart", args=figure))
    else:
        calls.append(ToolCallBlock(id="c2", name="draw_chart", args={"kind": "bar", "x": "customer", "y": ["amount"]}))
    done = [call.name for call in calls].index(results[-1].tool_name) + 1 if results else 0
    return calls[done] if done < len(calls) else "Acme bought most."
