"""`batuta replay`: a recorded execution as tree, table or JSON, from the log alone."""

from typing import Annotated, Literal

import typer

from batuta.cli.common import ConfigFile, DataDir, settings_from
from batuta.cli.output import out
from batuta.cli.recorded import Execution, recorded_events
from batuta.observability.timeline import as_json, as_table, as_tree, timeline_of

Format = Literal["tree", "table", "json"]


def replay(
    target: Execution,
    form: Annotated[Format, typer.Option("--format", "-f", help="How to show it.")] = "tree",
    config: ConfigFile = None,
    data_dir: DataDir = None,
) -> None:
    """Rebuild an execution from its events: what ran, how long, tokens, cost, errors, retries."""
    timeline = timeline_of(recorded_events(settings_from(config, data_dir=data_dir), target))
    if form == "json":
        out.print_json(as_json(timeline))
    else:
        out.print(as_tree(timeline) if form == "tree" else as_table(timeline))
