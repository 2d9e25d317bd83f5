"""Uploads that are announced once, and files that are found by their state."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("files", sa.Column("client_key", sa.Text(), nullable=True))
    op.create_index("uq_files_user_id_client_key", "files", ["user_id", "client_key"], unique=True)
    op.create_index("ix_files_status_updated_at", "files", ["status", "updated_at"])
    op.create_index("ix_jobs_subject_id", "jobs", ["subject_id"])
