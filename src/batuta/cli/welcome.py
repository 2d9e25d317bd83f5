"""The first thing a person sees of the platform: where it is, what it runs on, how to stop it."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from batuta.cli.output import version
from batuta.server.config import Settings
from batuta.server.team import FirstTeam

KEYS = "ANTHROPIC_API_KEY, OPENAI_API_KEY or GOOGLE_API_KEY"


def greet(console: Console, address: str, settings: Settings, team: FirstTeam) -> None:
    """Say that the platform is ready: a few lines on a terminal, one line in a log."""
    if not console.is_terminal:
        words = f"{settings.mode}, {team.model.label}; Ctrl-C stops"
        console.print(f"Batuta is ready at {address} ({words})", highlight=False, markup=False, soft_wrap=True)
        return
    facts = Table.grid(padding=(0, 2))
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(overflow="fold")
    for name, fact in _facts(address, settings, team).items():
        facts.add_row(f"  {name}", fact)
    console.print()
    console.print(f"  [bold green]Batuta {version()}[/] is ready", highlight=False)
    console.print()
    console.print(facts)
    console.print()


def _facts(address: str, settings: Settings, team: FirstTeam) -> dict[str, Text]:
    return {
        "Open": Text().append(address, style="bold"),
        "Log in": Text(_login(settings)),
        "Model": Text(f"{team.model.label}{f'; set {KEYS} for a real one' if team.model.is_offline else ''}"),
        "Data": Text(_place(settings)),
        "Stop": Text("Ctrl-C; everything is kept"),
    }


def _login(settings: Settings) -> str:
    if settings.is_demo:
        return "one click on the page; works on this machine only"
    return "on the page; whoever comes first creates the owner's account"


def _place(settings: Settings) -> str:
    if settings.mode == "distributed":
        return "distributed mode: PostgreSQL" + (" and Redis" if settings.redis_url is not None else "")
    return f"embedded mode: in the folder {settings.data_dir}"
