"""Every change of an account is told in the audit trail, or it did not happen (P-24)."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from typer.testing import CliRunner, Result

from batuta.cli.app import app
from batuta.eventstore.audit import verify_chain
from batuta.server.config import Settings
from batuta.server.database.engines import SystemDatabase
from batuta.server.database.tables import account_changes, account_trail
from batuta.server.security.account_trail import TRAIL, AccountTrail, RecordedAccountChange
from batuta.server.security.refusals import REFUSED
from tests.support.platform import PASSWORD, Running

Operator = Callable[..., Awaitable[Result]]
EMAIL = "ben@example.com"


def invoked(settings: Settings, words: tuple[str, ...], typed: str) -> Result:
    environment: dict[str, str | None] = {"BATUTA_DATA_DIR": str(settings.data_dir)}
    if settings.database_url is not None:
        environment["BATUTA_DATABASE_URL"] = settings.database_url.get_secret_value()
    return CliRunner().invoke(app, list(words), input=typed, env=environment)


@pytest.fixture
def operator(site: Running) -> Operator:
    async def types(*words: str, typed: str = "") -> Result:
        return await asyncio.to_thread(invoked, site.platform.settings, words, typed)

    return types


async def told(site: Running) -> Sequence[RecordedAccountChange]:
    entries = await AccountTrail(site.platform.backends.database).changes(limit=1000)
    return [entry for entry in entries if entry.action != REFUSED]


async def executed(site: Running, statement: Any) -> None:
    await SystemDatabase(site.platform.backends.database).write(lambda connection: connection.execute(statement))


async def test_what_an_operator_does_to_an_account_is_told(site: Running, operator: Operator) -> None:
    """Who, what and from where; the password is in no row."""
    for words in (("roles", EMAIL, "approver"), ("disable", EMAIL), ("enable", EMAIL), ("password", EMAIL, "--ask")):
        if words[0] == "roles":
            assert (await operator("user", "add", EMAIL, "--ask", typed=f"{PASSWORD}\n")).exit_code == 0
        assert (await operator("user", *words, typed="another long password\n")).exit_code == 0
    [ben] = await site.platform.identity.users()
    rows = await told(site)
    assert [(row.seq, row.action) for row in rows] == [
        (1, "account.created"),
        (2, "account.roles"),
        (3, "account.disabled"),
        (4, "account.enabled"),
        (5, "account.password"),
    ]
    assert {(row.user_id, row.workspace_id, row.origin) for row in rows} == {
        (ben.user_id, ben.workspace_id, "command line")
    }
    assert all(row.who.startswith("operator ") for row in rows)
    assert rows[1].details == {"before": ["admin", "analyst", "approver", "user"], "after": ["approver"]}
    assert not any(secret in str(rows) for secret in (PASSWORD, "another long password", "argon2", EMAIL))


async def test_what_people_do_themselves_is_told(site: Running) -> None:
    """Setting up and keys; the secret of a key is in no row."""
    ana = site.stranger()
    token = await site.platform.identity.new_setup_token()
    account = {"email": "ana@example.com", "name": "Ana", "password": PASSWORD, "token": token}
    ana.be((await ana.http.post("/api/auth/setup", json=account)).json())
    made = (await ana.http.post("/api/keys", json={"name": "script", "scopes": ["read"]})).json()
    assert (await ana.http.delete(f"/api/keys/{made['key_id']}")).status_code == 204
    assert (await ana.http.delete(f"/api/keys/{made['key_id']}")).status_code == 404
    rows = await told(site)
    assert [row.action for row in rows] == ["account.created", "key.created", "key.revoked"]
    assert {(row.who, row.user_id, row.origin) for row in rows} == {
        (ana.user_id, ana.user_id, "request from 127.0.0.1")
    }
    assert rows[1].details == {"key_id": made["key_id"], "scopes": ["read"], "credential": "login"}
    assert not any(secret in str(rows) for secret in (PASSWORD, made["secret"], "argon2"))


async def test_a_change_that_cannot_be_told_does_not_happen(embedded: Running) -> None:
    ana = await embedded.person()
    await executed(embedded, sa.delete(account_trail))
    identity = embedded.platform.identity
    before = await identity.users()
    changes = (
        lambda: identity.create_user(EMAIL, "Ben", None),
        lambda: identity.change_roles(ana.user_id, ("admin",)),
        lambda: identity.disable(ana.user_id),
        lambda: identity.set_password(before[0], PASSWORD),
    )
    for change in changes:
        with pytest.raises(sa.exc.NoResultFound):
            await change()
    assert (await ana.http.post("/api/keys", json={"name": "script"})).status_code == 500
    assert await identity.users() == before
    assert (await ana.http.get("/api/keys")).json() == {"items": []}


async def test_changes_made_at_once_are_one_chain(site: Running, operator: Operator) -> None:
    create = site.platform.identity.create_user
    await asyncio.gather(*(create(f"{number}@example.com", "Somebody", None) for number in range(12)))
    verdict = await verify_chain(AccountTrail(site.platform.backends.database), TRAIL)
    assert (verdict.records, verdict.problems) == (12, ())
    checked = await operator("audit", "verify")
    assert (checked.exit_code, "12 entries about accounts" in checked.output) == (0, True)
    listed = json.loads((await operator("audit", "accounts", "--json")).stdout)
    assert [row["seq"] for row in listed] == list(range(1, 13))
    assert "account.created" in (await operator("audit", "accounts")).stdout


@pytest.mark.parametrize(
    "change", [sa.update(account_changes).values(content="{}"), sa.delete(account_changes)], ids=["update", "delete"]
)
async def test_rows_are_neither_changed_nor_deleted(embedded: Running, change: Any) -> None:
    await embedded.person()
    with pytest.raises(IntegrityError, match="append-only"):
        await executed(embedded, change)


@pytest.mark.parametrize(
    "tampering",
    [
        "UPDATE account_changes SET content = replace(content, 'program', 'nobody') WHERE seq = 1",
        "UPDATE account_changes SET action = 'account.seen' WHERE seq = 1",
        "DELETE FROM account_changes WHERE seq = 1",
        "DELETE FROM account_changes WHERE seq = 2",
    ],
)
async def test_tampering_is_noticed(embedded: Running, tampering: str) -> None:
    """By somebody who could take the guards away."""
    for email in ("ana@example.com", EMAIL):
        await embedded.person(email)
    for kind in ("deleted", "changed"):
        await executed(embedded, sa.text(f"DROP TRIGGER account_changes_are_never_{kind}"))
    await executed(embedded, sa.text(tampering))
    checked = await asyncio.to_thread(invoked, embedded.platform.settings, ("audit", "verify"), "")
    assert (checked.exit_code, "the trail of accounts does not verify" in checked.output) == (1, True)
