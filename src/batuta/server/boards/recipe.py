"""How the figures of a tile came about, as data: enough to compute them again without the conversation.

    chart ← dataset ← SQL ← dataset ← call of a tool

A recipe is taken from what the conversation recorded: provenance of the datasets, and the tool calls in its events.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from batuta.datasets.attached import UPLOAD_CONNECTOR
from batuta.datasets.charts.planning import CHART_CONNECTOR
from batuta.datasets.charts.request import ChartRequest
from batuta.datasets.sql import SQL_CONNECTOR
from batuta.datasets.store import DatasetInfo
from batuta.events.datasets import DatasetStored
from batuta.events.envelope import Event
from batuta.events.tools import ToolRequest


class _Step(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    dataset: str
    """The name that later steps call its result by."""


class ToolCallStep(_Step):
    """A call of an agent's tool that reads."""

    kind: Literal["tool"] = "tool"
    agent_id: str
    tool_name: str
    args: dict[str, Any]
    records: str | None = None
    """The name of the dataset with the records behind the result, which the same call keeps."""


class QueryStep(_Step):
    """A statement over results of earlier steps."""

    kind: Literal["query"] = "query"
    sql: str
    title: str = ""


class KeptStep(_Step):
    """Rows that nothing can read again, such as an uploaded file's: taken from the conversation that holds them."""

    kind: Literal["kept"] = "kept"
    session_id: str
    dataset_id: str


RecipeStep = Annotated[ToolCallStep | QueryStep | KeptStep, Field(discriminator="kind")]


class TileRecipe(BaseModel):
    """The steps to a dataset, and how it is shown: as a chart, or as it is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    steps: tuple[RecipeStep, ...]
    dataset: str
    chart: ChartRequest | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCall:
    """A tool call as the conversation recorded it."""

    agent_id: str
    tool_name: str
    args: dict[str, Any]


def recorded_calls(events: Iterable[Event]) -> dict[str, RecordedCall]:
    """The call that brought each dataset, by the id of the dataset."""
    requests: dict[tuple[str, str], ToolRequest] = {}
    found: dict[str, RecordedCall] = {}
    for event in events:
        turn = str(event.turn_id)
        if isinstance(event, ToolRequest):
            requests[turn, event.tool_use_id] = event
        elif isinstance(event, DatasetStored) and (asked := requests.get((turn, event.tool_use_id))):
            found[str(event.dataset_id)] = RecordedCall(
                agent_id=str(asked.source_agent_id), tool_name=asked.tool_name, args=asked.args
            )
    return found


def recipe_of(info: DatasetInfo, kept: Iterable[DatasetInfo], calls: Mapping[str, RecordedCall]) -> TileRecipe:
    """The recipe of a dataset of a conversation, given all datasets of it and the calls that brought them."""
    by_name = {one.name: one for one in kept}
    steps: dict[str, RecipeStep] = {}
    if info.provenance.connector == CHART_CONNECTOR:
        chart = ChartRequest.model_validate_json(info.provenance.query)
        if chart.dataset in by_name:
            _add(chart.dataset, by_name, calls, steps)
        return TileRecipe(steps=tuple(steps.values()), dataset=chart.dataset, chart=chart)
    _add(info.name, by_name, calls, steps)
    return TileRecipe(steps=tuple(steps.values()), dataset=info.name, chart=_figure(info))


def _add(
    name: str, kept: Mapping[str, DatasetInfo], calls: Mapping[str, RecordedCall], steps: dict[str, RecipeStep]
) -> None:
    """Put the steps to a dataset behind those that are there."""
    if name in steps or any(isinstance(step, ToolCallStep) and step.records == name for step in steps.values()):
        return
    info = kept[name]
    sources = [source for source in info.provenance.sources if source in kept]
    if info.provenance.connector == SQL_CONNECTOR:
        for source in sources:
            _add(source, kept, calls, steps)
        steps[name] = QueryStep(dataset=name, sql=info.provenance.query, title=info.title)
    elif info.provenance.connector == UPLOAD_CONNECTOR:  # the tool that took the file finds none on a board
        steps[name] = _kept_step(info)
    elif call := calls.get(info.dataset_id):
        records = sources[0] if sources else None
        steps[name] = ToolCallStep(
            dataset=name, agent_id=call.agent_id, tool_name=call.tool_name, args=call.args, records=records
        )
    elif maker := _maker(name, kept, calls):
        _add(maker, kept, calls, steps)
    else:
        steps[name] = _kept_step(info)


def _kept_step(info: DatasetInfo) -> KeptStep:
    return KeptStep(dataset=info.name, session_id=info.session_id, dataset_id=info.dataset_id)


def _maker(name: str, kept: Mapping[str, DatasetInfo], calls: Mapping[str, RecordedCall]) -> str | None:
    """The dataset whose call also kept this one: the figures, for the records behind them."""
    return next(
        (other.name for other in kept.values() if other.dataset_id in calls and name in other.provenance.sources), None
    )


def _figure(info: DatasetInfo) -> ChartRequest | None:
    """One row with a figure is shown as that figure, not as a table."""
    if info.row_count != 1 or not any(column.is_numeric for column in info.columns):
        return None
    return ChartRequest(dataset=info.name, kind="kpi", title=info.title)
