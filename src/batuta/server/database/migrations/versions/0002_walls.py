"""Row-level security: a transaction sees only the rows of its principal (`batuta.server.database.principal`).

A session's rows are visible with the session. The platform's own work acts for the `system`; the event store's
connections say so when they are opened. The owner of the tables is not exempt.
"""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

OF_THE_PLATFORM = ("workspaces", "login_failures", "oidc_logins")
OF_A_PERSON = ("users", "login_sessions", "oidc_identities", "api_keys", "user_settings", "user_sessions")
OF_THE_STORE = ("cursors", "consumers", "dirty_sessions", "dead_letters", "client_keys", "session_owners")
OF_A_SESSION = (
    *("log_heads", "message_events", "turns", "messages", "usage"),
    *("tool_executions", "approvals", "sessions", "audit", "traces"),
)

IS_SYSTEM = "(SELECT current_setting('batuta.scope', true)) = 'system'"
IS_MINE = "user_id = (SELECT current_setting('batuta.user_id', true))"
IS_OF_MY_WORKSPACE = "workspace_id = (SELECT current_setting('batuta.workspace_id', true))"


def upgrade() -> None:
    if op.get_bind().dialect.name != "postgresql":
        return
    for table in (*OF_THE_PLATFORM, *OF_A_PERSON, *OF_THE_STORE, *OF_A_SESSION):
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY of_the_system ON {table} USING ({IS_SYSTEM})")
    for table in OF_A_PERSON:
        op.execute(f"CREATE POLICY of_a_person ON {table} USING ({IS_MINE})")
    op.execute(f"CREATE POLICY of_a_workspace ON user_sessions FOR SELECT USING ({IS_OF_MY_WORKSPACE})")
    for table in OF_A_SESSION:
        is_seen = f"EXISTS (SELECT 1 FROM user_sessions s WHERE s.session_id = {table}.session_id)"  # noqa: S608
        op.execute(f"CREATE POLICY of_a_session ON {table} FOR SELECT USING ({is_seen})")
