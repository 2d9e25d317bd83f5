"""The first thing a person sees of the platform: where it is, what it runs on, how to stop it."""

from dataclasses import dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text

from batuta.cli.output import version
from batuta.orchestration.caution import unasked_writes
from batuta.server.config import Settings
from batuta.server.team import FirstTeam

KEYS = "ANTHROPIC_API_KEY, OPENAI_API_KEY or GOOGLE_API_KEY"


@dataclass(frozen=True, slots=True, kw_only=True)
class Greeting:
    """What there is to say about a platform that begins to serve."""

    settings: Settings
    team: FirstTeam
    setup_token: str | None = None
    """What creates the owner's account, as long as there is none."""

    def setup_address(self, address: str) -> str | None:
        """Where the owner's account is created. The token stands behind the `#`, which browsers keep to themselves."""
        place = self.settings.public_url or address
        return None if self.setup_token is None else f"{place}/#setup={self.setup_token}"


def greet(console: Console, address: str, greeting: Greeting) -> None:
    """Say that the platform is ready: a few lines on a terminal, one line and the warnings in a log."""
    settings, team = greeting.settings, greeting.team
    for caution in settings.cautions:
        console.print(caution, style="bold red", highlight=False, markup=False, soft_wrap=True)
    unasked = unasked_writes(team.orchestrator)
    if unasked:
        words = f"these writes need no approval: {', '.join(unasked)}"
        console.print(words, style="yellow", highlight=False, markup=False, soft_wrap=True)
    setup = greeting.setup_address(address)
    if not console.is_terminal:
        words = f"{settings.mode}, {team.model.label}; Ctrl-C stops"
        console.print(f"Batuta is ready at {address} ({words})", highlight=False, markup=False, soft_wrap=True)
        if setup is not None:
            console.print(f"create the owner's account at {setup}", highlight=False, markup=False, soft_wrap=True)
        return
    facts = Table.grid(padding=(0, 2))
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(overflow="fold")
    for name, fact in _facts(address, greeting).items():
        facts.add_row(f"  {name}", fact)
    console.print()
    console.print(f"  [bold green]Batuta {version()}[/] is ready", highlight=False)
    console.print()
    console.print(facts)
    console.print()


def _facts(address: str, greeting: Greeting) -> dict[str, Text]:
    settings, team = greeting.settings, greeting.team
    return {
        "Open": Text().append(greeting.setup_address(address) or address, style="bold"),
        "Log in": Text(_login(greeting)),
        "Model": Text(f"{team.model.label}{f'; set {KEYS} for a real one' if team.model.is_offline else ''}"),
        "Data": Text(_place(settings)),
        "Stop": Text("Ctrl-C; everything is kept"),
    }


def _login(greeting: Greeting) -> str:
    if greeting.settings.is_demo:
        return "one click on the page; works on this machine only"
    if greeting.setup_token is not None:
        return "the address above lets its holder create the owner's account, once"
    return "on the page"


def _place(settings: Settings) -> str:
    if settings.mode == "distributed":
        return "distributed mode: PostgreSQL" + (" and Redis" if settings.redis_url is not None else "")
    return f"embedded mode: in the folder {settings.data_dir}"
