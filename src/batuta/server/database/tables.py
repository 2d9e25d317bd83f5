"""The tables of the platform: the only source of their schema. Rows carry user and workspace.

The log, the turns and the read models are the event store's (`batuta.eventstore.models`); `readable` gives them in a
form that both databases read alike.
"""

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.types import TypeDecorator, TypeEngine

from batuta.eventstore import models as store

metadata = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    }
)


class UtcDateTime(TypeDecorator[datetime]):
    """A time in UTC: PostgreSQL's own type there, ISO text that sorts in SQLite, as the event store writes it."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: sa.Dialect) -> TypeEngine[Any]:
        """The column's type in this database."""
        return dialect.type_descriptor(sa.Text() if dialect.name == "sqlite" else sa.DateTime(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> Any:
        """As it is kept."""
        if value is None or dialect.name != "sqlite":
            return value
        return value.astimezone(UTC).isoformat(timespec="microseconds")

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> datetime | None:
        """As the rest of the platform knows it."""
        return datetime.fromisoformat(value).astimezone(UTC) if isinstance(value, str) else value


def _id(name: str, *, key: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text, primary_key=key, nullable=False)


def _text(name: str, *, required: bool = True) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=not required)


def _time(name: str, *, required: bool = True) -> sa.Column[datetime]:
    return sa.Column(name, UtcDateTime, nullable=not required)


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean(create_constraint=False), nullable=False, server_default=sa.false())


def _owner() -> tuple[sa.Column[str], sa.Column[str]]:
    """Whose row it is; gone with the user."""
    user = sa.Column("user_id", sa.Text, sa.ForeignKey("users.user_id", ondelete="CASCADE"), nullable=False)
    return user, _text("workspace_id")


workspaces = sa.Table(
    "workspaces",
    metadata,
    _id("workspace_id", key=True),
    _text("name"),
    _time("created_at"),
    _time("closed_at", required=False),
)

users = sa.Table(
    "users",
    metadata,
    _id("user_id", key=True),
    sa.Column("workspace_id", sa.Text, sa.ForeignKey("workspaces.workspace_id"), nullable=False),
    sa.Column("email", sa.Text, nullable=False, unique=True),
    _text("name"),
    _text("password_hash", required=False),
    _text("roles"),
    _flag("is_disabled"),
    _time("created_at"),
)

login_sessions = sa.Table(
    "login_sessions",
    metadata,
    _id("token_hash", key=True),
    *_owner(),
    _time("created_at"),
    _time("seen_at"),
    _time("ends_at"),
    sa.Index("ix_login_sessions_user_id", "user_id"),
)

login_failures = sa.Table(
    "login_failures",
    metadata,
    _id("failure_id", key=True),
    _text("subject"),
    _time("at"),
    sa.Index("ix_login_failures_subject_at", "subject", "at"),
)
"""Written by processes of the version before; `login_attempts` took its place."""

login_attempts = sa.Table(
    "login_attempts",
    metadata,
    _id("subject", key=True),
    sa.Column("attempts", sa.BigInteger, nullable=False),
    _time("blocked_until", required=False),
    _time("ends_at"),
    sa.Index("ix_login_attempts_ends_at", "ends_at"),
)

login_devices = sa.Table(
    "login_devices",
    metadata,
    _id("device_hash", key=True),
    sa.Column("user_id", sa.Text, sa.ForeignKey("users.user_id", ondelete="CASCADE"), primary_key=True, nullable=False),
    _text("workspace_id"),
    _text("address_hash"),
    _time("seen_at"),
    sa.Index("ix_login_devices_user_id", "user_id"),
)

setup_tokens = sa.Table("setup_tokens", metadata, _id("token_hash", key=True), _time("ends_at"))

shared_secrets = sa.Table("shared_secrets", metadata, _id("name", key=True), _text("value"))
"""Secrets shared by the processes of one platform."""

oidc_logins = sa.Table(
    "oidc_logins",
    metadata,
    _id("state_hash", key=True),
    _text("provider_id"),
    _text("nonce"),
    _text("code_verifier"),
    _time("ends_at"),
)

oidc_identities = sa.Table(
    "oidc_identities", metadata, _id("issuer", key=True), _id("subject", key=True), *_owner(), _time("created_at")
)

api_keys = sa.Table(
    "api_keys",
    metadata,
    _id("key_id", key=True),
    *_owner(),
    _text("name"),
    sa.Column("secret_hash", sa.Text, nullable=False, unique=True),
    _text("scopes"),
    _time("created_at"),
    _time("last_used_at", required=False),
    sa.Index("ix_api_keys_user_id", "user_id"),
)

