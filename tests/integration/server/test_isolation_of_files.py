"""Three people, two workspaces, files of the same names: nothing ever crosses (IS-06, IS-07)."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from batuta.agents.documents.library import owner_of
from batuta.eventstore import models as store
from batuta.knowledge.index import SearchScope
from batuta.orchestration import Orchestrator
from batuta.server.config import Settings
from batuta.server.database.engines import SystemDatabase
from batuta.server.database.tables import files, jobs, metadata
from tests.integration.server.test_attached_files import AGENT, answers, team  # noqa: F401 - a fixture
from tests.integration.server.test_files import announced, ended, found, sent, settled, uploaded
from tests.integration.server.test_users import invoked
from tests.support.made_files import a_pdf
from tests.support.platform import Person, Running, running, settings_for

MISSING = "0198C2A4-0000-7000-8000-000000000000"
SECRET = "zqxjkvwhippersnapper"
NAME = "plan.txt"


async def three(site: Running) -> list[Person]:
    """Ana and Ben of one workspace, Cleo of another."""
    other = await site.new_workspace()
    ana, ben = await site.person(), await site.person("ben@example.com")
    return [ana, ben, await site.person("cleo@example.com", workspace=other)]


async def hit(person: Person, question: str) -> dict[str, Any]:
    answer = await person.http.get("/api/documents/search", params={"q": question})
    items: list[dict[str, Any]] = [each for each in answer.json()["items"] if each["is_own"]]
    assert len(items) == 1, items
    return items[0]


async def test_the_same_name_means_another_file_to_each_person(site: Running) -> None:
    """Search, preview, page and content give one's own, under a name that three people use."""
    people = await three(site)
    ids = [
        (await each.file(NAME, f"The budget of {each.me['user']['name']} is 100 euros.".encode()))["file_id"]
        for each in people
    ]
    for person, file_id in zip(people, ids, strict=True):
        name = person.me["user"]["name"]
        mine = await hit(person, "budget")
        assert (mine["document_id"], mine["text"]) == (file_id, f"The budget of {name} is 100 euros.")
        opened = await person.http.get("/api/documents/text", params={"document_id": file_id})
        assert name in opened.json()["text"]
        assert name in (await person.http.get(f"/api/files/{file_id}/content")).text
        listed = (await person.http.get("/api/files")).json()["items"]
        assert [each["file_id"] for each in listed] == [file_id]


@pytest.mark.parametrize("foreigner", [1, 2], ids=["same workspace", "other workspace"])
async def test_is07_a_foreign_id_is_answered_like_a_missing_one(site: Running, foreigner: int) -> None:
    """IS-07 by every way that takes the id of a file or of a document."""
    people = await three(site)
    ana, other = people[0], people[foreigner]
    file = await ana.file("lease.pdf", a_pdf(["The penguin clause costs 40 euros."]))
    session = await other.session()

    async def answers(file_id: str, job_id: str) -> list[tuple[int, str]]:
        document = {"document_id": file_id}
        body = {"client_message_id": file_id, "text": "what?", "attachments": [{"file_id": file_id}]}
        sent_ones = [
            await other.http.get(f"/api/files/{file_id}"),
            await other.http.get(f"/api/files/{file_id}/content"),
            await other.http.get(f"/api/files/{file_id}/text"),
            await other.http.head(f"/api/files/{file_id}/upload"),
            await other.http.patch(f"/api/files/{file_id}", json={"name": "mine.pdf"}),
            await other.http.post(f"/api/files/{file_id}/process"),
            await other.http.delete(f"/api/files/{file_id}"),
            await other.http.get("/api/documents/text", params=document),
            await other.http.get("/api/documents/page", params={**document, "number": 1, "words": "penguin"}),
            await other.http.get(f"/api/jobs/{job_id}"),
            await other.http.post(f"/api/jobs/{job_id}/cancel"),
            await other.http.post(f"/api/jobs/{job_id}/retry"),
            await other.http.post(f"/api/sessions/{session}/messages", json=body),
        ]
        return [(each.status_code, each.text) for each in sent_ones]

    foreign, none = await answers(file["file_id"], file["job_id"]), await answers(MISSING, MISSING)
    assert foreign == none
    assert {status for status, _ in foreign} == {404}
    chosen = await other.http.get("/api/documents/search", params={"q": "penguin", "chosen": file["file_id"]})
    assert chosen.json()["items"] == []
    assert (await ana.http.get(f"/api/files/{file['file_id']}")).json()["name"] == "lease.pdf"


async def test_who_loses_the_right_to_come_in_reads_nothing_from_then_on(site: Running) -> None:
    """A permission that is taken away acts on the next request, also for what was open."""
    ana = await site.person()
    file = await ana.file(NAME, b"The heron wades at dawn.")
    assert await found(ana, "heron") == [file["file_id"]]
    await site.platform.identity.disable(ana.user_id)
    for path in (f"/api/files/{file['file_id']}/content", "/api/files", "/api/documents/search?q=heron"):
        assert (await ana.http.get(path)).status_code == 401


