"""`batuta sandbox`: a Business Central-compatible service on this machine."""

import socket
import sqlite3
import threading
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

from batuta.cli.output import err, fail
from batuta.sandbox.opening import open_sandbox, reset_file
from batuta.sandbox.quirks import Manner
from batuta.sandbox.records import MEMORY
from batuta.sandbox.service import Sandbox, SandboxSettings
from batuta.sandbox.serving import LOOPBACK_NAMES, SandboxServer
from batuta.sandbox.webhooks import WebhookSettings


def sandbox(
    port: Annotated[int, typer.Option(help="The port; 0 takes a free one.")] = 7048,
    host: Annotated[str, typer.Option(help="Where to listen.")] = "127.0.0.1",
    data: Annotated[Path | None, typer.Option(help="A file to keep the data in; without one, memory.")] = None,
    company_size: Annotated[
        str | None,
        typer.Option(
            help="Size of the first demo company, when the data are made: S (15 customers, 18 months) or M (500 "
            "customers, 2,000 items, 20,000 documents in 24 months; takes a minute or two). The second company is "
            "always small. [default: S]"
        ),
    ] = None,
    quirks: Annotated[Manner, typer.Option(help="bc copies silent traps; teach refuses them.")] = Manner.TEACH,
    today: Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The working date.")] = None,
    client: Annotated[list[str] | None, typer.Option(help="id:secret; with one, tokens are asked for.")] = None,
    webhook_delay: Annotated[float, typer.Option(help="Seconds from a change to its notification.")] = 30.0,
    reset: Annotated[bool, typer.Option("--reset", help="Make the data anew.")] = False,
) -> None:
    """Start a Business Central-compatible sandbox with two demo companies."""
    if host not in LOOPBACK_NAMES and not client:
        raise fail("other machines can reach this host: give the sandbox a client with --client id:secret", 2)
    settings = SandboxSettings(
        manner=quirks,
        clients=dict(_credentials(each) for each in client or ()),
        webhooks=WebhookSettings(delay=timedelta(seconds=max(webhook_delay, 0))),
    )
    try:
        socket.create_server((host, port)).close()  # before the data are made, which takes its time
        if reset and data is not None:
            reset_file(data)
        opened = _opened(data, company_size, settings, today.date() if today else None)
        server = SandboxServer(opened, host=host, port=port)
    except OSError as error:
        raise fail(f"cannot listen on {host}:{port}: {error.strerror}; choose another with --port", 2) from error
    with server:
        err.print(f"the sandbox listens on {server.api_url}", soft_wrap=True)
        err.print(f"working date {opened.store.today()}, quirks {quirks.value}; stop with Ctrl-C")
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return


def _opened(data: Path | None, size: str | None, settings: SandboxSettings, today: date | None) -> Sandbox:
    try:
        with err.status("opening the companies ...") as status:
            return open_sandbox(
                data or MEMORY,
                size=size,
                settings=settings,
                today=today,
                progress=lambda name, share: status.update(f"making {name}: {share:.0%}"),
            )
    except ValueError as error:
        raise fail(str(error), 2) from error
    except sqlite3.Error as error:
        raise fail(f"cannot open {data}: {error}; choose another with --data", 2) from error


def _credentials(text: str) -> tuple[str, str]:
    name, mark, secret = text.partition(":")
    if not (name and mark and secret):
        raise fail(f"'{text}' is not of the form id:secret", 2)
    return name, secret
