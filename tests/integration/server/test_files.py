"""Files over HTTP: uploads that resume, jobs, search, citations and erasure, each for its owner alone (P-34, P-36)."""

import asyncio
import base64
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from batuta.server.config import Settings
from batuta.server.files.blobs import LocalBlobStore
from tests.support.made_files import a_pdf, a_word_document
from tests.support.platform import Person, running

PART = {"Tus-Resumable": "1.0.0", "Content-Type": "application/offset+octet-stream"}


def metadata(**values: str) -> str:
    return ",".join(f"{name} {base64.b64encode(value.encode()).decode()}" for name, value in values.items() if value)


async def announced(person: Person, size: int, name: str, folder: str = "") -> Any:
    headers = {"Upload-Length": str(size), "Upload-Metadata": metadata(filename=name, folder=folder)}
    return await person.http.post("/api/files", headers=headers)


async def sent(person: Person, location: str, data: bytes, offset: int = 0) -> Any:
    return await person.http.patch(location, content=data, headers={**PART, "Upload-Offset": str(offset)})


async def uploaded(person: Person, name: str, data: bytes, folder: str = "") -> str:
    begun = await announced(person, len(data), name, folder)
    assert begun.status_code == 201, begun.text
    if data:
        assert (await sent(person, begun.headers["location"], data)).status_code == 204
    return str(begun.json()["file_id"])


async def settled(person: Person, file_id: str) -> dict[str, Any]:
    """The file once its job has ended."""
    file: dict[str, Any] = {}
    for _ in range(600):
        file = (await person.http.get(f"/api/files/{file_id}")).json()
        if file["status"] in ("ready", "failed"):
            return file
        await asyncio.sleep(0.05)
    raise AssertionError(f"not processed: {file}")


async def ended(person: Person, job_id: str) -> dict[str, Any]:
    """The job once it has ended: a moment after its file is ready."""
    job: dict[str, Any] = {}
    for _ in range(600):
        job = (await person.http.get(f"/api/jobs/{job_id}")).json()
        if job["status"] not in ("queued", "running"):
            return job
        await asyncio.sleep(0.05)
    raise AssertionError(f"not ended: {job}")


async def found(person: Person, question: str) -> list[str]:
    answer = await person.http.get("/api/documents/search", params={"q": question})
    assert answer.status_code == 200, answer.text
    return [each["document_id"] for each in answer.json()["items"]]


async def test_a_file_is_uploaded_read_and_found(settings: Settings) -> None:
    async with running(settings) as site:
        ana = await site.person()
        file_id = await uploaded(ana, "lease.pdf", a_pdf(["The penguin clause costs 40 euros."]), "contracts/2026")
        file = await settled(ana, file_id)
        assert (file["status"], file["media_type"], file["folder"]) == ("ready", "application/pdf", "contracts/2026")
        job = await ended(ana, file["job_id"])
        assert (job["status"], job["progress"], job["title"]) == ("completed", "100/100", "lease.pdf")
        assert await found(ana, "penguin clause") == [file_id]
        text = (await ana.http.get(f"/api/files/{file_id}/text")).json()
        assert "penguin" in text["text"]
        listed = (await ana.http.get("/api/files")).json()
        assert (listed["folders"], [each["file_id"] for each in listed["items"]]) == (["contracts/2026"], [file_id])


async def test_an_upload_goes_on_where_it_was_cut(settings: Settings) -> None:
    data = a_word_document("Half of it came later. " * 50)
    async with running(settings) as site:
        ana = await site.person()
        location = (await announced(ana, len(data), "a.docx")).headers["location"]
        assert (await sent(ana, location, data[:100])).headers["upload-offset"] == "100"
        wrong = await sent(ana, location, data[200:], 200)
        assert (wrong.status_code, wrong.json()["code"]) == (409, "UPLOAD_OFFSET")
        head = await ana.http.head(location)
        assert (head.headers["upload-offset"], head.headers["upload-length"]) == ("100", str(len(data)))
        assert (await sent(ana, location, data[100:], 100)).headers["upload-offset"] == str(len(data))
        assert (await settled(ana, location.split("/")[3]))["status"] == "ready"


