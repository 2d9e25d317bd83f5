"""Settings: from the environment (`BATUTA_*`) and one TOML file, checked at the start, one line per wrong value.

    settings = load_settings(os.environ)

The environment wins over the file, the file over the profile of `BATUTA_ENV`. A secret comes from the environment,
or from the file named by its `*_FILE` variable; one in the TOML file is refused. No value is ever repeated in an
error message.
"""

import logging
import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)

from batuta.kernel.errors import ConfigurationError
from batuta.llm.providers import check_embedding_model

Environment = Literal["development", "staging", "production"]
LogLevel = Literal["debug", "info", "warning", "error"]
Mode = Literal["embedded", "distributed"]

log = logging.getLogger("batuta.server")

STATIC = Path(__file__).with_name("static")
"""Where the built web application lies."""
PREFIX = "BATUTA_"
TOML_VARIABLE = "BATUTA_CONFIG"
OTHER_VARIABLES = frozenset(
    {TOML_VARIABLE, "BATUTA_TEAM", "BATUTA_FAILPOINTS", "BATUTA_FUZZ", "BATUTA_LIVES", "BATUTA_EXTRAS"}
)
"""Variables of ours that are no settings."""
OIDC_PREFIX = f"{PREFIX}OIDC_SECRET_"
SECRETS = frozenset({"database_url", "redis_url", "oidc_client_secrets", "erp_client_secret", "files_secret_key"})

PROFILES: dict[Environment, dict[str, Any]] = {
    "development": {
        "log_level": "debug",
        "model_attempts": 1,
        "is_breaker_enabled": False,
        "breaker_threshold": 50,
        "login_attempts": 50,
    },
    "staging": {
        "log_level": "info",
        "model_attempts": 2,
        "is_breaker_enabled": True,
        "breaker_threshold": 3,
        "login_attempts": 10,
    },
    "production": {
        "log_level": "warning",
        "model_attempts": 3,
        "is_breaker_enabled": True,
        "breaker_threshold": 10,
        "login_attempts": 10,
    },
}
"""What a profile sets; each value can be overridden."""

DEMO: dict[str, Any] = {"log_level": "warning"}
"""What a demo sets over its profile: a visitor reads the page, not the log."""


class OidcProvider(BaseModel):
    """An identity provider people may log in with. Its client secret is in `oidc_client_secrets`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[a-z0-9-]{1,32}$")
    name: str = Field(min_length=1, max_length=60)
    issuer: str = Field(pattern=r"^https?://")
    client_id: str = Field(min_length=1)
    scopes: str = "openid email profile"
    domains: tuple[str, ...] = ()
    """Who may join: people with a confirmed address of one of these domains."""
    tenants: tuple[str, ...] = ()
    """Who may join: people of these organisations (`tid` of Entra ID, `hd` of Google); their addresses are believed."""
    groups: tuple[str, ...] = ()
    """Who may join: members of one of these groups, as `groups_claim` names them."""
    groups_claim: str = "groups"

    @property
    def is_open(self) -> bool:
        """Whether people without an account may get one; of several conditions all have to fit."""
        return bool(self.domains or self.tenants or self.groups)


class ErpRoleSettings(BaseModel):
    """What the holders of a role may do in the ERP."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    may: tuple[Literal["read", "write", "post"], ...] = ("read", "write", "post")
    companies: tuple[str, ...] = ()
    """Names of companies, or parts of them; none for every company."""


