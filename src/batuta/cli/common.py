"""What the commands of the platform share. Light: a command that only looks something up starts no team."""

import asyncio
import os
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from batuta.cli.output import fail
from batuta.kernel.errors import ConfigurationError, StoreUnavailableError
from batuta.server.config import Settings, load_settings

T = TypeVar("T")

ConfigFile = Annotated[Path | None, typer.Option("--config", help="A TOML file with settings.")]
DataDir = Annotated[Path | None, typer.Option(help="Where the embedded mode keeps everything.")]


def settings_from(config: Path | None, **given: Any) -> Settings:
    """The settings of a command, or a clear complaint."""
    try:
        return load_settings(os.environ, config, **{name: value for name, value in given.items() if value is not None})
    except ConfigurationError as error:
        raise fail(str(error), 2) from error


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run something to its end; what an operator has to mend is one line, not a traceback."""
    try:
        return asyncio.run(work)
    except ConfigurationError as error:
        raise fail(str(error), 2) from error
    except StoreUnavailableError as error:
        raise fail(f"{error}; is BATUTA_DATABASE_URL right? `batuta doctor` checks it") from error
