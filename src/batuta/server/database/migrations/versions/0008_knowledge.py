"""The index of documents: in PostgreSQL in the same database, embedded in a file of its own."""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE knowledge_owners (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name TEXT NOT NULL UNIQUE, passages BIGINT NOT NULL DEFAULT 0,
    bodies BIGINT NOT NULL DEFAULT 0, headings BIGINT NOT NULL DEFAULT 0);
CREATE TABLE knowledge_documents (
    id TEXT PRIMARY KEY, owner TEXT NOT NULL, name TEXT NOT NULL, title TEXT NOT NULL, revision TEXT NOT NULL,
    passages INTEGER NOT NULL, content TEXT NOT NULL);
CREATE INDEX knowledge_documents_by_owner ON knowledge_documents (owner, name);
CREATE TABLE knowledge_passages (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    document TEXT NOT NULL REFERENCES knowledge_documents (id) ON DELETE CASCADE, owner TEXT NOT NULL,
    number INTEGER NOT NULL, heading TEXT NOT NULL, body TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
    title TEXT NOT NULL, headings TEXT NOT NULL, place TEXT NOT NULL, language TEXT NOT NULL, text TEXT NOT NULL,
    words TSVECTOR NOT NULL);
CREATE INDEX knowledge_passages_by_document ON knowledge_passages (document, number);
CREATE INDEX knowledge_passages_by_words ON knowledge_passages USING GIN (words) WITH (fastupdate = off);
CREATE TABLE knowledge_stem_counts (
    owner BIGINT NOT NULL REFERENCES knowledge_owners (id), stem TEXT NOT NULL, passages BIGINT NOT NULL,
    PRIMARY KEY (owner, stem));
"""
IS_IN_SCOPE = "= ANY(string_to_array(current_setting('batuta.knowledge_owners', true), E'\\n'))"
RULES = {
    "knowledge_owners": f"name {IS_IN_SCOPE}",
    "knowledge_documents": f"owner {IS_IN_SCOPE}",
    "knowledge_passages": f"owner {IS_IN_SCOPE}",
    "knowledge_stem_counts": "owner IN (SELECT id FROM knowledge_owners)",
}


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        return
    for statement in filter(str.strip, TABLES.split(";\n")):
        op.execute(statement)
    for table, rule in RULES.items():
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY of_a_scope ON {table} USING ({rule}) WITH CHECK ({rule})")