user_settings = sa.Table(
    "user_settings",
    metadata,
    sa.Column("user_id", sa.Text, sa.ForeignKey("users.user_id", ondelete="CASCADE"), primary_key=True),
    _text("workspace_id"),
    _text("content"),
)

user_sessions = sa.Table(
    "user_sessions",
    metadata,
    _id("session_id", key=True),
    *_owner(),
    _text("title", required=False),
    _flag("is_archived"),
    _time("created_at"),
    _time("touched_at"),
    _time("deleted_at", required=False),
    sa.Index("ix_user_sessions_list", "user_id", "is_archived", "touched_at", "session_id"),
)

datasets = sa.Table(
    "datasets",
    metadata,
    _id("dataset_id", key=True),
    _text("session_id"),
    *_owner(),
    _text("name"),
    _text("head"),
    sa.Column("row_count", sa.BigInteger, nullable=False),
    sa.Column("byte_count", sa.BigInteger, nullable=False),
    _time("created_at"),
    sa.UniqueConstraint("session_id", "name"),
    sa.Index("ix_datasets_user_id", "user_id"),
)

dataset_blocks = sa.Table(
    "dataset_blocks",
    metadata,
    sa.Column("dataset_id", sa.Text, sa.ForeignKey("datasets.dataset_id", ondelete="CASCADE"), primary_key=True),
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("row_count", sa.BigInteger, nullable=False),
    sa.Column("content", sa.LargeBinary, nullable=False),
    sa.Column("record_refs", sa.LargeBinary, nullable=False),
)

boards = sa.Table(
    "boards",
    metadata,
    _id("board_id", key=True),
    *_owner(),
    _text("title"),
    _time("created_at"),
    _time("updated_at"),
    sa.Index("ix_boards_user_id", "user_id"),
)

board_tiles = sa.Table(
    "board_tiles",
    metadata,
    _id("tile_id", key=True),
    sa.Column("board_id", sa.Text, sa.ForeignKey("boards.board_id", ondelete="CASCADE"), nullable=False),
    sa.Column("position", sa.BigInteger, nullable=False),
    _text("title"),
    _text("recipe"),
    _text("snapshot"),
    _text("problem", required=False),
    _time("refreshed_at"),
    sa.Index("ix_board_tiles_board_id_position", "board_id", "position"),
)

files = sa.Table(
    "files",
    metadata,
    _id("file_id", key=True),
    *_owner(),
    _text("folder"),
    _text("name"),
    _text("media_type"),
    sa.Column("size_bytes", sa.BigInteger, nullable=False),
    _text("digest", required=False),
    _text("status"),
    _text("reason", required=False),
    _text("job_id", required=False),
    _time("created_at"),
    _time("updated_at"),
    _text("client_key", required=False),
    sa.Index("ix_files_user_id_folder", "user_id", "folder"),
    sa.Index("ix_files_digest", "digest"),
    sa.Index("ix_files_status_updated_at", "status", "updated_at"),
    sa.Index("uq_files_user_id_client_key", "user_id", "client_key", unique=True),
)

jobs = sa.Table(
    "jobs",
    metadata,
    _id("job_id", key=True),
    *_owner(),
    _text("kind"),
    _text("subject_id"),
    _text("title"),
    _text("status"),
    sa.Column("done", sa.BigInteger, nullable=False),
    sa.Column("total", sa.BigInteger, nullable=False),
    _text("error", required=False),
    _time("created_at"),
    _time("updated_at"),
    sa.Index("ix_jobs_user_id_created_at", "user_id", "created_at"),
    sa.Index("ix_jobs_status_updated_at", "status", "updated_at"),
    sa.Index("ix_jobs_subject_id", "subject_id"),
)

account_changes = sa.Table(
    "account_changes",
    metadata,
    sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
    _id("change_id"),
    _text("action"),
    _text("content"),
    *(sa.Column(name, sa.LargeBinary, nullable=False) for name in ("salt", "digest", "link")),
)

account_trail = sa.Table(
    "account_trail",
    metadata,
    _id("name", key=True),
    sa.Column("last_seq", sa.BigInteger, nullable=False),
    sa.Column("link", sa.LargeBinary, nullable=False),
)


def readable(table: sa.Table) -> sa.TableClause:
    """A table of the event store whose times read the same in both databases."""
    columns = [
        sa.column(column.name, UtcDateTime() if isinstance(column.type, sa.DateTime) else column.type)
        for column in table.columns
    ]
    return sa.table(table.name, *columns)


approvals = readable(store.approvals)
messages = readable(store.messages)
read_sessions = readable(store.sessions)
turns = readable(store.turns)
usage = readable(store.usage)
log_heads = readable(store.log_heads)