async def test_a_deleted_file_opens_nowhere_and_leaves_no_name(site: Running) -> None:
    """Its jobs carry its name, so they go too; a citation that points to it opens nothing."""
    ana = await site.person()
    file = await ana.file(f"{SECRET}.txt", b"The heron wades at dawn.")
    await ended(ana, file["job_id"])
    assert (await ana.http.delete(f"/api/files/{file['file_id']}")).status_code == 204
    opened = await ana.http.get("/api/documents/text", params={"document_id": file["file_id"]})
    assert opened.status_code == 404
    assert await found(ana, "heron") == []
    assert (await ana.http.get("/api/jobs")).json()["items"] == []
    assert await rows_with(site, SECRET) == []


async def test_what_a_conversation_read_of_a_file_goes_with_the_conversation(
    settings: Settings,
    team: Orchestrator,  # noqa: F811 - the imported fixture
) -> None:
    """A deleted file is found and opened no more; its passages stay in the log until the conversation is deleted."""
    async with running(settings, team=team) as site:
        ana = await site.person()
        file = await ana.file(NAME, f"The penguin clause costs 40 euros. Its author is {SECRET}.".encode())
        session = await ana.session()
        question, agent = "What does the penguin clause cost?", {"target_agent_id": AGENT}
        assert "40 euros" in answers(await ana.ask(session, question, **agent))
        assert (await ana.http.delete(f"/api/files/{file['file_id']}")).status_code == 204
        assert "40 euros" not in answers(await ana.ask(await ana.session(), question, **agent))
        assert "message_events" in await rows_with(site, SECRET)
        assert (await ana.http.delete(f"/api/sessions/{session}")).status_code == 204
        assert await rows_with(site, SECRET) == []


async def test_is11_an_erased_person_leaves_nothing_and_others_keep_everything(settings: Settings) -> None:
    """IS-11: files, text, index, jobs and half an upload go; another person's copy of the same bytes stays."""
    async with running(settings) as site:
        ana, ben, cleo = await three(site)
        data = f"The codeword is {SECRET}.".encode()
        kept = [(each, (await each.file(NAME, data))["file_id"]) for each in (ben, cleo)]
        await ana.file(f"{SECRET}.txt", data + b" Only here.")
        await ana.file(NAME, data)
        half = await announced(ana, 100, f"half-{SECRET}.txt")
        await sent(ana, half.headers["location"], data)
        await site.platform.backends.audit.erase(ana.user_id)
        assert await found(ana, SECRET) == []
        assert (await ana.http.get("/api/files")).json()["items"] == []
        assert await owned_rows(site, ana.user_id) == 0
        for person, file_id in kept:
            assert (await person.http.get(f"/api/files/{file_id}/content")).content == data
            assert await found(person, SECRET) == [file_id]
            await site.platform.backends.audit.erase(person.user_id)
        assert await rows_with(site, SECRET) == []
        assert holding(settings.data_dir, SECRET) == []


async def test_an_erased_word_is_in_no_file_of_an_embedded_platform(tmp_path: Path) -> None:
    """Also not in free pages, write-ahead logs, or segments of the index that were not merged."""
    async with running(settings_for(tmp_path)) as site:
        ana, ben = await site.person(), await site.person("ben@example.com")
        for number in range(5):
            await ben.file(f"other{number}.txt", f"Report {number} stays where it is.".encode())
            await ana.file(f"{SECRET}-{number}.txt", f"Report {number} is about {SECRET}.".encode())
        assert holding(tmp_path, SECRET)
        await site.platform.backends.audit.erase(ana.user_id)
        assert holding(tmp_path, SECRET) == []
        assert len(await found(ben, "report")) == 5


