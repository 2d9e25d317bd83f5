"""What processes count together: breakers, rate limits, budgets."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table. It has no owner: only the platform's own work sees it."""
    op.create_table(
        "shared_state",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_shared_state")),
        postgresql_with={"fillfactor": 50},
    )
    op.execute("ALTER TABLE shared_state ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE shared_state FORCE ROW LEVEL SECURITY")
    op.execute(
        "CREATE POLICY of_the_store ON shared_state USING (current_setting('batuta.scope', true) = 'system') "
        "WITH CHECK (current_setting('batuta.scope', true) = 'system')"
    )


def downgrade() -> None:
    """Drop the table, with everything in it."""
    op.drop_table("shared_state")
