"""A platform whose bytes lie in an S3 bucket: uploaded, read, asked about, charted and erased there (P-34, IS-07)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from batuta.server.config import Settings
from batuta.server.team import first_team
from tests.integration.server.test_files import announced, found, sent, settled, uploaded
from tests.support.made_files import a_pdf
from tests.support.platform import Person, running
from tests.support.s3 import keys_of, s3_server

BUCKET = "batuta"
SALES = "Región;Ventas\nNorte;1.234,50\nSur;700,25\n"


@pytest.fixture(scope="module")
def s3_address() -> Iterator[str]:
    with s3_server(BUCKET) as address:
        yield address


@pytest.fixture
def in_bucket(settings: Settings, s3_address: str) -> Settings:
    return settings.model_copy(
        update={
            "files_bucket": BUCKET,
            "files_endpoint": s3_address,
            "files_region": "eu-west-1",
            "files_access_key": "test",
            "files_secret_key": SecretStr("test"),
        }
    )


def kept_here(folder: Path) -> list[Path]:
    """Contents of files that lie on this machine."""
    places = (folder / "files", folder / "datasets", folder / "fetched")
    return [path for place in places for path in place.rglob("*") if path.is_file()]


async def asked(person: Person, session: str, text: str, file_id: str, **options: Any) -> list[dict[str, Any]]:
    before = len(await person.events(session))
    return (await person.ask(session, text, attachments=[{"file_id": file_id}], **options))[before:]


async def test_files_in_a_bucket_are_read_asked_about_charted_and_erased(in_bucket: Settings, s3_address: str) -> None:
    """An upload that breaks goes on; what a person is erased with is in the bucket no more, nor in a copy here."""
    data = a_pdf(["The penguin clause costs 40 euros per month."])
    async with first_team(in_bucket) as team, running(in_bucket, team=team.orchestrator) as site:
        ana, ben = await site.person("ana@example.com"), await site.person("ben@example.com")
        location = (await announced(ana, len(data), "lease.pdf")).headers["location"]
        assert (await sent(ana, location, data[:100])).headers["upload-offset"] == "100"
        assert (await sent(ana, location, data[100:], 100)).headers["upload-offset"] == str(len(data))
        lease = location.split("/")[3]
        assert (await settled(ana, lease))["status"] == "ready"
        assert await found(ana, "penguin clause") == [lease]
        session = await ana.session()
        events = await asked(
            ana, session, "What does the penguin clause cost?", lease, target_agent_id="documents_agent"
        )
        assert "40 euros per month" in " ".join(event["content"] for event in events if event["type"] == "message")
        assert (await ana.http.get(f"/api/files/{lease}/content")).content == data
        assert (await ana.http.get("/api/documents/page", params={"document_id": lease, "page": 1})).status_code == 200

        sales = await uploaded(ana, "Ventas 2026.csv", SALES.encode())
        events = await asked(ana, await ana.session(), "haz un gráfico de ventas por región", sales)
        assert any(event["type"] == "chart_drawn" for event in events), "a table is read where the file lies"

        other = await uploaded(ben, "b.txt", b"The heron wades.")
        await settled(ben, other)
        assert sorted({key.split("/")[1] for key in keys_of(s3_address, BUCKET)}) == ["blobs"], "no part is left"
        assert len(keys_of(s3_address, BUCKET)) == 3
        await site.platform.backends.audit.erase(ana.user_id)
        [left] = keys_of(s3_address, BUCKET)
        assert (await ben.http.get(f"/api/files/{other}/content")).content == b"The heron wades."
        assert [path.name for path in kept_here(in_bucket.data_dir)] == [left.rpartition("/")[2]]
        await site.platform.backends.audit.erase(ben.user_id)
        assert keys_of(s3_address, BUCKET) == []
        assert kept_here(in_bucket.data_dir) == []