async def test_is13_a_removal_that_was_cut_short_is_finished_by_another_process(
    site: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """IS-13: the row is hidden in one step; what is left of it is found and taken away."""
    ana = await site.person()
    file = await ana.file(NAME, f"The codeword is {SECRET}.".encode())
    removal = site.platform.files._removal  # the seam where a process dies: between hiding and taking away

    async def dies(_: object) -> None:
        raise RuntimeError("killed")

    with monkeypatch.context() as patch:
        patch.setattr(removal, "_finish", dies)
        assert (await ana.http.delete(f"/api/files/{file['file_id']}")).status_code == 500
    assert (await ana.http.get(f"/api/files/{file['file_id']}")).status_code == 404
    monkeypatch.setattr("batuta.server.files.removal.LEFT_BEHIND", -timedelta(minutes=1))
    assert await removal.sweep() == 1
    assert await found(ana, SECRET) == []
    assert holding(site.platform.settings.data_dir / "files", SECRET) == []


async def test_an_erasure_that_was_cut_short_is_finished_by_asking_again(
    site: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CR-17: also the bytes of files that the first try had only hidden."""
    ana = await site.person()
    await ana.file(NAME, f"The codeword is {SECRET}.".encode())
    removal = site.platform.files._removal

    async def dies(_: object) -> None:
        raise RuntimeError("killed")

    with monkeypatch.context() as patch:
        patch.setattr(removal, "_finish", dies)
        with pytest.raises(RuntimeError, match="killed"):
            await removal.erase_user(ana.user_id)
    assert await removal.erase_user(ana.user_id) == 1
    assert holding(site.platform.settings.data_dir / "files", SECRET) == []


async def test_the_same_announcement_again_is_the_same_file(site: Running) -> None:
    """A lost answer to POST /api/files costs neither room nor a second file; another file under the key is refused."""
    people = await three(site)
    data = b"The heron wades at dawn."
    headers = {"Upload-Length": str(len(data)), "Upload-Metadata": "filename YS50eHQ=", "Idempotency-Key": "k:1"}
    ids = {}
    for person in people:
        first = await person.http.post("/api/files", headers=headers)
        again = await person.http.post("/api/files", headers=headers)
        assert (first.status_code, again.status_code) == (201, 201)
        assert first.json()["file_id"] == again.json()["file_id"]
        ids[person.user_id] = first.json()["file_id"]
        assert (await sent(person, first.headers["location"], data)).status_code == 204
        late = await person.http.post("/api/files", headers=headers)
        assert late.headers["upload-offset"] == str(len(data))
        assert (await settled(person, late.json()["file_id"]))["status"] == "ready"
        other = await person.http.post("/api/files", headers={**headers, "Upload-Length": "7"})
        assert (other.status_code, other.json()["code"]) == (409, "UPLOAD_KEY")
        listed = (await person.http.get("/api/files")).json()
        assert (len(listed["items"]), listed["used_bytes"]) == (1, len(data))
    assert len(set(ids.values())) == 3


async def test_an_upload_whose_last_request_died_is_made_whole_by_the_next_look(
    site: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All bytes are there, but no row says so: HEAD, as a client that resumes sends it, goes on from there."""
    ana = await site.person()
    uploads = site.platform.files._uploads

    async def dies(_: object) -> None:
        raise RuntimeError("killed")

    location = (await announced(ana, 24, NAME)).headers["location"]
    with monkeypatch.context() as patch:
        patch.setattr(uploads, "complete", dies)
        assert (await sent(ana, location, b"The heron wades at dawn.")).status_code == 500
    file_id = location.split("/")[3]
    assert (await ana.http.get(f"/api/files/{file_id}")).json()["status"] == "uploading"
    assert (await ana.http.head(location)).headers["upload-offset"] == "24"
    assert (await settled(ana, file_id))["status"] == "ready"


async def test_bytes_that_are_deleted_and_uploaded_at_once_are_not_lost(
    site: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One person's last copy goes while another uploads the same: the upload waits, and keeps its bytes."""
    ana, ben = await site.person(), await site.person("ben@example.com")
    data = b"The heron wades at dawn."
    mine = await ana.file(NAME, data)
    removal = site.platform.files._removal
    finish = removal._finish
    theirs: list[str] = []

    async def meanwhile(file: Any) -> None:
        uploading = asyncio.create_task(uploaded(ben, NAME, data))
        await asyncio.sleep(0.2)
        assert not uploading.done(), "the row of the deleted file still has these bytes"
        await finish(file)
        theirs.append(await uploading)

    with monkeypatch.context() as patch:
        patch.setattr(removal, "_finish", meanwhile)
        assert (await ana.http.delete(f"/api/files/{mine['file_id']}")).status_code == 204
    assert (await settled(ben, theirs[0]))["status"] == "ready"
    assert (await ben.http.get(f"/api/files/{theirs[0]}/content")).content == data


async def test_an_operator_erases_a_person(settings: Settings) -> None:
    """`batuta user erase`: beside a platform that runs; the account is shut out at once."""
    async with running(settings) as site:
        ana = await site.person()
        await ana.file(NAME, f"The codeword is {SECRET}.".encode())
        told = await asyncio.to_thread(invoked, settings, ("erase", "ana@example.com", "--yes"))
        assert told.exit_code == 0, told.output
        assert (await ana.http.get("/api/files")).status_code == 401
        assert await owned_rows(site, ana.user_id) == 0
        assert holding(settings.data_dir, SECRET) == []


async def rows_with(site: Running, word: str) -> list[str]:
    """The tables in whose text a word stands."""

    def look(connection: sa.Connection) -> list[str]:
        existing = sa.inspect(connection).get_table_names()
        return [
            name
            for name, table in {**metadata.tables, **store.metadata.tables}.items()
            if name in existing
            for row in connection.execute(sa.select(table))
            if word in str(tuple(row)).lower()
        ]

    return await SystemDatabase(site.platform.backends.database).read(look)


async def owned_rows(site: Running, user_id: str) -> int:
    """Files and jobs of a person, and documents of theirs in the index."""

    def count(connection: sa.Connection) -> int:
        tables = (files, jobs)
        return sum(len(connection.execute(sa.select(each).where(each.c.user_id == user_id)).all()) for each in tables)

    entries = await site.platform.files._index.entries(SearchScope(owners=(owner_of(user_id),)))
    return len(entries) + await SystemDatabase(site.platform.backends.database).read(count)


def holding(folder: Path, word: str) -> list[str]:
    """The files of a folder in whose bytes a word stands."""
    return [path.name for path in folder.rglob("*") if path.is_file() and word.encode() in path.read_bytes().lower()]
