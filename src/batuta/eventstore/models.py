"""The tables of the store: the only source of its schema.

Both stores get them by migrations; tests compare where these lead with what is written here.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Double,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)

UNFINISHED = "status IN ('queued', 'running', 'paused')"


def _id(name: str, *, key: bool = False) -> Column[str]:
    return Column(name, Text, primary_key=key, nullable=False)


def _text(name: str) -> Column[str]:
    return Column(name, Text)


def _count(name: str) -> Column[int]:
    return Column(name, BigInteger, nullable=False, server_default=text("0"))


def _whole(name: str, *, key: bool = False, required: bool = False) -> Column[int]:
    # Not numbered by the database: SQLAlchemy would make the first whole key of a table a serial one.
    return Column(name, BigInteger, primary_key=key, nullable=not (key or required), autoincrement=False)


def _time(name: str, *, required: bool = False) -> Column[object]:
    return Column(name, DateTime(timezone=True), nullable=not required)


def _flag(name: str) -> Column[bool]:
    return Column(name, Boolean, nullable=False, server_default=text("false"))


def _token_columns() -> list[Column[int]]:
    names = ("input_tokens", "output_tokens", "thinking_tokens", "cache_read_tokens", "cache_write_tokens")
    return [_whole(name) for name in (*names, "cost_nanos")]


log_heads = Table(
    "log_heads",
    metadata,
    _id("session_id", key=True),
    _whole("epoch", required=True),
    _whole("last_seq", required=True),
    _whole("fence", required=True),
    Column("link", LargeBinary, nullable=False),
    _flag("is_seeded"),
    # Rows change with every append: room for their next versions on the same page spares the index.
    postgresql_with={"fillfactor": 50},
)

message_events = Table(
    "message_events",
    metadata,
    _id("session_id", key=True),
    _whole("seq", key=True),
    _whole("epoch", required=True),
    Column("event_id", Text, nullable=False, unique=True),
    _id("type"),
    _time("occurred_at", required=True),
    _text("payload"),
    Column("salt", LargeBinary),
    Column("digest", LargeBinary, nullable=False),
    Column("link", LargeBinary, nullable=False),
)

client_keys = Table(
    "client_keys",
    metadata,
    _id("session_id", key=True),
    _id("client_key", key=True),
    Column("content", LargeBinary, nullable=False),
    _whole("epoch", required=True),
    _whole("first_seq", required=True),
    _whole("count", required=True),
)

session_owners = Table(
    "session_owners",
    metadata,
    _id("session_id", key=True),
    _id("user_id"),
    _text("tenant_id"),
    _time("erased_at"),
    Index("ix_session_owners_user_id", "user_id"),
)

consumers = Table("consumers", metadata, _id("name", key=True))

cursors = Table(
    "cursors",
    metadata,
    _id("consumer", key=True),
    _id("session_id", key=True),
    _whole("done_seq", required=True),
    _count("failures"),
    _time("retry_at"),
)

dirty_sessions = Table(
    "dirty_sessions",
    metadata,
    _id("consumer", key=True),
    _id("session_id", key=True),
    _whole("last_seq", key=True),
    _time("marked_at", required=True),
)

dead_letters = Table(
    "dead_letters",
    metadata,
    _id("consumer", key=True),
    _id("session_id", key=True),
    _whole("seq", key=True),
    _id("error"),
    _whole("failures", required=True),
    _time("created_at", required=True),
)

turns = Table(
    "turns",
    metadata,
    Column(
        "ordinal", BigInteger().with_variant(Integer, "sqlite"), Identity(always=True), primary_key=True, nullable=False
    ),
    Column("turn_id", Text, nullable=False, unique=True),
    _text("session_id"),
    _id("kind"),
    _id("payload"),
    _text("client_key"),
    Column("content", LargeBinary),
    _text("user_id"),
    _text("tenant_id"),
    _id("status"),
    _whole("rank", required=True),
    _whole("attempts", required=True),
    _whole("max_attempts", required=True),
    _time("not_before", required=True),
    _whole("fence", required=True),
    _text("owner"),
    _time("lease_until"),
    _text("waiting_for"),
    _time("wake_at"),
    _text("resumed_by"),
    _text("error"),
    _flag("is_cancelled"),
    _whole("accepted_epoch"),
    _whole("accepted_seq"),
    _whole("accepted_count"),
    _text("accepted_events"),
    _time("created_at", required=True),
    _time("updated_at", required=True),
    UniqueConstraint("session_id", "client_key"),
    Index(
        "ix_turns_ready",
        "rank",
        "ordinal",
        postgresql_where=text("status = 'queued'"),
        sqlite_where=text("status = 'queued'"),
    ),
    Index(
        "ix_turns_unfinished", "session_id", "ordinal", postgresql_where=text(UNFINISHED), sqlite_where=text(UNFINISHED)
    ),
    Index(
        "ix_turns_leased",
        "lease_until",
        postgresql_where=text("status = 'running'"),
        sqlite_where=text("status = 'running'"),
    ),
)

messages = Table(
    "messages",
    metadata,
    _id("session_id", key=True),
    _whole("seq", key=True),
    _whole("epoch", required=True),
    _id("event_id"),
    _text("turn_id"),
    _text("message_id"),
    _id("role"),
    _id("type"),
    _text("content"),
    _text("agent_id"),
    _flag("is_internal"),
    _text("model"),
    *_token_columns(),
    _text("stop_reason"),
    _text("tool_use_id"),
    _text("tool_name"),
    _text("bc_company_id"),
    _id("body"),
    _time("created_at", required=True),
)

usage = Table(
    "usage",
    metadata,
    _id("session_id", key=True),
    _id("call_id", key=True),
    _whole("seq", required=True),
    _text("turn_id"),
    _text("agent_id"),
    _id("path"),
    _id("provider"),
    _id("model"),
    _flag("is_success"),
    *_token_columns(),
    Column("duration_ms", Double),
    _time("created_at", required=True),
)

tool_executions = Table(
    "tool_executions",
    metadata,
    _id("session_id", key=True),
    _id("tool_use_id", key=True),
    _text("turn_id"),
    _text("tool_name"),
    _text("agent_id"),
    _flag("is_internal"),
    _text("args"),
    _id("status"),
    _text("result"),
    _text("error"),
    Column("duration_ms", Double),
    _whole("requested_seq"),
    _time("requested_at"),
    _whole("completed_seq"),
    _time("completed_at"),
)

approvals = Table(
    "approvals",
    metadata,
    _id("session_id", key=True),
    _id("approval_id", key=True),
    _text("turn_id"),
    _text("tool_use_id"),
    _text("tool_name"),
    _text("agent_id"),
    _text("args"),
    _text("preview"),
    _text("reason"),
    _time("expires_at"),
    _id("status"),
    _whole("requested_seq"),
    _time("requested_at"),
    _text("decided_args"),
    _text("decided_by"),
    _text("decision_reason"),
    _whole("resolved_seq"),
    _time("resolved_at"),
)

sessions = Table(
    "sessions",
    metadata,
    _id("session_id", key=True),
    _whole("epoch", required=True),
    _whole("last_seq", required=True),
    _text("title"),
    _text("status"),
    _text("active_agent"),
    *(_count(name) for name in ("message_count", "turn_count", "llm_calls", "input_tokens", "output_tokens")),
    *(_count(name) for name in ("cost_nanos", "unpriced_calls")),
    _time("created_at", required=True),
    _time("updated_at", required=True),
)

audit = Table(
    "audit",
    metadata,
    _id("session_id", key=True),
    _whole("seq", key=True),
    _id("event_id"),
    _text("turn_id"),
    _id("action"),
    _id("actor"),
    _text("target"),
    _text("outcome"),
    _time("created_at", required=True),
)

traces = Table(
    "traces",
    metadata,
    _id("trace_id", key=True),
    _id("session_id", key=True),
    _whole("first_seq", required=True),
    _whole("last_seq", required=True),
)

shared_state = Table(
    "shared_state",
    metadata,
    _id("key", key=True),
    _id("state"),
    postgresql_with={"fillfactor": 50},
    info={"is_shared": True},
)
"""Breakers, rate limits and budgets, as JSON. SQLite has none: one process counts in its memory."""
