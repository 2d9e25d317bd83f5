"""The schema of the embedded store as the models say it: `python -m tools.sqlite_ddl` prints it.

Files get there by migrations (`batuta/eventstore/sqlite_migrations`), because the embedded store works without
SQLAlchemy. Whoever changes the models writes one; a test compares where they lead with this.
"""

import sys

from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from batuta.eventstore.models import metadata

GUARDS = """
CREATE TRIGGER IF NOT EXISTS message_events_are_never_deleted BEFORE DELETE ON message_events
BEGIN SELECT RAISE(ABORT, 'message_events is append-only'); END;

CREATE TRIGGER IF NOT EXISTS message_events_only_lose_content BEFORE UPDATE ON message_events
WHEN NEW.payload IS NOT NULL OR NEW.salt IS NOT NULL
  OR NEW.session_id IS NOT OLD.session_id OR NEW.seq IS NOT OLD.seq OR NEW.epoch IS NOT OLD.epoch
  OR NEW.event_id IS NOT OLD.event_id OR NEW.type IS NOT OLD.type OR NEW.digest IS NOT OLD.digest
  OR NEW.link IS NOT OLD.link OR NEW.occurred_at IS NOT OLD.occurred_at
  OR NOT EXISTS (
    SELECT 1 FROM session_owners o WHERE o.session_id = OLD.session_id AND o.erased_at IS NOT NULL
  )
BEGIN SELECT RAISE(ABORT, 'message_events is append-only'); END;

INSERT OR IGNORE INTO consumers VALUES ('read_models');
"""


def schema() -> str:
    """All tables, indexes and guards for SQLite, harmless to run on a file that has them."""
    dialect = sqlite.dialect()
    statements = []
    for table in (table for table in metadata.sorted_tables if not table.info.get("is_shared")):
        statements.append(str(CreateTable(table, if_not_exists=True).compile(dialect=dialect)).strip())
        indexes = sorted(table.indexes, key=lambda index: str(index.name))
        statements += [str(CreateIndex(index, if_not_exists=True).compile(dialect=dialect)) for index in indexes]
    lines = [line.rstrip().replace("\t", "  ") for statement in statements for line in f"{statement};".splitlines()]
    return "\n".join(lines) + "\n" + GUARDS


if __name__ == "__main__":
    sys.stdout.write(schema())
