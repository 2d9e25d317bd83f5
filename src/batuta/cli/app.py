"""All commands, in the order people need them."""

import typer

from batuta.cli import demo, pipelines, rerun, simulate

app = typer.Typer(
    name="batuta",
    help="Batuta: code conducts, models play.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)

app.command("demo")(demo.demo)
app.command("run")(pipelines.run)
app.command("draw")(pipelines.draw)
app.command("rerun")(rerun.rerun)
app.command("simulate")(simulate.simulate)