class Settings(BaseModel):
    """Everything an operator can set."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    env: Environment = "development"
    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    data_dir: Path = Path("batuta-data")
    documents_dir: Path | None = None
    """A folder whose documents every user may ask about, in place of the samples; it is watched."""
    is_demo: bool = False
    public_url: str | None = Field(default=None, pattern=r"^https?://[^/]+$")
    """Where browsers find the platform, if a proxy stands before it; cookies are `Secure` if it says https."""
    trusted_proxies: int = Field(default=0, ge=0, le=10)
    """How many proxies in front add to `X-Forwarded-For` and set `X-Forwarded-Proto`; with none these are ignored."""
    allowed_hosts: tuple[str, ...] = ()
    """Names in `Host` that are answered besides localhost, `host` and that of `public_url`; addresses always are."""
    database_url: SecretStr | None = None
    redis_url: SecretStr | None = None
    event_log: Literal["database", "redis"] = "database"
    """Where events are appended first: in the database, or in Redis (`appendfsync always`), which is shipped to it."""
    log_level: LogLevel
    model: str | None = None
    """What the team runs on; of several, separated by commas, people choose one and the first is the default."""
    title_model: str | None = None
    """Names sessions after their first turn; the team's own model unless a cheaper one is named."""
    embedding_model: str | None = None
    """Makes the vectors that documents are searched by beside their words, such as `openai:text-embedding-3-small`."""
    model_attempts: int = Field(ge=1, le=10)
    """How often a model is asked before its error counts."""
    is_breaker_enabled: bool
    breaker_threshold: int = Field(ge=1)
    """Failures of a model in a row before it is left alone for a minute."""
    model_calls_per_second: float | None = Field(default=None, gt=0)
    """How often this process may ask each model; no limit unless one is set. Who comes too early waits."""
    model_calls_burst: int = Field(default=10, ge=1)
    """How many calls may come at once before the limit above holds them back."""
    user_tokens_per_month: int | None = Field(default=None, ge=0)
    user_usd_per_month: Decimal | None = Field(default=None, ge=0)
    workspace_tokens_per_month: int | None = Field(default=None, ge=0)
    workspace_usd_per_month: Decimal | None = Field(default=None, ge=0)
    """What a person, and all of a workspace together, may spend on models in a month; a call that does not fit is not
    made. Counted in PostgreSQL, by all processes together; without it in memory, until the process ends."""
    worker_concurrency: int = Field(default=8, ge=0, le=256)
    """Turns that run at once in this process; 0 leaves all of them to `batuta worker`."""
    lease_seconds: float = Field(default=4, ge=1, le=600)
    """How long a worker may fall silent before another goes on with its turns; it shows itself three times as often.

    Others look for silent ones every tenth of it. A turn that loses two owners in a row waits twice.
    """
    turn_attempts: int = Field(default=12, ge=1, le=100)
    """How many owners in a row that got no further a turn may lose before it is given up: a turn that takes its worker
    with it must end some time, one whose workers are killed by something else must not end of that."""
    login_attempts: int = Field(ge=1)
    """Failed logins of an account, within `login_window_seconds`, before it is locked for that time."""
    login_window_seconds: int = Field(default=900, ge=1)
    login_idle_hours: float = Field(default=72, gt=0)
    login_hours: float = Field(default=24 * 30, gt=0)
    max_body_bytes: int = Field(default=1_048_576, ge=1024)
    max_upload_bytes: int = Field(default=1024**3, ge=1024)
    """Of one file."""
    max_file_bytes_of_a_user: int = Field(default=5 * 1024**3, ge=1024)
    """Of all files of one person together."""
    max_open_turns_of_a_user: int = Field(default=200, ge=1)
    """Turns of one person that wait, run or are paused; the next message is refused with 429."""
    max_open_turns_of_a_workspace: int = Field(default=2_000, ge=1)
    """The same for all people of a workspace together."""
    max_connections_of_a_user: int = Field(default=50, ge=1)
    """Sockets of one person at this process, and as many streams."""
    max_connections_of_a_workspace: int = Field(default=5_000, ge=1)
    """The same for all people of a workspace together."""
    erasure_ledger: Path | None = None
    """A file beside the database that keeps what was erased, for the day a backup is restored; without one,
    `erasures.jsonl` in `data_dir`."""
    attached_tokens: int = Field(default=4_000, ge=0, le=200_000)
    """Of the files of a message, what the supervisor reads before it decides who answers."""
    files_bucket: str | None = Field(default=None, min_length=3, max_length=63)
    """An S3 bucket for the bytes of files; without one they lie in `data_dir`."""
    files_endpoint: str | None = Field(default=None, pattern=r"^https?://")
    """Where an S3-compatible store answers; without it, AWS."""
    files_region: str | None = None
    files_access_key: str | None = None
    files_secret_key: SecretStr | None = None
    max_message_chars: int = Field(default=32_000, ge=1, le=200_000)
    shutdown_seconds: float = Field(default=10, ge=0)
    is_metrics_enabled: bool = True
    is_metrics_public: bool = False
    """True if `/metrics` answers any caller, not only this machine and people with the role `admin`."""
    metrics_host: str = "127.0.0.1"
    metrics_port: int = Field(default=9090, ge=0, le=65535)
    """Where `batuta worker` answers Prometheus; 0 takes a free port."""
    storage_capacity_bytes: int | None = Field(default=None, ge=1)
    """How much the database may hold, for the alert on storage; embedded, the free disk is known."""
    erp_url: str | None = Field(default=None, pattern=r"^https?://")
    """The root of a Business Central API, up to and with `api/v2.0`; without one the embedded mode has its sandbox."""
    erp_kind: Literal["business_central", "odata"] = "business_central"
    """`odata`: any other OData v4 service, known by its `$metadata` alone; it has no measures but one's own."""
    erp_company_set: str = Field(default="", max_length=100)
    """With `odata`: the entity set whose members hold all others, such as `companies`; empty where there is none."""
    erp_token_url: str | None = Field(default=None, pattern=r"^https?://")
    """Where the ERP's tokens are given: `https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token`."""
    erp_client_id: str | None = None
    erp_client_secret: SecretStr | None = None
    erp_scope: str = "https://api.businesscentral.dynamics.com/.default"
    erp_roles: Mapping[str, ErpRoleSettings] = Field(default_factory=dict)
    """What the holders of each role may do in the ERP; without any, every user may do everything behind approval."""
    erp_amount_limit: Decimal | None = Field(default=None, ge=0)
    """In the currency of the books: a change that moves more is decided by a holder of the role `approver`."""
    measures_file: Path | None = None
    """A TOML file with measures of one's own, in the form of those that come with the ERP agent."""
    oidc: tuple[OidcProvider, ...] = ()
    oidc_client_secrets: Mapping[str, SecretStr] = Field(default_factory=dict)

    @property
    def mode(self) -> Mode:
        """Whether one process does everything on one file, or several share PostgreSQL."""
        return "embedded" if self.database_url is None else "distributed"

    @property
    def models(self) -> tuple[str, ...]:
        """The models that were named, the default first."""
        named = (name.strip() for name in (self.model or "").split(","))
        return tuple(dict.fromkeys(name for name in named if name))

    @property
    def database_file(self) -> Path:
        """The file of the embedded mode."""
        return self.data_dir / "batuta.db"

    @property
    def cautions(self) -> tuple[str, ...]:
        """What is unsafe about these settings, though it may be meant so."""
        found = []
        if not self.is_loopback and self.env == "development":
            found.append(
                f"UNSAFE: the platform listens on {self.host} with the settings of a development machine (wide login "
                "limits, debug logs); set BATUTA_ENV=production, or BATUTA_HOST=127.0.0.1"
            )
        if not self.is_loopback and not (self.public_url or "").startswith("https://"):
            found.append(
                "UNSAFE: without https passwords and cookies cross the network readable; put a proxy with TLS in "
                "front and set BATUTA_PUBLIC_URL=https://… and BATUTA_TRUSTED_PROXIES=1"
            )
        if self.is_metrics_public and not self.is_loopback:
            found.append("UNSAFE: /metrics answers every client that reaches it (BATUTA_IS_METRICS_PUBLIC)")
        if self.erp_url is not None and self.erp_amount_limit is None:
            found.append(
                "UNSAFE: users may approve their own changes in the ERP, whatever the amount; set "
                "BATUTA_ERP_AMOUNT_LIMIT and give a user the role approver (0: every change that books an amount)"
            )
        return tuple(found)

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host in ("127.0.0.1", "::1", "localhost")

    @field_validator("allowed_hosts", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        """In the environment they are separated by commas."""
        return tuple(name.strip() for name in value.split(",") if name.strip()) if isinstance(value, str) else value

    @field_validator("database_url")
    @classmethod
    def _is_postgres(cls, value: SecretStr | None) -> SecretStr | None:
        return _with_scheme(value, ("postgresql://", "postgres://"))

    @field_validator("embedding_model")
    @classmethod
    def _can_embed(cls, value: str | None) -> str | None:
        if value:
            try:
                check_embedding_model(value)
            except ConfigurationError as error:
                raise ValueError(str(error)) from error
        return value or None

    @field_validator("redis_url")
    @classmethod
    def _is_redis(cls, value: SecretStr | None) -> SecretStr | None:
        return _with_scheme(value, ("redis://", "rediss://", "unix://"))

    @model_validator(mode="after")
    def _fits_together(self) -> "Settings":
        if self.is_demo and not self.is_loopback:
            raise ValueError("is_demo: the one-click login works on a loopback address only; set host to 127.0.0.1")
        if self.redis_url is not None and self.database_url is None:
            raise ValueError("redis_url: Redis needs a PostgreSQL beside it; set database_url too")
        if self.event_log == "redis" and self.redis_url is None:
            raise ValueError("event_log: a log in Redis needs a Redis; set redis_url too, or leave event_log out")
        if self.env == "production" and not self.is_demo and self.database_url is None and not self.is_loopback:
            raise ValueError(
                "database_url: production beyond this machine needs PostgreSQL; set it, or choose another env"
            )
        if self.env == "production" and self.public_url is None and not self.is_loopback:
            raise ValueError(
                "public_url: production beyond this machine needs the address that browsers use, such as "
                "https://batuta.example.com; without it cookies are not Secure"
            )
        missing = [provider.id for provider in self.oidc if provider.id not in self.oidc_client_secrets]
        if missing:
            raise ValueError(f"oidc_client_secrets: no secret for {', '.join(missing)}")
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """The model a team runs on, and those that a user may choose in its place."""

    label: str
    is_offline: bool = False
    choices: tuple[str, ...] = ()
    """The models users choose from, the default first; empty where there is no choice."""


def make_data_dir(folder: Path) -> None:
    """Make the folder of the embedded mode, for its owner alone.

    Raises:
        ConfigurationError: it is not writable.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise ConfigurationError(
            f"data_dir: {folder} cannot be made: {error.strerror}; choose another with --data-dir or BATUTA_DATA_DIR"
        ) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ConfigurationError(f"data_dir: {folder} cannot be written; choose another, or let this user write there")


def load_settings(environ: Mapping[str, str], toml_file: Path | None = None, **given: Any) -> Settings:
    """The settings of this process. `given` (command line options) wins over everything.

    Raises `ConfigurationError` with one line per wrong value.
    """
    for warning in misspelt(environ):
        log.warning("%s", warning)
    path = toml_file or (Path(environ[TOML_VARIABLE]) if TOML_VARIABLE in environ else None)
    values = {**_from_toml(path), **_from_environment(environ)}
    values |= {name: value for name, value in given.items() if value is not None}
    profile = PROFILES.get(values.get("env", "development"), PROFILES["development"])
    manners = DEMO if _is_true(values.get("is_demo")) else {}
    try:
        return Settings.model_validate({**profile, **manners, **values})
    except ValidationError as error:
        raise ConfigurationError(_complaint(error)) from None


def misspelt(names: Iterable[str]) -> list[str]:
    """A warning for each variable that begins like ours and is not one: it would be ignored."""
    known = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields} | OTHER_VARIABLES
    known |= {f"{PREFIX}{name.upper()}_FILE" for name in SECRETS}
    warnings = []
    for name in sorted(names):
        if not name.startswith(PREFIX) or name in known or name.startswith(OIDC_PREFIX):
            continue
        [*closest] = get_close_matches(name, known, n=1)
        hint = f"; did you mean {closest[0]}?" if closest else ""
        warnings.append(f"{name} is no setting and is ignored{hint}")
    return warnings


def _is_true(value: object) -> bool:
    """Whether a setting says yes; what is no answer at all is complained about later."""
    try:
        return TypeAdapter(bool).validate_python(value)
    except ValidationError:
        return False


def _with_scheme(value: SecretStr | None, schemes: tuple[str, ...]) -> SecretStr | None:
    if value is not None and not value.get_secret_value().startswith(schemes):
        raise ValueError(f"it must begin with {' or '.join(schemes)}")
    return value


def _from_toml(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        values = tomllib.loads(path.read_text())
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"the settings file {path} cannot be read: {error}") from None
    found = sorted(SECRETS & set(values))
    if found:
        names = ", ".join(f"{PREFIX}{name.upper()}" for name in found)
        raise ConfigurationError(f"{path} holds secrets ({', '.join(found)}); move them to {names} or to *_FILE")
    return values


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name in Settings.model_fields:
        raw = _raw(environ, f"{PREFIX}{name.upper()}", is_secret=name in SECRETS)
        if raw is not None:
            values[name] = raw
    secrets = _client_secrets(environ)
    return {**values, "oidc_client_secrets": secrets} if secrets else values


def _raw(environ: Mapping[str, str], variable: str, *, is_secret: bool) -> str | None:
    if variable in environ:
        return environ[variable]
    file_variable = f"{variable}_FILE"
    if not is_secret or file_variable not in environ:
        return None
    try:
        return Path(environ[file_variable]).read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file_variable} names a file that cannot be read: {error}") from None


def _client_secrets(environ: Mapping[str, str]) -> dict[str, str]:
    """`BATUTA_OIDC_SECRET_KEYCLOAK` (or its `_FILE`) is the client secret of the provider `keycloak`."""
    names = {name.removesuffix("_FILE") for name in environ if name.startswith(OIDC_PREFIX)}
    found = {name: _raw(environ, name, is_secret=True) for name in names}
    return {
        name.removeprefix(OIDC_PREFIX).lower().replace("_", "-"): raw for name, raw in found.items() if raw is not None
    }


def _complaint(error: ValidationError) -> str:
    lines = [f"  {_place(problem['loc'])}{_message(problem)}" for problem in error.errors(include_input=False)]
    return "the settings are wrong:\n" + "\n".join(lines)


def _place(location: tuple[int | str, ...]) -> str:
    if not location:
        return ""
    name, *rest = location
    return f"{PREFIX}{str(name).upper()}{''.join(f'.{part}' for part in rest)}: "


def _message(problem: Any) -> str:
    if problem["type"] == "extra_forbidden":
        return f"there is no such setting; there are {', '.join(Settings.model_fields)}"
    return str(problem["msg"]).removeprefix("Value error, ")


ENVIRONMENTS: tuple[Environment, ...] = get_args(Environment)
