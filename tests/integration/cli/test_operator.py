"""What a new operator of the distributed mode is told when something is not ready: one line that says what to do."""

import os
from urllib.parse import urlsplit, urlunsplit

import pytest
from typer.testing import CliRunner

from batuta.cli.app import app

TRACE = "Traceback"


def batuta(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(words))
    return result.exit_code, " ".join(result.output.split())


@pytest.fixture(autouse=True)
def clean_settings(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    for name in [name for name in os.environ if name.startswith("BATUTA_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("BATUTA_DATA_DIR", str(tmp_path_factory.mktemp("data")))
    monkeypatch.setenv("BATUTA_ENV", "production")


def another_database(url: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path="/nothere"))


@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("worker",)])
def test_a_database_without_tables_is_told_to_be_migrated(
    command: tuple[str, ...], postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BATUTA_DATABASE_URL", postgres_url)
    code, said = batuta(*command)
    assert code == 2
    assert "run `batuta migrate`" in said
    assert TRACE not in said


@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("worker",), ("migrate",)])
def test_an_address_that_leads_nowhere_is_told_in_a_line(
    command: tuple[str, ...], postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BATUTA_DATABASE_URL", another_database(postgres_url))
    assert batuta(*command) == (2, 'error: PostgreSQL refuses the connection: database "nothere" does not exist')


def test_a_server_that_is_away_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a command that ends; processes that stay wait for it (`test_startup`)."""
    monkeypatch.setenv("BATUTA_DATABASE_URL", "postgresql://batuta@127.0.0.1:1/batuta")
    code, said = batuta("migrate")
    assert code == 1
    assert "is BATUTA_DATABASE_URL right?" in said
    assert TRACE not in said


def test_the_doctor_knows_tables_and_redis(postgres_url: str, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BATUTA_DATABASE_URL", postgres_url)
    assert "✗ PostgreSQL: the database has no tables" in batuta("doctor")[1]
    assert batuta("migrate") == (0, "the database is up to date")
    monkeypatch.setenv("BATUTA_REDIS_URL", "redis://127.0.0.1:1/0")
    said = batuta("doctor")[1]
    assert "✓ PostgreSQL answers" in said
    assert "✗ redis does not answer (everything works without it, a moment later)" in said
    monkeypatch.setenv("BATUTA_REDIS_URL", redis_url)
    assert "✓ redis answers" in batuta("doctor")[1]
