"""A run as it goes: one line per step, indented by its path, with its time."""

from rich.console import Console
from rich.markup import escape

from batuta.events.envelope import Event
from batuta.events.progress import StepProgress
from batuta.events.runtime import AttemptRejected, StepCompleted, StepFailed
from batuta.events.tools import ToolResponse


class ProgressLines:
    """Prints what happens, as it happens."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def emit(self, event: Event) -> None:
        """Print an event that a person wants to see."""
        match event:
            case StepCompleted(path=path, duration_ms=took):
                self._line(path, f"[green]✓[/] {_name(path)} [dim]{took:.1f} ms[/]")
            case StepFailed(path=path, message=message):
                self._line(path, f"[red]✗[/] {_name(path)} [red]{escape(message)}[/]")
            case AttemptRejected(path=path, attempt=attempt, message=message):
                self._line(path, f"  [yellow]↻ attempt {attempt}:[/] {escape(message)}")
            case ToolResponse(tool_name=tool, success=success):
                self._line("", f"    [{'cyan' if success else 'red'}]⚙ {escape(tool)}[/]")
            case StepProgress(path=path, message=message):
                self._line(path, f"  [dim]{escape(message)}[/]")
            case _:
                pass

    def _line(self, path: str, text: str) -> None:
        self._console.print("  " * path.count("/") + text, highlight=False)


def _name(path: str) -> str:
    return escape(path.rpartition("/")[2])
