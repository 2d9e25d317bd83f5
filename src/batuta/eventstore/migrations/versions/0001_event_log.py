"""The event log, its consumers, turns and read models."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

TABLES = (
    "approvals",
    "audit",
    "client_keys",
    "consumers",
    "cursors",
    "dead_letters",
    "dirty_sessions",
    "log_heads",
    "message_events",
    "messages",
    "session_owners",
    "sessions",
    "tool_executions",
    "traces",
    "turns",
    "usage",
)


def upgrade() -> None:
    """Make all tables."""
    _create_approvals()
    _create_audit()
    _create_client_keys()
    _create_consumers()
    _create_cursors()
    _create_dead_letters()
    _create_dirty_sessions()
    _create_log_heads()
    _create_message_events()
    _create_messages()
    _create_session_owners()
    _create_sessions()
    _create_tool_executions()
    _create_traces()
    _create_turns()
    _create_usage()


def downgrade() -> None:
    """Drop all tables, with everything in them."""
    for table in reversed(TABLES):
        op.drop_table(table)


def _create_approvals() -> None:
    op.create_table(
        "approvals",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("approval_id", sa.Text(), nullable=False),
        sa.Column("turn_id", sa.Text(), nullable=True),
        sa.Column("tool_use_id", sa.Text(), nullable=True),
        sa.Column("tool_name", sa.Text(), nullable=True),
        sa.Column("agent_id", sa.Text(), nullable=True),
        sa.Column("args", sa.Text(), nullable=True),
        sa.Column("preview", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("requested_seq", sa.BigInteger(), autoincrement=False, nullable=True),
        sa.Column("requested_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("decided_args", sa.Text(), nullable=True),
        sa.Column("decided_by", sa.Text(), nullable=True),
        sa.Column("decision_reason", sa.Text(), nullable=True),
        sa.Column("resolved_seq", sa.BigInteger(), autoincrement=False, nullable=True),
        sa.Column("resolved_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("session_id", "approval_id", name=op.f("pk_approvals")),
    )


def _create_audit() -> None:
    op.create_table(
        "audit",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("turn_id", sa.Text(), nullable=True),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("session_id", "seq", name=op.f("pk_audit")),
    )


def _create_client_keys() -> None:
    op.create_table(
        "client_keys",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("client_key", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("epoch", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("first_seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("count", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("session_id", "client_key", name=op.f("pk_client_keys")),
    )


def _create_consumers() -> None:
    op.create_table(
        "consumers",
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_consumers")),
    )


def _create_cursors() -> None:
    op.create_table(
        "cursors",
        sa.Column("consumer", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("done_seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("failures", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("retry_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("consumer", "session_id", name=op.f("pk_cursors")),
    )


def _create_dead_letters() -> None:
    op.create_table(
        "dead_letters",
        sa.Column("consumer", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("failures", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("consumer", "session_id", "seq", name=op.f("pk_dead_letters")),
    )


def _create_dirty_sessions() -> None:
    op.create_table(
        "dirty_sessions",
        sa.Column("consumer", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("last_seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("marked_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("consumer", "session_id", "last_seq", name=op.f("pk_dirty_sessions")),
    )


def _create_log_heads() -> None:
    op.create_table(
        "log_heads",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("epoch", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("last_seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("fence", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("link", sa.LargeBinary(), nullable=False),
        sa.Column("is_seeded", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.PrimaryKeyConstraint("session_id", name=op.f("pk_log_heads")),
        postgresql_with={"fillfactor": 50},
    )


def _create_message_events() -> None:
    op.create_table(
        "message_events",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("epoch", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("occurred_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("payload", sa.Text(), nullable=True),
        sa.Column("salt", sa.LargeBinary(), nullable=True),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("link", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("session_id", "seq", name=op.f("pk_message_events")),
        sa.UniqueConstraint("event_id", name=op.f("uq_message_events_event_id")),
    )


def _create_messages() -> None:
    op.create_table(
        "messages",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("epoch", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("turn_id", sa.Text(), nullable=True),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=True),
        sa.Column("agent_id", sa.Text(), nullable=True),
        sa.Column("is_internal", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("input_tokens", sa.BigInteger(), autoincrement=False, nullable=True),
        sa.Column("output_tokens", sa.BigInteger(), autoincrement=False, nullable=True),
        sa.Column("thinking_tokens", sa.BigInteger(), autoincrement=False, nullable=True),
        sa.Column("cache_read_tokens", sa.BigInteger(), autoincrement=False, nullable=True),
        sa.Column("cache_write_tokens", sa.BigInteger(), autoincrement=False, nullable=True),
        sa.Column("cost_nanos", sa.BigInteger(), autoincrement=False, nullable=True),
        sa.Column("stop_reason", sa.Text(), nullable=True),
        sa.Column("tool_use_id", sa.Text(), nullable=True),
        sa.Column("tool_name", sa.Text(), nullable=True),
        sa.Column("bc_company_id", sa.Text(), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("session_id", "seq", name=op.f("pk_messages")),
    )


def _create_session_owners() -> None:
    op.create_table(
        "session_owners",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("tenant_id", sa.Text(), nullable=True),
        sa.Column("erased_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("session_id", name=op.f("pk_session_owners")),
    )
    op.create_index("ix_session_owners_user_id", "session_owners", ["user_id"], unique=False)


def _create_sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("epoch", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("last_seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=True),
        sa.Column("active_agent", sa.Text(), nullable=True),
        sa.Column("message_count", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("turn_count", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("llm_calls", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("cost_nanos", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("unpriced_calls", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("session_id", name=op.f("pk_sessions")),
    )


def _create_tool_executions() -> None:
    op.create_table(
        "tool_executions",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("tool_use_id", sa.Text(), nullable=False),
        sa.Column("turn_id", sa.Text(), nullable=True),
        sa.Column("tool_name", sa.Text(), nullable=True),
        sa.Column("agent_id", sa.Text(), nullable=True),
        sa.Column("is_internal", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("args", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("duration_ms", sa.Double(), nullable=True),
        sa.Column("requested_seq", sa.BigInteger(), autoincrement=False, nullable=True),
        sa.Column("requested_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("completed_seq", sa.BigInteger(), autoincrement=False, nullable=True),
        sa.Column("completed_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("session_id", "tool_use_id", name=op.f("pk_tool_executions")),
    )


def _create_traces() -> None:
    op.create_table(
        "traces",
        sa.Column("trace_id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("first_seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("last_seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("trace_id", "session_id", name=op.f("pk_traces")),
    )


def _create_turns() -> None:
    op.create_table(
        "turns",
        sa.Column(
            "ordinal", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), sa.Identity(always=True), nullable=False
        ),
        sa.Column("turn_id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("client_key", sa.Text(), nullable=True),
        sa.Column("content", sa.LargeBinary(), nullable=True),
        sa.Column("user_id", sa.Text(), nullable=True),
        sa.Column("tenant_id", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("rank", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("attempts", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("max_attempts", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=False),
        sa.Column("fence", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("waiting_for", sa.Text(), nullable=True),
        sa.Column("wake_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("resumed_by", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("is_cancelled", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("accepted_epoch", sa.BigInteger(), autoincrement=False, nullable=True),
        sa.Column("accepted_seq", sa.BigInteger(), autoincrement=False, nullable=True),
        sa.Column("accepted_count", sa.BigInteger(), autoincrement=False, nullable=True),
        sa.Column("accepted_events", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("ordinal", name=op.f("pk_turns")),
        sa.UniqueConstraint("session_id", "client_key", name=op.f("uq_turns_session_id_client_key")),
        sa.UniqueConstraint("turn_id", name=op.f("uq_turns_turn_id")),
    )
    op.create_index(
        "ix_turns_leased",
        "turns",
        ["lease_until"],
        unique=False,
        postgresql_where=sa.text("status = 'running'"),
        sqlite_where=sa.text("status = 'running'"),
    )
    op.create_index(
        "ix_turns_ready",
        "turns",
        ["rank", "ordinal"],
        unique=False,
        postgresql_where=sa.text("status = 'queued'"),
        sqlite_where=sa.text("status = 'queued'"),
    )
    op.create_index(
        "ix_turns_unfinished",
        "turns",
        ["session_id", "ordinal"],
        unique=False,
        postgresql_where=sa.text("status IN ('queued', 'running', 'paused')"),
        sqlite_where=sa.text("status IN ('queued', 'running', 'paused')"),
    )


def _create_usage() -> None:
    op.create_table(
        "usage",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("call_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("turn_id", sa.Text(), nullable=True),
        sa.Column("agent_id", sa.Text(), nullable=True),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("is_success", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), autoincrement=False, nullable=True),
        sa.Column("output_tokens", sa.BigInteger(), autoincrement=False, nullable=True),
        sa.Column("thinking_tokens", sa.BigInteger(), autoincrement=False, nullable=True),
        sa.Column("cache_read_tokens", sa.BigInteger(), autoincrement=False, nullable=True),
        sa.Column("cache_write_tokens", sa.BigInteger(), autoincrement=False, nullable=True),
        sa.Column("cost_nanos", sa.BigInteger(), autoincrement=False, nullable=True),
        sa.Column("duration_ms", sa.Double(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("session_id", "call_id", name=op.f("pk_usage")),
    )
