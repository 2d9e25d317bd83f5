"""How commands talk: rich on a terminal, plain otherwise, JSON when asked."""

import json
from importlib import metadata
from typing import Any

from rich.console import Console
from rich.markup import escape

out = Console()
err = Console(stderr=True)


def say_json(value: Any) -> None:
    """One JSON value on standard output."""
    out.print_json(json.dumps(value, default=str))


def fail(message: str, code: int = 1) -> SystemExit:
    """An error for people, and the exit code that goes with it."""
    err.print(f"[bold red]error:[/] {escape(message)}", highlight=False)
    return SystemExit(code)


def version() -> str:
    """The version that is installed."""
    return metadata.version("batuta-ai")
