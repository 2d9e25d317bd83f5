"""Computing a tile again: its recipe is carried out by the same tools and the same engine, for its viewer.

The calls go through the ladder of every tool call, so a role that the viewer does not hold, a limit that is reached or
a source that is gone ends in a refusal that says so, and the tile keeps what it showed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from batuta.datasets.dataset import DATASETS_SERVICE, Dataset, DatasetError
from batuta.datasets.library import DatasetLibrary
from batuta.datasets.memory import MemoryDatasetStore
from batuta.datasets.sql import query_datasets
from batuta.datasets.store import DatasetOwner, DatasetStore
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.messages import ToolCallBlock
from batuta.orchestration.specialist import AgentRegistry
from batuta.pipelines.step import Step
from batuta.server.boards.recipe import KeptStep, QueryStep, RecipeStep, TileRecipe, ToolCallStep
from batuta.server.boards.snapshot import TileSnapshot, snapshot_of
from batuta.tools.context import LANGUAGE_SERVICE, TIME_ZONE_SERVICE, ToolUser
from batuta.tools.invocation import CallScope, ToolInvoker, default_invoker
from batuta.tools.tool import Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class TileViewer:
    """For whom a tile is computed."""

    user: ToolUser
    language: str
    timezone: str
    services: Mapping[str, object] = field(default_factory=dict)
    """What the tools of the domains find in a run of this person: rights, the chosen company."""


class TileRefresher:
    """Carries recipes out."""

    def __init__(
        self,
        registry: AgentRegistry,
        kept: DatasetStore,
        *,
        invoker: ToolInvoker | None = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._registry = registry
        self._kept = kept
        self._invoker = invoker or default_invoker()
        self._clock = clock

    async def snapshot(self, recipe: TileRecipe, viewer: TileViewer) -> TileSnapshot:
        """What the tile shows now. Raises `DatasetError` that says why it cannot be computed."""
        store = MemoryDatasetStore()
        library = DatasetLibrary(store=store, owner=DatasetOwner(session_id="tile"), clock=self._clock)
        for step in recipe.steps:
            await self._carry_out(step, library, store, viewer)
        chart = recipe.chart
        if chart is not None and viewer.language in ("en", "es"):
            chart = chart.changed(language=viewer.language)
        return await snapshot_of(library, recipe.dataset, chart)

    async def _carry_out(
        self, step: RecipeStep, library: DatasetLibrary, store: MemoryDatasetStore, viewer: TileViewer
    ) -> None:
        match step:
            case ToolCallStep():
                await self._call(step, library, store, viewer)
            case QueryStep():
                result = await query_datasets(library, step.sql, name=step.dataset, title=step.title)
                await library.keep(result, key=step.dataset)
            case KeptStep():
                await library.keep(await self._load(step), key=step.dataset)

    async def _call(
        self, step: ToolCallStep, library: DatasetLibrary, store: MemoryDatasetStore, viewer: TileViewer
    ) -> None:
        scope = CallScope(
            tools={step.tool_name: self._tool(step)},
            agent_id=step.agent_id,
            user=viewer.user,
            services={
                **viewer.services,
                DATASETS_SERVICE: library,
                LANGUAGE_SERVICE: viewer.language,
                TIME_ZONE_SERVICE: viewer.timezone,
            },
        )
        call = ToolCallBlock(id=step.dataset, name=step.tool_name, args=step.args)
        outcome = await self._invoker.invoke(call, scope, idempotency_key=step.dataset)
        brought = next((event for event in outcome.events if event.get("type") == "dataset_stored"), None)
        if outcome.result.is_error or brought is None:
            raise DatasetError(
                outcome.result.content if outcome.result.is_error else f"{step.tool_name} brought no rows"
            )
        info = await store.find(library.owner, str(brought["dataset_id"]))
        if info is None:
            raise DatasetError(f"{step.tool_name} brought no rows")
        if step.records is not None and info.provenance.sources:
            await _rename(store, library, info.provenance.sources[0], step.records)
        store.rename(library.owner, info.dataset_id, step.dataset)

    def _tool(self, step: ToolCallStep) -> Tool:
        """The tool that a conversation called, if it is still there and only reads. Raises `DatasetError`."""
        tools = _tools_of(self._registry[step.agent_id].step) if step.agent_id in self._registry else {}
        tool = tools.get(step.tool_name)
        if tool is None:
            raise DatasetError(
                f"{step.agent_id} has no tool {step.tool_name} any more; pin the answer of a new question"
            )
        if tool.policy.effect != "read":
            raise DatasetError(f"{step.tool_name} does not only read, so a board does not call it")
        return tool

    async def _load(self, step: KeptStep) -> Dataset:
        """The rows that the conversation holds, if the viewer still sees it."""
        found = DatasetLibrary(store=self._kept, owner=DatasetOwner(session_id=step.session_id), clock=self._clock)
        info = await self._kept.find(found.owner, step.dataset_id)
        if info is None:
            raise DatasetError(f"the rows of {step.dataset} were deleted with their conversation")
        return await found.load(info)


async def _rename(store: MemoryDatasetStore, library: DatasetLibrary, name: str, wanted: str) -> None:
    records = await store.named(library.owner, name)
    if records is not None:
        store.rename(library.owner, records.dataset_id, wanted)


def _tools_of(step: Step[Any, Any]) -> Mapping[str, Tool]:
    """The tools of the agents below a step, by name."""
    own: dict[str, Tool] = dict(getattr(step, "tools", {}))
    for child in step.children():
        own |= _tools_of(child)
    return own
