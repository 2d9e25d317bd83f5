"""`batuta run` and `batuta draw`: pipelines from the command line."""

import asyncio
import json
from typing import Annotated, Any

import typer
from pydantic import TypeAdapter, ValidationError

from batuta.cli.loading import load_step
from batuta.cli.output import err, fail, out, say_json
from batuta.observability.channel import EventChannel
from batuta.observability.console import LiveTree
from batuta.pipelines.result import StepResult
from batuta.pipelines.step import Step

Target = Annotated[str, typer.Argument(help="file.py:name or package.module:name")]


def run(
    target: Target,
    input_: Annotated[str, typer.Option("--input", "-i", help="The input: text, or JSON where the type asks for it.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON and nothing else.")] = False,
    dry_run: Annotated[bool, typer.Option(help="Replace effects by their stand-ins.")] = False,
) -> None:
    """Run a pipeline and draw it as a tree while it runs. Exit code 1 if it fails, 2 if it cannot be started."""
    step = load_step(target)
    value = _parsed(step, input_)
    result = asyncio.run(step.run(value, dry_run=dry_run)) if as_json else run_live(step, value, dry_run=dry_run)
    _show(result, as_json)
    raise SystemExit(int(result.is_error))


def run_live(step: Step[Any, Any], value: Any, *, dry_run: bool = False) -> StepResult[Any]:
    """Run something and draw it as a tree meanwhile; what is not a terminal gets the last picture."""
    with LiveTree(err) as tree, EventChannel() as channel:
        channel.attach(tree, name="console")
        return asyncio.run(step.run(value, sink=channel, dry_run=dry_run))


def draw(target: Target) -> None:
    """Print a pipeline as a Mermaid flowchart."""
    out.print(load_step(target).draw(), markup=False, highlight=False, soft_wrap=True, end="")


def _parsed(step: Step[Any, Any], text: str) -> Any:
    if step.input_type is str:
        return text
    try:
        return TypeAdapter(step.input_type).validate_python(_as_data(text))
    except ValidationError as error:
        raise fail(f"the input does not fit {step.name!r}: {error}", 2) from error


def _as_data(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _show(result: StepResult[Any], as_json: bool) -> None:
    metrics = result.metrics
    facts = {
        "seconds": round(metrics.duration_seconds, 3),
        "attempts": metrics.attempts,
        "tokens": metrics.usage.total,
        "cost": metrics.cost,
    }
    if as_json:
        outcome = {"error": str(result.error)} if result.is_error else {"value": _plain(result.value)}
        say_json({**outcome, **facts})
        return
    if result.is_error:
        err.print(f"[bold red]failed[/] at {result.error.path}: {result.error.message}", highlight=False)
    else:
        out.print(_plain(result.value))
    cost = "unknown cost" if metrics.cost is None else f"{metrics.cost} USD"
    err.print(f"[dim]{facts['seconds']} s · {facts['tokens']} tokens · {cost}[/]", highlight=False)


def _plain(value: Any) -> Any:
    return TypeAdapter(Any).dump_python(value, mode="json")
