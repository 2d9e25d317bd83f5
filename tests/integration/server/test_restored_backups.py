"""A backup that is older than an erasure is restored: what was erased does not come back (P-23, S-22, IS-13)."""

import asyncio
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import SecretStr
from typer.testing import CliRunner

from batuta.cli.app import app
from batuta.kernel.errors import StoreUnavailableError
from batuta.kernel.ids import SessionId
from batuta.server.backends import open_backends
from batuta.server.config import Settings
from batuta.server.erasure_ledger import ErasureLedger, NotedErasures, ledger_of
from batuta.server.file_processing import open_file_processing
from tests.support.platform import Running, running, settings_for
from tests.support.servers import APP_ROLE, PostgresServer

CANARY, KEPT = "canary-7c41", "kept-9d02"


@pytest.fixture
def backed_up(settings: Settings, postgres_server: PostgresServer, tmp_path: Path) -> Callable[[], Settings]:
    """Takes a backup: the settings under which it is restored. No process may have the database open."""

    def back_up() -> Settings:
        folder = tmp_path / "restored"
        shutil.copytree(settings.data_dir, folder)
        (folder / "erasures.jsonl").unlink(missing_ok=True)
        update: dict[str, object] = {"data_dir": folder, "erasure_ledger": ledger_of(settings).path}
        if settings.database_url is not None:
            name = settings.database_url.get_secret_value().rpartition("/")[2]
            copy = postgres_server.create_database(name)
            update["database_url"] = SecretStr(postgres_server.url(copy, role=APP_ROLE))
        return settings.model_copy(update=update)

    return back_up


@pytest.fixture
def settings(request: pytest.FixtureRequest, settings: Settings, tmp_path: Path) -> Settings:
    return settings.model_copy(update={"data_dir": tmp_path / "data"})


async def shown(site: Running, email: str) -> str:
    """Everything of an account that a page could show."""
    user = await site.platform.identity.by_email(email)
    assert user is not None
    async with open_backends(site.platform.settings) as backends:
        pages = [await backends.log.read(session) for session in await backends.log.sessions()]
    return "\n".join(record.event.model_dump_json() for page in pages for record in page.records if record.event)


def replay(settings: Settings) -> str:
    environment = {"BATUTA_DATA_DIR": str(settings.data_dir), "BATUTA_ERASURE_LEDGER": str(settings.erasure_ledger)}
    if settings.database_url is not None:
        environment["BATUTA_DATABASE_URL"] = settings.database_url.get_secret_value()
    result = CliRunner().invoke(app, ["audit", "erasures", "--replay"], env=environment)
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())


async def test_is13_a_restored_backup_does_not_bring_erased_data_back(
    settings: Settings, backed_up: Callable[[], Settings]
) -> None:
    """IS-13: a person who was erased, and a conversation that was deleted, since the backup was taken."""
    async with running(settings) as site:
        gone, other = await site.person("gone@example.com"), await site.person("other@example.com")
        await gone.ask(await gone.session(), f"remember {CANARY}")
        deleted, kept = await other.session(), await other.session()
        await other.ask(deleted, f"forget {CANARY}")
        await other.ask(kept, f"remember {KEPT}")
        await gone.file("notes.txt", CANARY.encode())
        user_id = gone.user_id
    restored = backed_up()
    async with running(settings) as site:
        back = await site.person("another@example.com")
        await site.platform.sessions.delete(deleted)
        await site.platform.backends.audit.erase(user_id)
        await back.close()
    async with running(restored) as site:
        assert CANARY in await shown(site, "other@example.com"), "the backup brought it back"
    assert "records were back" in await asyncio.to_thread(replay, restored)
    async with running(restored) as site:
        left = await shown(site, "other@example.com")
        assert CANARY not in left
        assert KEPT in left
        user = await site.platform.identity.by_email("gone@example.com")
        assert user is not None
        assert user.is_disabled
    async with open_backends(restored) as backends, open_file_processing(restored, backends) as processing:
        assert (await processing.audit.erase(user_id)).events == 0
    assert "0 records were back" in await asyncio.to_thread(replay, restored)


