"""All commands, in the order people need them."""

import typer

from batuta.cli import audit, chat, demo, doctor, pipelines, platform, replay, simulate, template

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
app.command("chat")(chat.chat)
app.command("doctor")(doctor.doctor)
app.command("replay")(replay.replay)
app.add_typer(audit.app, name="audit")
app.command("init")(template.init)
app.command("demo")(demo.demo)
app.command("run")(pipelines.run)
app.command("draw")(pipelines.draw)
app.command("simulate")(simulate.simulate)
