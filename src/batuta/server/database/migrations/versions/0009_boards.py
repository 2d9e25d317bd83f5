"""Boards of people, and the tiles pinned to them."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

IS_SYSTEM = "(SELECT current_setting('batuta.scope', true)) = 'system'"
SEEN_BY_A_PERSON = {
    "boards": "user_id = (SELECT current_setting('batuta.user_id', true))",
    "board_tiles": "EXISTS (SELECT 1 FROM boards b WHERE b.board_id = board_tiles.board_id)",
}
"""A tile is visible to those who can see its board."""


def upgrade() -> None:
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    moment = sa.Text() if is_sqlite else sa.DateTime(timezone=True)
    op.create_table(
        "boards",
        sa.Column("board_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("workspace_id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("created_at", moment, nullable=False),
        sa.Column("updated_at", moment, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.user_id"], name="fk_boards_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("board_id", name="pk_boards"),
    )
    op.create_index("ix_boards_user_id", "boards", ["user_id"])
    op.create_table(
        "board_tiles",
        sa.Column("tile_id", sa.Text(), nullable=False),
        sa.Column("board_id", sa.Text(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("snapshot", sa.Text(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("refreshed_at", moment, nullable=False),
        sa.ForeignKeyConstraint(["board_id"], ["boards.board_id"], name="fk_board_tiles_board_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("tile_id", name="pk_board_tiles"),
    )
    op.create_index("ix_board_tiles_board_id_position", "board_tiles", ["board_id", "position"])
    if is_sqlite:
        return
    for table, is_seen in SEEN_BY_A_PERSON.items():
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY of_the_system ON {table} USING ({IS_SYSTEM})")
        op.execute(f"CREATE POLICY of_a_person ON {table} FOR SELECT USING ({is_seen})")
