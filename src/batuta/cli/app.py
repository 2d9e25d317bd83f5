"""All commands, in the order people need them.

Only the one that is asked for is loaded: each starts quickly, and needs no extra but its own.
"""

from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperGroup

from batuta.cli.output import fail, out, version
from batuta.kernel.errors import MissingExtraError


class CommandSource(NamedTuple):
    """Where a command is written, and the extra it needs."""

    module: str
    name: str
    extra: str = "cli"


COMMANDS = {
    "serve": CommandSource("platform", "serve", "server"),
    "worker": CommandSource("platform", "worker", "server"),
    "migrate": CommandSource("platform", "migrate", "server"),
    "chat": CommandSource("chat", "chat", "server"),
    "doctor": CommandSource("doctor", "doctor", "server"),
    "replay": CommandSource("replay", "replay", "server"),
    "turns": CommandSource("turns", "app", "server"),
    "audit": CommandSource("audit", "app", "server"),
    "user": CommandSource("users", "app", "server"),
    "files": CommandSource("files", "app", "server"),
    "init": CommandSource("template", "init"),
    "demo": CommandSource("demo", "demo"),
    "run": CommandSource("pipelines", "run"),
    "draw": CommandSource("pipelines", "draw"),
    "rerun": CommandSource("rerun", "rerun", "server"),
    "eval": CommandSource("evaluate", "app", "server"),
    "simulate": CommandSource("simulate", "simulate", "simulator"),
    "sandbox": CommandSource("sandbox", "sandbox"),
    "mcp": CommandSource("mcp", "app", "mcp"),
}


class Commands(TyperGroup):
    """Loads a command when it is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, as `--help` lists them."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command; what it lacks is named with the extra that brings it."""
        source = COMMANDS.get(cmd_name)
        if source is None:
            return None
        try:
            found = getattr(import_module(f"batuta.cli.{source.module}"), source.name)
        except ImportError as error:
            raise fail(str(MissingExtraError(source.extra, needed_for=f"`batuta {cmd_name}`")), 2) from error
        if isinstance(found, typer.Typer):
            command = typer.main.get_command(found)
        else:
            alone = typer.Typer(add_completion=False, pretty_exceptions_show_locals=False)
            alone.command(cmd_name)(found)
            command = typer.main.get_command(alone)
        command.name = cmd_name
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