@pytest.mark.parametrize("is_length_known", [True, False])
async def test_a_part_beyond_the_announced_length_is_refused(settings: Settings, is_length_known: bool) -> None:
    """With and without a length of its own; it completes nothing, and the upload goes on with the right bytes."""
    data = a_word_document("Exactly so much and no more. " * 50)
    async with running(settings) as site:
        ana = await site.person()
        location = (await announced(ana, len(data), "a.docx")).headers["location"]
        assert (await sent(ana, location, data[:100])).status_code == 204
        for more in (b"x", b"x" * 300_000):
            beyond = data[100:] + more
            body = beyond if is_length_known else _in_pieces(beyond)
            refused = await ana.http.patch(location, content=body, headers={**PART, "Upload-Offset": "100"})
            assert (refused.status_code, refused.json()["code"]) == (413, "UPLOAD_LENGTH")
            assert (await ana.http.get(f"/api/files/{location.split('/')[3]}")).json()["status"] == "uploading"
            assert (await ana.http.head(location)).headers["upload-offset"] == "100"
        assert (await sent(ana, location, data[100:], 100)).headers["upload-offset"] == str(len(data))
        assert (await settled(ana, location.split("/")[3]))["status"] == "ready"


async def _in_pieces(data: bytes) -> AsyncIterator[bytes]:
    for begin in range(0, len(data), 50_000):
        yield data[begin : begin + 50_000]


