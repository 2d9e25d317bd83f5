"""All commands, in the order people need them."""

import typer

from batuta.cli import demo, pipelines, platform, simulate

app = typer.Typer(
    name="batuta",
    help="Batuta: code conducts, models play.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)

app.command("serve")(platform.serve)
app.command("worker")(platform.worker)
app.command("migrate")(platform.migrate)
app.command("demo")(demo.demo)
app.command("run")(pipelines.run)
app.command("draw")(pipelines.draw)
app.command("simulate")(simulate.simulate)
