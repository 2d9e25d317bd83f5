"""What was erased is in no file of the embedded mode, also not as a word in the index of the search (P-23)."""

from pathlib import Path

from tests.support.platform import running, settings_for

SECRET = "zqxjkvwhippersnapper"


def files_with_it(folder: Path) -> list[str]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in files if SECRET.encode() in path.read_bytes().lower()]


async def test_no_file_holds_a_word_of_a_deleted_session(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path)) as site:
        ana = await site.person()
        kept, deleted = await ana.session(), await ana.session()
        await ana.ask(kept, "keep this one")
        await ana.ask(deleted, f"please forget the {SECRET}")
        await ana.ask(kept, "and this")
        assert files_with_it(tmp_path)
        assert (await ana.http.delete(f"/api/sessions/{deleted}")).status_code == 204
        assert files_with_it(tmp_path) == []
        found = (await ana.http.get("/api/search", params={"query": "keep"})).json()["messages"]
        assert [message["session_id"] for message in found if message["role"] == "user"] == [kept]


async def test_no_file_holds_a_word_of_an_erased_person(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path)) as site:
        ana = await site.person()
        session = await ana.session()
        audit = site.platform.backends.audit
        await ana.ask(session, f"please forget the {SECRET}")
        await site.platform.backends.projector.ensure(session, 1)
        assert files_with_it(tmp_path)
        erased = await audit.erase(ana.user_id)
        assert [str(each) for each in erased.sessions] == [session]
        assert files_with_it(tmp_path) == []
