"""`batuta audit`: was the record changed (`verify`), and is it complete (`counts`)?"""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from batuta.cli.common import ConfigFile, DataDir, run, settings_from
from batuta.cli.output import fail, out, say_json
from batuta.cli.recorded import Execution, recorded_events
from batuta.events.envelope import Event
from batuta.events.log import PAGE_SIZE
from batuta.eventstore.audit import Verified, verify_chain, verify_session
from batuta.eventstore.audit import verify as verify_log
from batuta.kernel.errors import ConfigurationError
from batuta.observability.audit_counts import audit
from batuta.server.backends import open_backends
from batuta.server.config import Settings
from batuta.server.erasure_ledger import Erasing, ErasureLedger, ErasureNote, ledger_of
from batuta.server.erasure_ledger import replay as replay_erasures
from batuta.server.file_processing import open_file_processing
from batuta.server.identity import repository as accounts_rows
from batuta.server.security.account_trail import TRAIL, AccountTrail, RecordedAccountChange
from batuta.server.security.refusals import REFUSED
from batuta.server.sessions import repository as session_rows

app = typer.Typer(help="The audit trail.", no_args_is_help=True, add_completion=False)


@app.command()
def verify(config: ConfigFile = None, data_dir: DataDir = None) -> None:
    """Check the hash chain of every session and of the accounts. Exit code 1 if something was tampered with."""
    trail, sessions, problems = asyncio.run(_verified(settings_from(config, data_dir=data_dir)))
    if not trail.is_sound:
        raise fail("\n".join([f"the trail of accounts does not verify:\n{_complaint(trail)}", *problems]))
    if problems:
        raise fail(f"{len(problems)} of {sessions} sessions do not verify:\n" + "\n".join(problems))
    out.print(f"[green]✓[/] {sessions} sessions verify, and {trail.records} entries about accounts", highlight=False)


@app.command()
def accounts(
    as_json: Annotated[bool, typer.Option("--json", help="Print the changes as JSON and nothing else.")] = False,
    config: ConfigFile = None,
    data_dir: DataDir = None,
) -> None:
    """Show who changed which account or API key, when, and from where; `batuta user list --json` tells whose it is."""
    entries = asyncio.run(_entries(settings_from(config, data_dir=data_dir)))
    changes = [one for one in entries if one.action != REFUSED]
    if as_json:
        say_json([asdict(change) for change in changes])
        return
    for one in changes:  # lines, not a table: nothing of an audit is cut off, whatever the terminal's width
        typer.echo(f"{one.at} {one.action} of {one.user_id} by {one.who}, {one.origin}{_details(one)}")


@app.command()
def refusals(
    as_json: Annotated[bool, typer.Option("--json", help="Print the refusals as JSON and nothing else.")] = False,
    config: ConfigFile = None,
    data_dir: DataDir = None,
) -> None:
    """Show whom the platform refused what: who, what, when, from where, the answer, and how often."""
    entries = asyncio.run(_entries(settings_from(config, data_dir=data_dir)))
    refused = [one for one in entries if one.action == REFUSED]
    if as_json:
        say_json([asdict(one) for one in refused])
        return
    for one in refused:
        typer.echo(f"{one.at} refused to {one.who}, {one.origin}{_details(one)}")


@app.command()
def erasures(
    ledger: Annotated[list[Path] | None, typer.Option(help="A ledger to read, in place of this machine's own.")] = None,
    replay: Annotated[bool, typer.Option("--replay", help="Erase it again: after a backup was restored.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the erasures as JSON and nothing else.")] = False,
    config: ConfigFile = None,
    data_dir: DataDir = None,
) -> None:
    """Show what was erased, and erase again what a restored backup brought back."""
    settings = settings_from(config, data_dir=data_dir)
    ledgers = [ErasureLedger(path) for path in ledger] if ledger else [ledger_of(settings)]
    try:
        notes = [note for each in ledgers for note in each.notes()]
    except ConfigurationError as error:
        raise fail(str(error), 2) from error
    if replay:
        records = run(_replayed(settings, notes))
        out.print(f"[green]✓[/] {len(notes)} erasures replayed: {records} records were back", highlight=False)
    elif as_json:
        say_json([note._asdict() for note in notes])
    else:
        for note in notes:
            typer.echo(f"{note.at} {note.kind} {note.subject}")


async def _replayed(settings: Settings, notes: Sequence[ErasureNote]) -> int:
    async with open_backends(settings) as backends, open_file_processing(settings, backends) as processing:
        erasing = Erasing(
            shut_out=accounts_rows.shut_out, hide=session_rows.delete, delete_file=processing.files.delete_again
        )
        return await replay_erasures(notes, backends.database, processing.audit, erasing)


@app.command()
def counts(
    target: Execution,
    provider_calls: Annotated[int | None, typer.Option(min=0, help="Calls as the provider counted them.")] = None,
    exported_spans: Annotated[int | None, typer.Option(min=0, help="Spans as the trace store counted them.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON and nothing else.")] = False,
    config: ConfigFile = None,
    data_dir: DataDir = None,
) -> None:
    """Count a recorded execution from all sides: events = spans = provider calls. Exit code 1 if they differ.

    What was taken out of the log as a pair would still add up, so the hash chain of its sessions is checked as well.
    """
    settings = settings_from(config, data_dir=data_dir)
    events = recorded_events(settings, target)
    found = audit(events, provider_calls=provider_calls, exported_spans=exported_spans)
    problems = [*asyncio.run(_tampering(settings, events)), *found.problems()]
    if as_json:
        say_json({"is_complete": not problems, "problems": problems, **asdict(found)})
        raise SystemExit(int(bool(problems)))
    table = Table("what", "begun", "ended", "spans", "counted elsewhere")
    for count in found.counts:
        elsewhere = "" if count.elsewhere is None else str(count.elsewhere)
        table.add_row(count.what, str(count.begun), str(count.ended), str(count.spans), elsewhere)
    out.print(table)
    if problems:
        raise fail("the events of the execution are incomplete:\n" + "\n".join(problems))
    out.print(f"[green]✓[/] {len(events)} events tell {found.spans} spans, each begun and ended once", highlight=False)


async def _tampering(settings: Settings, events: Sequence[Event]) -> list[str]:
    """What is wrong with the records of the sessions that an execution is recorded in."""
    sessions = sorted({event.session_id for event in events if event.session_id is not None})
    async with open_backends(settings) as store:
        verdicts = [await verify_session(store.audit, session) for session in sessions]
    return [_complaint(verdict) for verdict in verdicts if verdict.problems]


def _details(entry: RecordedAccountChange) -> str:
    return "".join(f" {name}={value}" for name, value in entry.details.items())


async def _entries(settings: Settings) -> list[RecordedAccountChange]:
    found: list[RecordedAccountChange] = []
    async with open_backends(settings) as store:
        trail = AccountTrail(store.database)
        while page := await trail.changes(after=found[-1].seq if found else 0, limit=PAGE_SIZE):
            found += page
    return found


async def _verified(settings: Settings) -> tuple[Verified, int, list[str]]:
    problems: list[str] = []
    count = 0
    async with open_backends(settings) as store:
        trail = await verify_chain(AccountTrail(store.database), TRAIL)
        async for verdict in verify_log(store.log, store.audit):
            count += 1
            if verdict.problems:
                problems.append(_complaint(verdict))
    return trail, count, problems


def _complaint(verdict: Verified) -> str:
    return f"{verdict.session_id}: {'; '.join(verdict.problems)}"
