"""The audit trail of accounts: rows that are only added, and where their chain stands."""

import sqlalchemy as sa
from alembic import op

from batuta.eventstore.chain import GENESIS

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

GUARDED = ("account_changes", "account_trail")
IS_SYSTEM = "(SELECT current_setting('batuta.scope', true)) = 'system'"

REFUSE = "BEGIN SELECT RAISE(ABORT, 'account_changes is append-only'); END"
SQLITE = (
    f"CREATE TRIGGER account_changes_are_never_deleted BEFORE DELETE ON account_changes {REFUSE}",
    f"CREATE TRIGGER account_changes_are_never_changed BEFORE UPDATE ON account_changes {REFUSE}",
)
POSTGRES = (
    """
    CREATE FUNCTION batuta_guard_account_changes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION 'account_changes is append-only' USING ERRCODE = 'integrity_constraint_violation';
    END $$""",
    """
    CREATE TRIGGER account_changes_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON account_changes
      FOR EACH STATEMENT EXECUTE FUNCTION batuta_guard_account_changes()""",
    *(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY" for table in GUARDED),
    *(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY" for table in GUARDED),
    *(f"CREATE POLICY of_the_system ON {table} USING ({IS_SYSTEM})" for table in GUARDED),
)


def upgrade() -> None:
    op.create_table(
        "account_changes",
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("change_id", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("salt", sa.LargeBinary(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("link", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_account_changes")),
    )
    trail = op.create_table(
        "account_trail",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("last_seq", sa.BigInteger(), nullable=False),
        sa.Column("link", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_account_trail")),
    )
    op.bulk_insert(trail, [{"name": "accounts", "last_seq": 0, "link": GENESIS}])
    for statement in POSTGRES if op.get_bind().dialect.name == "postgresql" else SQLITE:
        op.execute(statement)
