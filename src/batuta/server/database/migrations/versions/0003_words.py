"""Full text search of messages: an index of folded words, kept by the database itself, in any language.

PostgreSQL keeps the words of each message beside it, in a generated column. SQLite keeps an FTS5 index without a copy
of the texts, filled and emptied by triggers; `message_places` gives its rows numbers that outlive a compaction.
"""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

SHOWN = "type IN ('user_message', 'assistant_message') AND NOT is_internal"
BETWEEN = r"""!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~¿¡«»“”‘’„…–—·•€"""

# Bodies are bound when they are written (RETURN): an index is kept up whatever the search path is.
POSTGRESQL = (
    r"""
    CREATE FUNCTION batuta_fold(content text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
      RETURN regexp_replace(normalize(lower(content), NFKD), '[\u0300-\u036F]', '', 'g')""",
    # A tsvector has a largest size; words beyond the first part of a very long text are not searched.
    f"""
    CREATE FUNCTION batuta_words(content text) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
      RETURN to_tsvector('simple', translate(batuta_fold(left(content, 100000)), '{BETWEEN}',
        repeat(' ', length('{BETWEEN}'))))""",
    # A person's messages are found by their sessions before their words are looked at (row-level security wants it so),
    # and the words are kept beside the text: an index over all users' words would not be used.
    f"""
    ALTER TABLE messages ADD COLUMN words tsvector
      GENERATED ALWAYS AS (CASE WHEN {SHOWN} THEN batuta_words(content) END) STORED""",
)

ADD = """
  INSERT OR IGNORE INTO message_places (session_id, seq) VALUES (new.session_id, new.seq);
  INSERT INTO message_words (rowid, content)
    SELECT id, new.content FROM message_places WHERE session_id = new.session_id AND seq = new.seq;
"""
REMOVE = """
  INSERT INTO message_words (message_words, rowid, content)
    SELECT 'delete', id, old.content FROM message_places WHERE session_id = old.session_id AND seq = old.seq;
  DELETE FROM message_places WHERE session_id = old.session_id AND seq = old.seq;
"""


def _is_shown(row: str) -> str:
    return (
        f"{row}.type IN ('user_message', 'assistant_message') AND NOT {row}.is_internal AND {row}.content IS NOT NULL"
    )


SQLITE = (
    """
    CREATE TABLE message_places (
      id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, seq BIGINT NOT NULL, UNIQUE (session_id, seq)
    )""",
    """
    CREATE VIRTUAL TABLE message_words USING fts5 (content, content='', tokenize="unicode61 remove_diacritics 2")""",
    f"CREATE TRIGGER message_words_add AFTER INSERT ON messages WHEN {_is_shown('new')} BEGIN {ADD} END",
    f"CREATE TRIGGER message_words_remove AFTER DELETE ON messages WHEN {_is_shown('old')} BEGIN {REMOVE} END",
    f"""
    CREATE TRIGGER message_words_change AFTER UPDATE OF content ON messages
      WHEN {_is_shown("old")} AND {_is_shown("new")} AND old.content IS NOT new.content BEGIN {REMOVE} {ADD} END""",
    """
    INSERT INTO message_places (session_id, seq) SELECT session_id, seq FROM messages
      WHERE type IN ('user_message', 'assistant_message') AND NOT is_internal AND content IS NOT NULL""",
    """
    INSERT INTO message_words (rowid, content)
      SELECT id, content FROM message_places JOIN messages USING (session_id, seq)""",
)


def upgrade() -> None:
    for statement in POSTGRESQL if op.get_bind().dialect.name == "postgresql" else SQLITE:
        op.get_bind().exec_driver_sql(statement)
