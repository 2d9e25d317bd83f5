"""Settings are checked at the start, one line per wrong value, and never repeat a secret (P-2)."""

import pickle
from datetime import timedelta
from pathlib import Path

import pytest

from batuta.kernel.errors import ConfigurationError
from batuta.orchestration.worker import IDLE, LOOKS_PER_LEASE, RECOVERY_EVERY
from batuta.server.config import ENVIRONMENTS, PROFILES, load_settings

SECRET = "postgresql://batuta:hunter2@db/batuta"


def test_without_anything_it_is_the_embedded_development_platform() -> None:
    settings = load_settings({})
    assert (settings.env, settings.mode, settings.host, settings.port) == (
        "development",
        "embedded",
        "127.0.0.1",
        8000,
    )


@pytest.mark.parametrize(
    ("env", "attempts", "level", "has_breaker"),
    [("development", 1, "debug", False), ("staging", 2, "info", True), ("production", 3, "warning", True)],
)
def test_each_profile_has_its_values(env: str, attempts: int, level: str, has_breaker: bool) -> None:
    settings = load_settings({"BATUTA_ENV": env})
    assert (settings.model_attempts, settings.log_level, settings.is_breaker_enabled) == (attempts, level, has_breaker)


def test_there_is_a_profile_for_every_environment() -> None:
    assert set(PROFILES) == set(ENVIRONMENTS)
    assert len({frozenset(profile) for profile in PROFILES.values()}) == 1


def test_every_value_of_a_profile_can_be_overridden() -> None:
    settings = load_settings({"BATUTA_ENV": "production", "BATUTA_MODEL_ATTEMPTS": "7", "BATUTA_LOG_LEVEL": "debug"})
    assert (settings.model_attempts, settings.log_level) == (7, "debug")


def test_options_win_over_the_environment_and_that_over_the_file(tmp_path: Path) -> None:
    path = tmp_path / "batuta.toml"
    path.write_text('port = 1\nhost = "::1"\nmodel = "offline"\n')
    settings = load_settings({"BATUTA_PORT": "2", "BATUTA_MODEL": "other", "BATUTA_CONFIG": str(path)}, port=3)
    assert (settings.port, settings.model, settings.host) == (3, "other", "::1")


def test_a_database_address_makes_it_distributed() -> None:
    settings = load_settings({"BATUTA_DATABASE_URL": SECRET, "BATUTA_REDIS_URL": "redis://redis"})
    assert settings.mode == "distributed"
    assert settings.database_url is not None
    assert settings.database_url.get_secret_value() == SECRET


def test_a_secret_may_come_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "url"
    path.write_text(f"{SECRET}\n")
    settings = load_settings({"BATUTA_DATABASE_URL_FILE": str(path)})
    assert settings.database_url is not None
    assert settings.database_url.get_secret_value() == SECRET


@pytest.mark.parametrize("name", ["database_url", "redis_url", "oidc_client_secrets"])
def test_a_secret_in_the_settings_file_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "batuta.toml"
    path.write_text(f'{name} = "{SECRET}"\n')
    with pytest.raises(ConfigurationError, match=f"BATUTA_{name.upper()}") as caught:
        load_settings({}, path)
    assert "hunter2" not in str(caught.value)


def test_secrets_are_in_no_text_of_the_settings() -> None:
    settings = load_settings({"BATUTA_DATABASE_URL": SECRET, "BATUTA_OIDC_SECRET_KEYCLOAK": "hunter2"})
    assert "hunter2" not in f"{settings!r}{settings}{settings.model_dump_json()}"


@pytest.mark.parametrize("name", ["BATUTA_DATABASE_URL", "BATUTA_REDIS_URL"])
def test_a_wrong_secret_is_complained_about_without_repeating_it(name: str) -> None:
    with pytest.raises(ConfigurationError, match=name) as caught:
        load_settings({name: "mysql://hunter2@db"})
    assert "hunter2" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert b"hunter2" not in pickle.dumps(str(caught.value))


def test_each_wrong_value_gets_a_line_of_its_own() -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_settings({"BATUTA_PORT": "many", "BATUTA_ENV": "moon", "BATUTA_LOG_LEVEL": "loud"})
    lines = str(caught.value).splitlines()[1:]
    assert [line.split(":")[0].strip() for line in lines] == ["BATUTA_ENV", "BATUTA_PORT", "BATUTA_LOG_LEVEL"]