async def test_what_another_request_adds_after_the_look_is_not_doubled(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client whose connection broke asks again while the rest of what it had sent is still being written."""
    data = a_word_document("Some of it was still on its way. " * 50)
    look = LocalBlobStore.offset

    async def look_too_early(blobs: LocalBlobStore, upload_id: str) -> int:
        done = await look(blobs, upload_id)
        if done == 100:
            await blobs.append(upload_id, _whole(data[100:150]), begin=100, limit=len(data))
        return done

    async with running(settings) as site:
        ana = await site.person()
        location = (await announced(ana, len(data), "a.docx")).headers["location"]
        await sent(ana, location, data[:100])
        with monkeypatch.context() as patched:
            patched.setattr(LocalBlobStore, "offset", look_too_early)
            late = await sent(ana, location, data[100:], 100)
        assert (late.status_code, late.json()["code"]) == (409, "UPLOAD_OFFSET")
        assert (await sent(ana, location, data[150:], 150)).headers["upload-offset"] == str(len(data))
        assert (await settled(ana, location.split("/")[3]))["status"] == "ready"


async def _whole(data: bytes) -> AsyncIterator[bytes]:
    yield data


async def test_a_file_that_cannot_be_read_says_why_and_what_to_do(settings: Settings) -> None:
    async with running(settings) as site:
        ana = await site.person()
        broken = await settled(ana, await uploaded(ana, "a.pdf", b"%PDF-1.4 nothing more"))
        assert (broken["status"], broken["reason"]) == ("failed", "broken")
        assert "save it anew" in broken["explanation"]["en"]
        assert "guárdalo" in broken["explanation"]["es"]
        empty = await settled(ana, await uploaded(ana, "b.txt", b""))
        assert empty["reason"] == "empty"
        job = await ended(ana, broken["job_id"])
        assert job["status"] == "failed"
        again = await ana.http.post(f"/api/jobs/{broken['job_id']}/retry")
        assert again.status_code == 202


async def test_is01_is07_nothing_of_another_person_is_seen_found_or_touched(settings: Settings) -> None:
    """The same answer as for what does not exist (IS-01, IS-07)."""
    async with running(settings) as site:
        ana, ben = await site.person(), await site.person("ben@example.com")
        file_id = await uploaded(ana, "secret.txt", b"The osprey lands at noon.")
        file = await settled(ana, file_id)
        missing = "0198C2A4-0000-7000-8000-000000000000"
        for method, path in (
            ("GET", "/api/files/{}"),
            ("GET", "/api/files/{}/content"),
            ("GET", "/api/files/{}/text"),
            ("HEAD", "/api/files/{}/upload"),
            ("PATCH", "/api/files/{}/upload"),
            ("DELETE", "/api/files/{}"),
            ("POST", "/api/files/{}/process"),
        ):
            foreign = await ben.http.request(method, path.format(file_id))
            none = await ben.http.request(method, path.format(missing))
            assert (foreign.status_code, foreign.content) == (none.status_code, none.content) == (404, none.content)
        assert (await ben.http.get(f"/api/jobs/{file['job_id']}")).status_code == 404
        assert await found(ben, "osprey") == []
        answer = await ben.http.get("/api/documents/search", params={"q": "osprey", "chosen": file_id})
        assert answer.json()["items"] == []
        assert (await ben.http.get("/api/files")).json()["items"] == []
        assert (await ana.http.get(f"/api/files/{file_id}")).json()["name"] == "secret.txt"


async def test_a_deleted_file_is_found_nowhere_and_its_bytes_go_with_the_last_one(settings: Settings) -> None:
    async with running(settings) as site:
        ana, ben = await site.person(), await site.person("ben@example.com")
        data = b"The heron wades."
        mine, other = await uploaded(ana, "a.txt", data), await uploaded(ben, "b.txt", data)
        await settled(ana, mine)
        await settled(ben, other)
        blobs = [path for path in (settings.data_dir / "files" / "blobs").rglob("*") if path.is_file()]
        assert len(blobs) == 1, "the same content lies there once"
        assert (await ana.http.delete(f"/api/files/{mine}")).status_code == 204
        assert await found(ana, "heron") == []
        assert await found(ben, "heron") == [other]
        assert (await ben.http.get(f"/api/files/{other}/content")).content == data
        await ben.http.delete(f"/api/files/{other}")
        assert not blobs[0].exists()


async def test_a_renamed_file_is_cited_by_its_new_name(settings: Settings) -> None:
    async with running(settings) as site:
        ana = await site.person()
        file_id = await uploaded(ana, "a.txt", b"The heron wades.")
        await settled(ana, file_id)
        changed = await ana.http.patch(f"/api/files/{file_id}", json={"name": "birds.txt", "folder": "zoo"})
        assert changed.status_code == 200
        await settled(ana, file_id)
        answer = await ana.http.get("/api/documents/search", params={"q": "heron"})
        assert [each["name"] for each in answer.json()["items"]] == ["zoo/birds.txt"]


async def test_limits_are_told_before_bytes_come(settings: Settings) -> None:
    small = settings.model_copy(update={"max_upload_bytes": 2_000, "max_file_bytes_of_a_user": 3_000})
    async with running(small) as site:
        ana = await site.person()
        assert (await announced(ana, 2_001, "a.txt")).status_code == 413
        assert (await announced(ana, 2_000, "a.txt")).status_code == 201
        full = await announced(ana, 1_500, "b.txt")
        assert (full.status_code, "no room" in full.json()["detail"]) == (409, True)


@pytest.mark.parametrize("name", ["", "..", "a/b.txt", "a\\b", "x" * 300, "nul\x00l"])
async def test_a_name_is_no_path(settings: Settings, name: str) -> None:
    async with running(settings) as site:
        ana = await site.person()
        assert (await announced(ana, 5, name)).status_code in (400, 422)


async def test_bi08_shown_files_cannot_run_anything(settings: Settings) -> None:
    """A page is downloaded, a PDF may be framed by our own page alone (BI-08)."""
    async with running(settings) as site:
        ana = await site.person()
        page = await uploaded(ana, "x.html", b"<html><script>alert(1)</script>Hello there.")
        pdf = await uploaded(ana, "x.pdf", a_pdf(["Hello."]))
        await settled(ana, page)
        downloaded = await ana.http.get(f"/api/files/{page}/content")
        assert downloaded.headers["content-disposition"].startswith("attachment")
        assert downloaded.headers["content-type"] == "application/octet-stream"
        shown = await ana.http.get(f"/api/files/{pdf}/content")
        assert shown.headers["content-disposition"].startswith("inline")
        assert "sandbox" in shown.headers["content-security-policy"]
        assert "frame-ancestors 'self'" in shown.headers["content-security-policy"]
        assert shown.headers["x-content-type-options"] == "nosniff"


async def test_is07_a_message_brings_only_ones_own_files(settings: Settings) -> None:
    """A foreign file in a message is answered like a missing one (IS-07)."""
    async with running(settings) as site:
        ana, ben = await site.person(), await site.person("ben@example.com")
        file = await ana.file("a.txt", b"The heron wades.")
        for person, file_id, status in (
            (ben, file["file_id"], 404),
            (ben, "0198C2A4-0000-7000-8000-000000000000", 404),
            (ana, file["file_id"], 202),
        ):
            body = {"client_message_id": "m1", "text": "what?", "attachments": [{"file_id": file_id}]}
            answer = await person.http.post(f"/api/sessions/{await person.session()}/messages", json=body)
            assert answer.status_code == status, answer.text


async def test_a_document_is_opened_at_the_page_with_the_words_marked(settings: Settings) -> None:
    """W-9: the page as a picture and where on it the words stand; the text around the same words."""
    pages = (["Nothing here."], ["Before it.", "The penguin clause costs 40 euros."])
    async with running(settings) as site:
        ana, ben = await site.person(), await site.person("ben@example.com")
        file_id = await uploaded(ana, "lease.pdf", a_pdf(*pages))
        await settled(ana, file_id)
        hit = (await ana.http.get("/api/documents/search", params={"q": "penguin clause"})).json()["items"][0]
        assert (hit["is_own"], hit["place"]) == (True, "p. 2")
        place: dict[str, str | int] = {"document_id": file_id, "start": hit["start"], "end": hit["end"]}
        opened = (await ana.http.get("/api/documents/text", params=place)).json()
        assert opened["text"][opened["start"] : opened["end"]] == hit["text"]
        assert (opened["page"], opened["media_type"]) == (2, "application/pdf")
        wanted: dict[str, str | int] = {"document_id": file_id, "number": 2, "words": "penguin clause"}
        page = (await ana.http.get("/api/documents/page", params=wanted)).json()
        assert base64.b64decode(page["png"]).startswith(b"\x89PNG")
        assert (page["number"], page["pages"], len(page["marks"])) == (2, 2, 1)
        left, top, width, height = page["marks"][0]
        assert 0.08 < left < 0.2
        assert 0.05 < top < 0.1
        assert width > height > 0
        for path, params in (("text", place), ("page", wanted)):
            assert (await ben.http.get(f"/api/documents/{path}", params=params)).status_code == 404


async def test_a_search_can_be_bound_to_a_folder_or_a_kind(settings: Settings) -> None:
    async with running(settings) as site:
        ana = await site.person()
        first = await uploaded(ana, "a.txt", b"The osprey lands at noon in the harbour.", "birds/big")
        second = await uploaded(ana, "b.md", b"# Osprey\n\nThe osprey eats fish and little else.", "food")
        await settled(ana, first)
        await settled(ana, second)
        for bound, expected in (
            ({}, {first, second}),
            ({"folder": "birds"}, {first}),
            ({"kind": "md"}, {second}),
            ({"folder": "birds", "kind": "md"}, set()),
            ({"chosen": second}, {second}),
        ):
            answer = await ana.http.get("/api/documents/search", params={"q": "osprey", **bound})
            assert {each["document_id"] for each in answer.json()["items"]} == expected


async def test_progress_reaches_the_page_as_it_happens(settings: Settings) -> None:
    """P-36: over the socket of the person whose file it is, and nobody else's."""
    async with running(settings) as site:
        ana, ben = await site.person(), await site.person("ben@example.com")
        hers, his = await ana.tab(), await ben.tab()
        file_id = await uploaded(ana, "a.txt", b"The osprey lands at noon.")
        await hers.until(lambda: any(job["status"] == "completed" for job in hers.jobs))
        done = [int(job["progress"].partition("/")[0]) for job in hers.jobs]
        assert done == sorted(done)
        assert done[-1] == 100, "a small file is read at once: what is between is not sent"
        assert [job["status"] for job in hers.jobs] == ["running"] * (len(done) - 1) + ["completed"]
        assert {job["subject_id"] for job in hers.jobs} == {file_id}
        assert his.jobs == []


async def test_a_search_is_bounded_by_when_a_file_came(settings: Settings) -> None:
    """P-35: a filter by date."""
    async with running(settings) as site:
        ana = await site.person()
        file_id = await uploaded(ana, "a.txt", b"The heron wades.")
        await settled(ana, file_id)
        now, hour = datetime.now(UTC), timedelta(hours=1)
        for bounds, expected in (
            ({"since": now - hour}, [file_id]),
            ({"since": now - hour, "until": now + hour}, [file_id]),
            ({"since": now + hour}, []),
            ({"until": now - hour}, []),
        ):
            params = {"q": "heron", **{name: moment.isoformat() for name, moment in bounds.items()}}
            answer = (await ana.http.get("/api/documents/search", params=params)).json()
            assert [each["document_id"] for each in answer["items"]] == expected