async def test_is13_a_restored_backup_does_not_bring_a_deleted_file_back(
    settings: Settings, backed_up: Callable[[], Settings]
) -> None:
    """Its name, its words and its bytes; another file stays."""
    async with running(settings) as site:
        ana = await site.person("ana@example.com")
        gone = await ana.file("gone.txt", f"the word {CANARY} is in it".encode())
        kept = await ana.file("kept.txt", f"the word {KEPT} is in it".encode())
    restored = backed_up()
    async with running(settings) as site:
        again = await site.logged_in("ana@example.com")
        assert (await again.http.delete(f"/api/files/{gone['file_id']}")).status_code == 204
    assert "1 records were back" in await asyncio.to_thread(replay, restored)
    async with running(restored) as site:
        again = await site.logged_in("ana@example.com")
        names = [file["name"] for file in (await again.http.get("/api/files")).json()["items"]]
        assert names == [kept["name"]]
        found = await again.http.get("/api/documents/search", params={"q": CANARY})
        assert CANARY not in found.text
    held = [path for path in (restored.data_dir / "files").rglob("*") if path.is_file()]
    assert not [path for path in held if CANARY.encode() in path.read_bytes()]


async def test_an_erasure_that_cannot_be_noted_does_not_begin(tmp_path: Path) -> None:
    """Else a backup could undo it unnoticed."""
    async with running(settings_for(tmp_path)) as site:
        ana = await site.person()
        session = await ana.session()
        await ana.ask(session, CANARY)
        folder = tmp_path / "no file"
        folder.mkdir()
        audit = NotedErasures(site.platform.backends.audit, ErasureLedger(folder))
        with pytest.raises(StoreUnavailableError, match="BATUTA_ERASURE_LEDGER"):
            await audit.erase_session(SessionId(session))
        assert CANARY in str(await ana.events(session))


async def test_the_ledger_holds_ids_and_no_content(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path)) as site:
        ana = await site.person()
        session = await ana.session()
        await ana.ask(session, CANARY)
        assert (await ana.http.delete(f"/api/sessions/{session}")).status_code == 204
        ledger = ledger_of(site.platform.settings)
        assert [(note.kind, note.subject) for note in ledger.notes()] == [("session", session)]
        assert CANARY not in ledger.path.read_text()
        assert ledger.path.stat().st_mode & 0o077 == 0
    ledger.path.write_text("no ledger\n")
    told = CliRunner().invoke(app, ["audit", "erasures", "--data-dir", str(tmp_path)])
    assert told.exit_code == 2
    assert "line 1" in told.output


async def test_is13_a_line_that_a_crash_cut_off_hides_no_erasure(tmp_path: Path) -> None:
    """IS-13: what it stood for was refused, or never began; the lines before and after it count."""
    ledger = ErasureLedger(tmp_path / "erasures.jsonl")
    await ledger.note("user", "before")
    with ledger.path.open("ab") as file:
        file.write(b'{"at": "2026-11-')
    assert [note.subject for note in ledger.notes()] == ["before"]
    await ledger.note("user", "after")
    assert [note.subject for note in ledger.notes()] == ["before", "after"]


async def test_is13_an_erasure_whose_line_found_no_room_does_not_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """IS-13: a disk that fills up takes the beginning of a line without an error."""
    ledger = ErasureLedger(tmp_path / "erasures.jsonl")
    await ledger.note("user", "before")
    write = os.write
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", lambda handle, line: write(handle, line[:10]))
        with pytest.raises(StoreUnavailableError, match="No space left"):
            await ledger.note("user", "refused")
    await ledger.note("user", "after")
    assert [note.subject for note in ledger.notes()] == ["before", "after"]
