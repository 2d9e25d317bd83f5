"""Files of people, and jobs that work on them."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

IS_SYSTEM = "(SELECT current_setting('batuta.scope', true)) = 'system'"
IS_MINE = "user_id = (SELECT current_setting('batuta.user_id', true))"


def upgrade() -> None:
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    moment = sa.Text() if is_sqlite else sa.DateTime(timezone=True)
    op.create_table(
        "files",
        sa.Column("file_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("workspace_id", sa.Text(), nullable=False),
        sa.Column("folder", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("job_id", sa.Text(), nullable=True),
        sa.Column("created_at", moment, nullable=False),
        sa.Column("updated_at", moment, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.user_id"], name="fk_files_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("file_id", name="pk_files"),
    )
    op.create_index("ix_files_user_id_folder", "files", ["user_id", "folder"])
    op.create_index("ix_files_digest", "files", ["digest"])
    op.create_table(
        "jobs",
        sa.Column("job_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("workspace_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject_id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("done", sa.BigInteger(), nullable=False),
        sa.Column("total", sa.BigInteger(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created_at", moment, nullable=False),
        sa.Column("updated_at", moment, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.user_id"], name="fk_jobs_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("job_id", name="pk_jobs"),
    )
    op.create_index("ix_jobs_user_id_created_at", "jobs", ["user_id", "created_at"])
    op.create_index("ix_jobs_status_updated_at", "jobs", ["status", "updated_at"])
    if is_sqlite:
        return
    for table in ("files", "jobs"):
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY of_the_system ON {table} USING ({IS_SYSTEM})")
        op.execute(f"CREATE POLICY of_a_person ON {table} FOR SELECT USING ({IS_MINE})")
