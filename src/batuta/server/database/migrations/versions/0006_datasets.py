"""Datasets of sessions, and the blocks of their rows."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

IS_SYSTEM = "(SELECT current_setting('batuta.scope', true)) = 'system'"
SEEN_WITH = {
    "datasets": "SELECT 1 FROM user_sessions s WHERE s.session_id = datasets.session_id",
    "dataset_blocks": "SELECT 1 FROM datasets d WHERE d.dataset_id = dataset_blocks.dataset_id",
}
"""A dataset is visible with its session, a block with its dataset."""


def upgrade() -> None:
    op.create_table(
        "datasets",
        sa.Column("dataset_id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("workspace_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("head", sa.Text(), nullable=False),
        sa.Column("row_count", sa.BigInteger(), nullable=False),
        sa.Column("byte_count", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.Text() if _is_sqlite() else sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.user_id"], name="fk_datasets_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("dataset_id", name="pk_datasets"),
        sa.UniqueConstraint("session_id", "name", name="uq_datasets_session_id_name"),
    )
    op.create_index("ix_datasets_user_id", "datasets", ["user_id"])
    op.create_table(
        "dataset_blocks",
        sa.Column("dataset_id", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("row_count", sa.BigInteger(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("record_refs", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset_id"], ["datasets.dataset_id"], name="fk_dataset_blocks_dataset_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("dataset_id", "number", name="pk_dataset_blocks"),
    )
    if not _is_sqlite():
        for table, is_seen in SEEN_WITH.items():
            op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
            op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
            op.execute(f"CREATE POLICY of_the_system ON {table} USING ({IS_SYSTEM})")
            op.execute(f"CREATE POLICY of_a_session ON {table} FOR SELECT USING (EXISTS ({is_seen}))")


def _is_sqlite() -> bool:
    return op.get_bind().dialect.name == "sqlite"
