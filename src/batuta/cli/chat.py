"""`batuta chat`: a team in the terminal, with live events, tool cards and approvals."""

import asyncio
import json
import os
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.prompt import Prompt

from batuta.cli.common import ConfigFile, settings_from
from batuta.cli.output import err, fail, out
from batuta.cli.platform import TeamName, team_of
from batuta.cli.tables import MOST_BARS, chart_of, table_of
from batuta.conversations.conversation import Conversation
from batuta.datasets.dataset import DATASETS_SERVICE
from batuta.datasets.library import DatasetLibrary
from batuta.datasets.memory import MemoryDatasetStore
from batuta.datasets.store import DatasetOwner, page_of
from batuta.events.conversation import AssistantMessage, ErrorOccurred
from batuta.events.datasets import ChartDrawn, DatasetStored
from batuta.events.envelope import Event
from batuta.events.plans import AgentHandoff, PlanGenerated
from batuta.events.tools import ToolRequest, ToolResponse
from batuta.kernel.ids import new_id
from batuta.language.detection import detect_language
from batuta.orchestration.orchestrator import Orchestrator
from batuta.orchestration.specialist import SUPERVISOR_ID
from batuta.tools.approval import ApprovalDecision, ApprovalRequest
from batuta.tools.context import LANGUAGE_SERVICE, ToolUser


def chat(
    config: ConfigFile = None,
    data_dir: Annotated[Path | None, typer.Option(help="Where the team keeps its files.")] = None,
    team: TeamName = None,
    agent: Annotated[str | None, typer.Option(help="Talk to one agent instead of the team.")] = None,
) -> None:
    """Talk to the team. An empty line ends it."""
    found = team_of(settings_from(config, data_dir=data_dir), team)
    if agent is not None and agent not in (known := found.orchestrator.registry.names):
        raise fail(f"there is no agent {agent!r}; there are {', '.join(sorted(known))}", 2)
    err.print(f"[dim]{found.model.label}; an empty line ends the conversation[/]")
    asyncio.run(_talk(found.orchestrator, agent))


async def _talk(team: Orchestrator, agent: str | None) -> None:
    conversation = Conversation()
    library = DatasetLibrary(store=MemoryDatasetStore(), owner=DatasetOwner(session_id=new_id()))
    user = ToolUser(id=os.environ.get("USER", "me"), roles=frozenset({"user", "approver", "analyst"}))
    while text := await asyncio.to_thread(_said):
        language = detect_language(text)
        turn = await team.run(
            text,
            target_agent_id=agent,
            conversation=conversation,
            sink=Cards(language),
            approver=Asks(),
            user=user,
            services={DATASETS_SERVICE: library, LANGUAGE_SERVICE: language},
        )
        for event in turn.events:
            if isinstance(event, ChartDrawn):
                await _show_chart(event, library)
        if turn.error is not None:
            err.print(f"[red]{escape(turn.error.message)}[/]")
        err.print(f"[dim]{turn.usage.total} tokens[/]")


async def _show_chart(event: ChartDrawn, library: DatasetLibrary) -> None:
    """The figures of a chart, once they are kept."""
    info = await library.store.find(library.owner, str(event.dataset_id))
    if info is not None:
        page = await page_of(library.store, library.owner, info, 0, MOST_BARS)
        out.print(chart_of(event, info.columns, page.rows))


def _said() -> str:
    """The next line; the end of the input is an empty one."""
    try:
        return Prompt.ask("[bold]you[/]", default="", show_default=False).strip()
    except EOFError:
        return ""


class Cards:
    """Shows what happens, as it happens: in line, so that a question to the person comes after what it is about."""

    never_blocks = True

    def __init__(self, language: str = "en") -> None:
        self._language = language
        self._has_conclusion = False

    def emit(self, event: Event) -> None:
        """Show an event that a person wants to see."""
        match event:
            case PlanGenerated(steps=steps):
                self._has_conclusion = len(steps) > 1
                err.print("[bold]plan[/] " + " → ".join(f"{s.agent_name}: {escape(s.task)}" for s in steps))
            case AgentHandoff(to_agent=taker):
                err.print(f"[dim]{taker.agent_icon or '•'} {escape(taker.agent_name)}[/]")
            case ToolRequest(tool_name=name, args=args):
                err.print(f"  [cyan]⚙ {escape(name)}[/] [dim]{escape(json.dumps(args, ensure_ascii=False))}[/]")
            case ToolResponse(success=True, executed_args=dict(executed)):
                err.print(f"  [dim]with changes: {escape(json.dumps(executed, ensure_ascii=False))}[/]")
            case ToolResponse(success=False, content=content):
                err.print(f"  [red]{escape(content)}[/]")
            case DatasetStored():
                out.print(table_of(event, self._language))
            case AssistantMessage(content=content, source_agent_id=who) if (
                self._has_conclusion and who != SUPERVISOR_ID
            ):
                err.print(f"[dim]{who} {escape(content)}[/]")  # the supervisor's last word will hold it
            case AssistantMessage():
                _tell_answer(event)
            case ErrorOccurred(message=message):
                err.print(f"[red]{escape(message)}[/]")
            case _:
                pass


def _tell_answer(answer: AssistantMessage) -> None:
    out.print(f"[bold green]{answer.source_agent_id}[/] {escape(answer.content)}")
    if "[^" in answer.content:  # it brings its own footnotes
        return
    for number, source in enumerate(answer.citations, 1):
        err.print(f"  [dim]{escape(f'[{number}]')} {escape(', '.join(filter(None, (source.title, source.place))))}[/]")


class Asks:
    """Asks at the terminal."""

    async def decide(self, request: ApprovalRequest) -> ApprovalDecision:
        """Approve, reject with a reason, or edit the arguments."""
        err.print(f"[yellow]approval:[/] {escape(request.preview or request.tool_name)}")
        err.print(f"[dim]{escape(json.dumps(request.args, ensure_ascii=False))}[/]")
        if request.refused_edits:
            err.print(f"[red]{escape(request.reason)}[/]")
        choice = await asyncio.to_thread(Prompt.ask, "approve, reject or edit", choices=["a", "r", "e"], default="a")
        if choice == "a":
            return ApprovalDecision.approve(by="terminal")
        if choice == "r":
            return ApprovalDecision.reject(await asyncio.to_thread(Prompt.ask, "why", default=""), by="terminal")
        return ApprovalDecision.edit(await _edited(request.args), by="terminal")


async def _edited(args: dict[str, object]) -> dict[str, object]:
    while True:
        text = await asyncio.to_thread(Prompt.ask, "arguments", default=json.dumps(args, ensure_ascii=False))
        try:
            edited = json.loads(text)
        except json.JSONDecodeError as error:
            err.print(f"[red]no JSON: {error}[/]")
            continue
        if isinstance(edited, dict):
            return edited
        err.print("[red]arguments are a JSON object[/]")
