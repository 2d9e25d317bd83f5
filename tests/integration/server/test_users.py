"""`batuta user`: accounts made and changed by an operator beside a platform that runs, embedded and distributed."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from batuta.cli.app import app
from batuta.server.config import Settings
from tests.support.platform import Person, Running, running, settings_for

Operator = Callable[..., Awaitable[Result]]
EMAIL = "ben@example.com"


def invoked(settings: Settings, words: tuple[str, ...], typed: str = "") -> Result:
    environment: dict[str, str | None] = {"BATUTA_DATA_DIR": str(settings.data_dir)}
    if settings.database_url is not None:
        environment["BATUTA_DATABASE_URL"] = settings.database_url.get_secret_value()
    return CliRunner().invoke(app, ["user", *words], input=typed, env=environment)


@pytest.fixture
def operator(settings: Settings) -> Operator:
    """Types commands beside the platform; each in a thread, as it has a loop of its own."""

    async def types(*words: str, typed: str = "") -> Result:
        return await asyncio.to_thread(invoked, settings, words, typed)

    return types


async def made(site: Running, operator: Operator, *more: str) -> Person:
    """Somebody with a new account, logged in with the password that was printed."""
    told = await operator("add", EMAIL, *more)
    assert told.exit_code == 0, told.output
    person = site.stranger()
    await person.log_in(EMAIL, told.stdout.strip())
    return person


async def status_of(person: Person) -> int:
    return (await person.http.get("/api/me")).status_code


async def test_a_new_account_logs_in_with_the_password_that_was_printed(site: Running, operator: Operator) -> None:
    """P-20: alone on standard output; kept as Argon2id; the address is the same however it is written."""
    await site.person()
    told = await operator("add", " Ben@Example.com", "--name", "Ben [red]")
    assert (told.exit_code, len(told.stdout.split())) == (0, 1)
    ben = site.stranger()
    await ben.log_in(EMAIL, told.stdout.strip())
    assert ben.me["user"] | {"user_id": "", "workspace_id": ""} == {
        "user_id": "",
        "workspace_id": "",
        "email": EMAIL,
        "name": "Ben [red]",
        "roles": ["user"],
    }
    [kept] = [user for user in await site.platform.identity.users() if user.email == EMAIL]
    assert str(kept.password_hash).startswith("$argon2id$")
    listed = await operator("list", "--json")
    assert [(one["email"], one["roles"], one["is_disabled"]) for one in json.loads(listed.stdout)] == [
        ("ana@example.com", ["user"], False),
        (EMAIL, ["user"], False),
    ]
    assert "argon2" not in listed.output
    assert "Ben [red]" in (await operator("list")).stdout


async def test_a_password_can_be_given(site: Running, operator: Operator) -> None:
    told = await operator("add", EMAIL, "--ask", typed="a password of my own\n")
    assert (told.exit_code, told.stdout) == (0, "")
    await site.stranger().log_in(EMAIL, "a password of my own")


async def test_the_first_account_owns_the_platform(site: Running, operator: Operator) -> None:
    """Nobody can set it up a second time in the browser."""
    ben = await made(site, operator)
    assert ben.me["user"]["roles"] == ["admin", "analyst", "approver", "user"]
    account = {"email": "eve@example.com", "name": "Eve", "password": "correct horse battery"}
    assert (await site.stranger().http.post("/api/auth/setup", json=account)).status_code == 404


async def test_whoever_gets_the_role_decides_about_what_others_asked_for(site: Running, operator: Operator) -> None:
    """O-30: not before, and not any more without it."""
    ana = await site.person()
    ben = await made(site, operator, "--role", "user")
    await ana.say(await ana.session(), "please book")
    path = f"/api/approvals/{(await ana.pending())['approval_id']}"
    assert (await ben.http.post(path, json={"decision": "approve"})).status_code == 404
    told = await operator("roles", EMAIL, "approver", "user")
    assert told.exit_code == 0, told.output
    assert (await ben.pending())["tool_name"] == "book"
    assert (await ben.http.post(path, json={"decision": "approve"})).json() == {"state": "approved"}
    async with asyncio.timeout(60):
        while site.stage.booked != ["Monday"]:
            await asyncio.sleep(0.02)
    await operator("roles", EMAIL, "user")
    assert (await ben.http.post(path, json={"decision": "approve"})).status_code == 404


async def test_se07_who_is_disabled_is_out_at_once_and_comes_back_with_a_new_login(
    site: Running, operator: Operator
) -> None:
    """SE-07: the socket closes, login and keys are refused; a login of before does not come to life again."""
    await site.person()
    await operator("add", EMAIL, "--ask", typed="a password of my own\n")
    ben = site.stranger()
    await ben.log_in(EMAIL, "a password of my own")
    secret = (await ben.http.post("/api/keys", json={"name": "script"})).json()["secret"]
    program = site.stranger()
    program.http.headers["Authorization"] = f"Bearer {secret}"
    tab = await ben.tab()
    told = await operator("disable", EMAIL)
    assert told.exit_code == 0, told.output
    await tab.until(lambda: not tab.client.connected)
    credentials = {"email": EMAIL, "password": "a password of my own"}
    refused = await site.stranger().http.post("/api/auth/login", json=credentials)
    assert (refused.status_code, await status_of(ben), await status_of(program)) == (401, 401, 401)
    assert "disabled" in (await operator("list")).stdout
    assert (await operator("enable", EMAIL)).exit_code == 0
    assert (await status_of(ben), await status_of(program)) == (401, 200)
    await site.stranger().log_in(EMAIL, "a password of my own")


async def test_a_new_password_ends_logins_and_lifts_a_lock_out(site: Running, operator: Operator) -> None:
    await site.person()
    ben = await made(site, operator)
    wrong = {"email": EMAIL, "password": "not this one"}
    for _ in range(5):
        await site.stranger().http.post("/api/auth/login", json=wrong)
    assert (await site.stranger().http.post("/api/auth/login", json=wrong)).status_code == 429
    told = await operator("password", EMAIL)
    assert told.exit_code == 0, told.output
    assert await status_of(ben) == 401
    await site.stranger().log_in(EMAIL, told.stdout.strip())


@pytest.mark.parametrize(
    ("words", "typed", "code", "said"),
    [
        (("add", "ana@example.com"), "", 1, "There is an account with this e-mail address."),
        (("add", "nobody"), "", 2, "'nobody' is no e-mail address"),
        (("add", EMAIL, "--name", " "), "", 2, "a name has 1 to 100 characters"),
        (("add", EMAIL, "--role", "boss"), "", 2, "no role 'boss'; the roles are user, approver, analyst, admin"),
        (("add", EMAIL, "--ask"), "short\n", 2, "a password has 10 to 256 characters"),
        (("password", "ana@example.com", "--ask"), "", 2, "a password has 10 to 256 characters"),
        (("roles", "ana@example.com", "user", "king"), "", 2, "no role 'king'"),
        (("roles", EMAIL, "user"), "", 1, "there is no account ben@example.com; `batuta user list`"),
        (("disable", EMAIL), "", 1, "there is no account ben@example.com"),
        (("enable", EMAIL), "", 1, "there is no account ben@example.com"),
        (("password", EMAIL), "", 1, "there is no account ben@example.com"),
    ],
)
async def test_what_cannot_be_done_is_told_in_a_line(
    embedded: Running, words: tuple[str, ...], typed: str, code: int, said: str
) -> None:
    """And nothing has changed."""
    await embedded.person()
    before = await embedded.platform.identity.users()
    told = await asyncio.to_thread(invoked, embedded.platform.settings, words, typed)
    assert (told.exit_code, told.stdout) == (code, "")
    assert said in " ".join(told.output.split())
    assert await embedded.platform.identity.users() == before


def test_a_folder_without_a_platform_is_not_made_into_one(tmp_path: Path) -> None:
    nowhere = settings_for(tmp_path).model_copy(update={"data_dir": tmp_path / "elsewhere"})
    told = invoked(nowhere, ("list",))
    assert (told.exit_code, "there is no platform in" in told.output) == (2, True)
    assert not (tmp_path / "elsewhere").exists()


async def test_accounts_can_be_made_before_the_first_start(settings: Settings, operator: Operator) -> None:
    told = await operator("add", EMAIL)
    assert told.exit_code == 0, told.output
    async with running(settings) as site:
        await site.stranger().log_in(EMAIL, told.stdout.strip())


def test_a_database_without_tables_is_told_to_be_migrated(postgres_url: str) -> None:
    environment: dict[str, str | None] = {"BATUTA_DATABASE_URL": postgres_url}
    told = CliRunner().invoke(app, ["user", "list"], env=environment)
    assert told.exit_code == 2
    assert "run `batuta migrate`" in " ".join(told.output.split())