@pytest.mark.parametrize(
    ("environ", "complaint"),
    [
        ({"BATUTA_IS_DEMO": "true", "BATUTA_HOST": "0.0.0.0"}, "loopback"),
        ({"BATUTA_REDIS_URL": "redis://redis"}, "PostgreSQL beside it"),
        ({"BATUTA_EVENT_LOG": "redis"}, "set redis_url too"),
        ({"BATUTA_ENV": "production", "BATUTA_HOST": "0.0.0.0"}, "needs PostgreSQL"),
        (
            {"BATUTA_ENV": "production", "BATUTA_HOST": "0.0.0.0", "BATUTA_DATABASE_URL": "postgresql://db/batuta"},
            "BATUTA_PUBLIC_URL|public_url: production beyond this machine needs the address",
        ),
        ({"BATUTA_PUBLIC_URL": "team.example/path"}, "BATUTA_PUBLIC_URL"),
        ({"BATUTA_DATABASE_URL_FILE": "/no/such/file"}, "BATUTA_DATABASE_URL_FILE names a file"),
        ({"BATUTA_CONFIG": "/no/such/file"}, "cannot be read"),
    ],
)
def test_what_cannot_work_is_found_at_the_start(environ: dict[str, str], complaint: str) -> None:
    with pytest.raises(ConfigurationError, match=complaint):
        load_settings(environ)


def test_an_unknown_setting_in_the_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "batuta.toml"
    path.write_text("prot = 1\n")
    with pytest.raises(ConfigurationError, match="there is no such setting; there are env, host, port"):
        load_settings({}, path)


def test_a_file_that_is_no_toml_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "batuta.toml"
    path.write_text("port 1")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        load_settings({}, path)


def test_an_identity_provider_needs_its_secret(tmp_path: Path) -> None:
    path = tmp_path / "batuta.toml"
    path.write_text('[[oidc]]\nid = "key-cloak"\nname = "Keycloak"\nissuer = "https://id.example"\nclient_id = "b"\n')
    with pytest.raises(ConfigurationError, match="no secret for key-cloak"):
        load_settings({}, path)
    settings = load_settings({"BATUTA_OIDC_SECRET_KEY_CLOAK": "s3cret"}, path)
    assert settings.oidc_client_secrets["key-cloak"].get_secret_value() == "s3cret"


def test_the_turns_of_a_killed_worker_go_on_within_five_seconds_unless_set_otherwise() -> None:
    """09: from the last sign of life the lease, until somebody looks, and until a resting worker takes it."""
    lease = timedelta(seconds=load_settings({}).lease_seconds)
    assert lease + lease / LOOKS_PER_LEASE + IDLE < timedelta(seconds=5)
    assert lease / LOOKS_PER_LEASE <= RECOVERY_EVERY


def test_a_misspelt_variable_is_warned_of_with_the_one_that_was_meant(caplog: pytest.LogCaptureFixture) -> None:
    """P-2: it would be ignored without a word otherwise; its value is not repeated."""
    load_settings({"BATUTA_DATABSE_URL": SECRET, "BATUTA_OIDC_SECRET_X": "s", "BATUTA_TEAM": "t.py:t", "HOME": "/"})
    assert caplog.messages == ["BATUTA_DATABSE_URL is no setting and is ignored; did you mean BATUTA_DATABASE_URL?"]


@pytest.mark.parametrize(
    ("given", "warned"),
    [
        ({}, 0),
        ({"BATUTA_HOST": "0.0.0.0"}, 2),
        ({"BATUTA_ERP_URL": "https://erp.example/api/v2.0"}, 1),
        ({"BATUTA_ERP_URL": "https://erp.example/api/v2.0", "BATUTA_ERP_AMOUNT_LIMIT": "5000"}, 0),
        ({"BATUTA_HOST": "0.0.0.0", "BATUTA_PUBLIC_URL": "https://team.example"}, 1),
        ({"BATUTA_HOST": "0.0.0.0", "BATUTA_ENV": "staging", "BATUTA_PUBLIC_URL": "https://team.example"}, 0),
    ],
)
def test_an_unsafe_start_says_so(given: dict[str, str], warned: int) -> None:
    cautions = load_settings(given).cautions
    assert len(cautions) == warned
    assert all(caution.startswith("UNSAFE") for caution in cautions)
