"""What the erasure of a user's sessions does to each table: the same list for SQLite and PostgreSQL."""

EMPTIED = ("messages", "tool_executions", "approvals", "sessions", "traces")
"""Read models that hold content. `usage` stays: it holds numbers, for billing."""

_MOVE_CURSORS = """
INSERT INTO cursors (consumer, session_id, done_seq)
SELECT name, session_id, last_seq FROM log_heads, consumers WHERE {chosen} ORDER BY session_id
ON CONFLICT (consumer, session_id) DO UPDATE SET done_seq = excluded.done_seq"""

_EVENTS = "UPDATE message_events SET payload = NULL, salt = NULL WHERE {chosen} AND payload IS NOT NULL"

STATEMENTS = (
    "UPDATE turns SET status = 'cancelled' WHERE {chosen} AND status IN ('queued', 'running', 'paused')",
    "UPDATE turns SET payload = '{{}}', error = NULL, user_id = NULL, accepted_events = NULL WHERE {chosen}",
    "UPDATE turns SET client_key = NULL, content = NULL WHERE {chosen}",
    "UPDATE log_heads SET fence = fence + 1 WHERE {chosen}",
    _MOVE_CURSORS,
    _EVENTS,
    "DELETE FROM client_keys WHERE {chosen}",
    *(f"DELETE FROM {table} WHERE {{chosen}}" for table in EMPTIED),  # noqa: S608 - our names
    "UPDATE audit SET actor = 'erased', target = NULL WHERE {chosen}",
    "DELETE FROM dead_letters WHERE {chosen}",
    "DELETE FROM dirty_sessions WHERE {chosen}",
)
"""In this order, in one transaction, after the sessions were marked as erased.

Turns before heads, as everywhere; heads before events, so that no owner adds one behind the back of the erasure;
cursors before read models, so that a projector which has read the contents already commits before they are taken away.
"""

COUNTED = STATEMENTS.index(_EVENTS)
"""The statement whose count is the number of erased events."""
