"""Which programs work on which schema: versions side by side, and back again (decision 0133).

A version table says two things: the revision of the schema, and the oldest revision whose programs still work on it.
So processes of the version before run beside those of the next, and take over again if it is rolled back.
"""

from typing import NamedTuple

OLDEST_COLUMN = "oldest_program"


class SchemaVersion(NamedTuple):
    """What a version table says."""

    revision: str
    oldest_program: str | None

    def suits(self, own: str) -> bool:
        """Whether a program whose newest revision is `own` can work on it."""
        return self.revision == own or (self.is_newer_than(own) and (self.oldest_program or self.revision) <= own)

    def is_newer_than(self, own: str) -> bool:
        """Whether a newer program has migrated it: revisions are numbers or dates, and sort as they follow."""
        return self.revision > own
