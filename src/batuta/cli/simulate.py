"""`batuta simulate`: a server that speaks the providers' wire protocols."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from batuta.cli.output import err, fail
from batuta.simulator import ScenarioError, Simulator


def simulate(
    scenario: Annotated[Path | None, typer.Argument(help="A scenario file; without one it echoes.")] = None,
    host: Annotated[str, typer.Option(help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port; 0 takes a free one.")] = 8089,
) -> None:
    """Start the provider simulator: Anthropic, OpenAI and Google on one port."""
    try:
        asyncio.run(_serve(host, port, scenario))
    except ScenarioError as error:
        raise fail(str(error), 2) from error
    except OSError as error:
        raise fail(f"cannot listen on {host}:{port}: {error.strerror}; choose another with --port", 2) from error
    except KeyboardInterrupt:
        return


async def _serve(host: str, port: int, scenario: Path | None) -> None:
    async with Simulator(scenario, host=host, port=port) as simulator:
        err.print(f"the simulator listens on {simulator.url}; point a provider's base URL there, stop with Ctrl-C")
        await asyncio.Event().wait()
