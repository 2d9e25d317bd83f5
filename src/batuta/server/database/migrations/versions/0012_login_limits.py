"""Attempts to log in, the browsers an account knows, and the tokens that create the owner; secrets
that processes share; closed workspaces.

`login_failures` stays for processes of the version before; nothing here reads it any more.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

IS_SYSTEM = "(SELECT current_setting('batuta.scope', true)) = 'system'"


def upgrade() -> None:
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    moment = sa.Text() if is_sqlite else sa.DateTime(timezone=True)
    op.create_table(
        "login_attempts",
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("attempts", sa.BigInteger(), nullable=False),
        sa.Column("blocked_until", moment, nullable=True),
        sa.Column("ends_at", moment, nullable=False),
        sa.PrimaryKeyConstraint("subject", name="pk_login_attempts"),
    )
    op.create_index("ix_login_attempts_ends_at", "login_attempts", ["ends_at"])
    op.create_table(
        "login_devices",
        sa.Column("device_hash", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("workspace_id", sa.Text(), nullable=False),
        sa.Column("address_hash", sa.Text(), nullable=False),
        sa.Column("seen_at", moment, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.user_id"], name="fk_login_devices_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("device_hash", "user_id", name="pk_login_devices"),
    )
    op.create_index("ix_login_devices_user_id", "login_devices", ["user_id"])
    op.create_table(
        "setup_tokens",
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("ends_at", moment, nullable=False),
        sa.PrimaryKeyConstraint("token_hash", name="pk_setup_tokens"),
    )
    op.create_table(
        "shared_secrets",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_shared_secrets"),
    )
    op.add_column("workspaces", sa.Column("closed_at", moment, nullable=True))
    if is_sqlite:
        return
    for table in ("login_attempts", "login_devices", "setup_tokens", "shared_secrets"):
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY of_the_system ON {table} USING ({IS_SYSTEM})")
