"""What is kept of a person can be given to them, whole, and nothing of others goes along (IS-12)."""

import asyncio
import json
import zipfile
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from batuta.cli.app import app
from batuta.datasets.store import DatasetOwner
from batuta.kernel.ids import new_id
from batuta.server.config import Settings
from batuta.server.database.engines import SystemDatabase
from batuta.server.database.tables import metadata
from batuta.server.datasets.store import DatabaseDatasetStore
from batuta.server.personal_export import ACCOUNT, OWNED
from batuta.testing.datasets import NOW, a_dataset
from tests.support.platform import Person, Running, running


async def planted(person: Person, word: str) -> dict[str, str]:
    """One of everything that a person can have, each with a word of their own; the secrets that must not go along."""
    session = await person.session(title=f"title-{word}")
    await person.ask(session, f"message-{word}")
    archived = await person.session(title=f"archived-{word}")
    await person.http.patch(f"/api/sessions/{archived}", json={"is_archived": True})
    message = (await person.events(session))[-2]
    judged = {"message_id": message["message_id"], "rating": 1, "comment": f"comment-{word}"}
    assert (await person.http.post(f"/api/sessions/{session}/feedback", json=judged)).status_code == 202
    store = DatabaseDatasetStore(SystemDatabase(person.running.platform.backends.database))
    owner = DatasetOwner(session_id=session, user_id=person.user_id)
    made = a_dataset(name=f"table_{word}")
    dataset = (await store.save(owner, new_id(), made, now=NOW)).dataset_id
    board = (await person.http.post("/api/boards", json={"title": f"board-{word}"})).json()["board_id"]
    assert (await person.http.post(f"/api/boards/{board}/pins/{session}/{dataset}")).status_code == 201
    await person.file(f"file-{word}.txt", f"content-{word}".encode())
    key = (await person.http.post("/api/keys", json={"name": f"key-{word}"})).json()
    return {"key": key["secret"], "login": person.http.cookies["batuta_session"]}


def exported(settings: Settings, to: Path) -> Any:
    where = ["--data-dir", str(settings.data_dir)]
    given = {} if settings.database_url is None else {"BATUTA_DATABASE_URL": settings.database_url.get_secret_value()}
    return CliRunner().invoke(app, ["user", "export", "ana@example.com", "--to", str(to), *where], env=given)


async def test_is12_an_export_holds_everything_of_its_person_and_nothing_of_others(
    settings: Settings, tmp_path: Path
) -> None:
    """IS-12: beside a platform that runs, as an operator asks for it; no secret goes along, not as a hash either."""
    to = tmp_path / "ana.zip"
    async with running(settings) as site:
        ana, eve = await site.person(), await site.person("eve@example.com")
        secrets = await planted(ana, "canary")
        await planted(eve, "stranger7")
        told = await asyncio.to_thread(exported, settings, to)
        assert told.exit_code == 0, told.output
        held = contents(to)
        everything = json.dumps(held)
        for kind in ("title", "archived", "message", "comment", "board", "file", "content", "key"):
            assert f"{kind}-canary" in everything
        assert "table_canary" in everything
        assert "ana@example.com" in held["account.json"]
        assert "account.exported" in held["account.json"]
        [table] = [text for name, text in held.items() if name.startswith("tables/")]
        assert len(table.splitlines()) > 1
        assert "stranger7" not in everything
        assert eve.user_id not in everything
        hashes = await secrets_of(site, ana.user_id)
        assert not [secret for secret in (*secrets.values(), *hashes) if secret in everything]
        assert to.stat().st_mode & 0o077 == 0


async def test_an_export_overwrites_no_file(settings: Settings, tmp_path: Path) -> None:
    to = tmp_path / "ana.zip"
    to.write_text("mine")
    async with running(settings) as site:
        await site.person()
        assert (await asyncio.to_thread(exported, settings, to)).exit_code == 2
    assert to.read_text() == "mine"


def test_is12_every_table_with_rows_of_a_person_is_exported() -> None:
    """A table that comes later is not forgotten; blocks and tiles go with the dataset and the board."""
    assert {name for name, table in metadata.tables.items() if "user_id" in table.c} == {*ACCOUNT, *OWNED}


def contents(path: Path) -> dict[str, str]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name).decode("utf-8") for name in archive.namelist()}


async def secrets_of(site: Running, user_id: str) -> list[str]:
    """The hashes that are kept of a person's secrets."""
    tables = [table for table in metadata.tables.values() if "user_id" in table.c]

    def read(connection: Any) -> list[str]:
        rows = [
            row
            for table in tables
            for row in connection.execute(table.select().where(table.c.user_id == user_id)).mappings()
        ]
        return [str(value) for row in rows for name, value in row.items() if str(name).endswith("_hash") and value]

    found: list[str] = await SystemDatabase(site.platform.backends.database).read(read)
    return found
