"""Approvals are looked up by their own id, and by whether they wait."""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("CREATE INDEX ix_approvals_approval_id ON approvals (approval_id)")
    op.execute("CREATE INDEX ix_approvals_pending ON approvals (session_id) WHERE status = 'pending'")
