"""Stream properties: pictures, attachments and documents, stored beside the records or made by the behaviour."""

from typing import Final

from batuta.sandbox.behaviour import Behaviour, StreamContent
from batuta.sandbox.errors import MethodNotAllowedError
from batuta.sandbox.records import Records
from batuta.sandbox.schema import EntitySet
from batuta.sandbox.values import Row

_SIZES: Final = ("byteSize",)


class StreamStore:
    """Reads and writes the contents of streams in one company."""

    def __init__(self, records: Records, behaviour: Behaviour) -> None:
        self._records = records
        self._behaviour = behaviour

    def read(self, entity: EntitySet, row: Row, name: str) -> StreamContent | None:
        """The content of a stream: what was stored, else what the behaviour makes; nothing where there is none."""
        found = self._records.sql(
            "SELECT media_type, body FROM _streams WHERE company = ? AND entity = ? AND key = ? AND property = ?",
            (self._records.company, entity.name, self._key(entity, row), name),
        )
        if found:
            return StreamContent(media_type=found[0][0], body=found[0][1])
        hook = self._behaviour.contents.get((entity.name, name))
        return hook(self._records, row) if hook else None

    def write(self, entity: EntitySet, row: Row, name: str, media_type: str, body: bytes) -> None:
        """Store a content; the record itself counts as changed."""
        if entity.properties[name].read_only or not entity.methods & {"PATCH", "POST"}:
            raise MethodNotAllowedError(f"'{name}' cannot be written.", ["GET"])
        self._records.sql(
            "INSERT OR REPLACE INTO _streams VALUES (?, ?, ?, ?, ?, ?)",
            (self._records.company, entity.name, self._key(entity, row), name, media_type[:200], body),
        )
        sizes = {each: len(body) for each in _SIZES if each in entity.properties}
        self._records.update(entity.name, *self._records.key_of(entity.name, row), values=sizes)

    def forget(self, entity: EntitySet, row: Row) -> None:
        """Remove the contents of a record that is gone."""
        if entity.streams:
            self._records.sql(
                "DELETE FROM _streams WHERE company = ? AND entity = ? AND key = ?",
                (self._records.company, entity.name, self._key(entity, row)),
            )

    def _key(self, entity: EntitySet, row: Row) -> str:
        return "/".join(str(value) for value in self._records.key_of(entity.name, row))
