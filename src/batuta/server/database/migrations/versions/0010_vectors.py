"""Vectors of passages: in PostgreSQL beside them, embedded in the file of the index."""

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE knowledge_spaces (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimensions INTEGER NOT NULL,
    is_active BOOLEAN NOT NULL DEFAULT false, tokens BIGINT NOT NULL DEFAULT 0, cost NUMERIC DEFAULT 0);
CREATE TABLE knowledge_vectors (
    space BIGINT NOT NULL REFERENCES knowledge_spaces (id) ON DELETE CASCADE, owner TEXT NOT NULL,
    passage BIGINT NOT NULL REFERENCES knowledge_passages (id) ON DELETE CASCADE,
    signs BIT VARYING NOT NULL, numbers BYTEA NOT NULL, PRIMARY KEY (space, owner, passage))
    WITH (toast_tuple_target = 512);
ALTER TABLE knowledge_vectors ALTER COLUMN numbers SET STORAGE EXTERNAL;
CREATE INDEX knowledge_vectors_by_passage ON knowledge_vectors (passage);
"""
IS_IN_SCOPE = "owner = ANY(string_to_array(current_setting('batuta.knowledge_owners', true), E'\\n'))"


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        return
    for statement in filter(str.strip, TABLES.split(";\n")):
        op.execute(statement)
    op.execute("ALTER TABLE knowledge_vectors ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE knowledge_vectors FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY of_a_scope ON knowledge_vectors USING ({IS_IN_SCOPE}) WITH CHECK ({IS_IN_SCOPE})")
