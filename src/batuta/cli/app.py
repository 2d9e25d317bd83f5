"""All commands, in the order people need them.

Only the one that is asked for is loaded: each starts quickly, and needs no extra but its own. The list of them all
loads none.
"""

from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from batuta.cli.output import fail, out, version
from batuta.kernel.errors import ConfigurationError, MissingExtraError, StoreUnavailableError


class CommandSource(NamedTuple):
    """Where a command is written, the extra it needs, and its line in the list of commands."""

    module: str
    name: str
    help: str
    extra: str = "cli"


COMMANDS = {
    "serve": CommandSource(
        "platform",
        "serve",
        "Start the platform. Without any setting it works at once: one file, no key, no server.",
        "server",
    ),
    "worker": CommandSource(
        "platform", "worker", "Run turns beside other workers; needs BATUTA_DATABASE_URL.", "server"
    ),
    "migrate": CommandSource("platform", "migrate", "Bring the database up to date.", "server"),
    "chat": CommandSource("chat", "chat", "Talk to the team. An empty line ends it.", "server"),
    "doctor": CommandSource(
        "doctor",
        "doctor",
        "Check versions, database, Redis, keys, models, ERP, disk and web application; exit code 1 if one is wrong.",
        "server",
    ),
    "replay": CommandSource(
        "replay",
        "replay",
        "Rebuild an execution from its events: what ran, how long, tokens, cost, errors, retries.",
        "server",
    ),
    "turns": CommandSource("turns", "app", "The turns of a queue.", "server"),
    "audit": CommandSource("audit", "app", "The audit trail.", "server"),
    "user": CommandSource("users", "app", "The accounts of the platform.", "server"),
    "files": CommandSource("files", "app", "The files of an account.", "server"),
    "init": CommandSource(
        "template",
        "init",
        "Write a small project: agents, pipelines, steps, results, tools, its configuration, and a test that passes.",
    ),
    "demo": CommandSource("demo", "demo", "Watch a pipeline correct its model's mistakes, live, offline."),
    "run": CommandSource(
        "pipelines",
        "run",
        "Run a pipeline and draw it as a tree while it runs. Exit code 1 if it fails, 2 if it cannot be started.",
    ),
    "draw": CommandSource("pipelines", "draw", "Print a pipeline as a Mermaid flowchart."),
    "rerun": CommandSource(
        "rerun",
        "rerun",
        "Run a recorded turn again and show what changed. Nothing is written, neither to the session nor outside.",
        "server",
    ),
    "eval": CommandSource("evaluate", "app", "Ask recorded tasks and judge the answers.", "server"),
    "simulate": CommandSource(
        "simulate", "simulate", "Start the provider simulator: Anthropic, OpenAI and Google on one port.", "simulator"
    ),
    "sandbox": CommandSource(
        "sandbox", "sandbox", "Start a Business Central-compatible sandbox with two demo companies."
    ),
    "mcp": CommandSource("mcp", "app", "The ERP's tools for other clients, over the Model Context Protocol.", "mcp"),
}


class Commands(TyperGroup):
    """Lists the commands without loading them, and loads the one that runs."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = {name: TyperCommand(name, help=source.help) for name, source in COMMANDS.items()}

    def invoke(self, ctx: Any) -> Any:
        """Run a command; what an operator has to mend is a line and no traceback."""
        try:
            return super().invoke(ctx)
        except ConfigurationError as error:
            raise fail(str(error), 2) from error
        except StoreUnavailableError as error:
            raise fail(f"{error}; is BATUTA_DATABASE_URL right? `batuta doctor` checks it") from error

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that runs."""
        name, listed, rest = super().resolve_command(ctx, args)
        return name, None if listed is None or listed.name is None else load(listed.name), rest


def load(command_name: str) -> Any:
    """A command with its options; what it lacks is named with the extra that brings it."""
    source = COMMANDS[command_name]
    try:
        found = getattr(import_module(f"batuta.cli.{source.module}"), source.name)
    except ImportError as error:
        raise fail(str(MissingExtraError(source.extra, needed_for=f"`batuta {command_name}`")), 2) from error
    if isinstance(found, typer.Typer):
        command = typer.main.get_command(found)
    else:
        alone = typer.Typer(add_completion=False, pretty_exceptions_show_locals=False)
        alone.command(command_name)(found)
        command = typer.main.get_command(alone)
    command.name = command_name
    return command


app = typer.Typer(
    name="batuta",
    cls=Commands,
    help="Batuta: code conducts, models play.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)


def _tell_version(is_asked: bool) -> None:
    if is_asked:
        out.print(f"batuta {version()}", highlight=False)
        raise typer.Exit


@app.callback()
def batuta(
    _: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Batuta: code conducts, models play."""
