"""The conformance suite of ERP connectors. Inherit it and say what it may play with.

class TestMyConnector(ErpConnectorConformance):
    @pytest.fixture
    async def subject(self) -> ErpSubject: ...
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import pytest

from batuta.connectors.erp import ErpConnector, ErpRecord, RecordChange, RecordQuery
from batuta.connectors.odata.filters import AllOf, Compare, Filter, Matches, OneOf
from batuta.kernel.errors import (
    BatutaError,
    ConfigurationError,
    ConnectorUnavailableError,
    MissingRecordError,
    RecordChangedError,
)

HOSTILE_TEXTS = (
    "x' or 1 eq 1 or '1' eq '",
    "' or true or '",
    "a'' b",
    "100 %",
    "a&$filter=1 eq 1",
    "a#b?c",
    "Ñandú/ü\\",
)
HOSTILE_KEYS = ("", "../companies", "1)/x(1", "' or '1' eq '1", "x?$top=1", "a/b", "%27", "\x00")
HOSTILE_NAMES = ("", "$metadata", "../companies", "a/b", "customers?$top=1", "no such entity")


@dataclass(frozen=True, kw_only=True)
class ErpSubject:
    """A connector and an entity of at least five records, more than one page, that may be written."""

    connector: ErpConnector
    company_id: str
    entity: str
    text_field: str
    """A text that can be written, such as a name."""
    amount_field: str
    """A decimal."""
    values_named: Callable[[str], Mapping[str, Any]]
    """What a new record with this text needs."""
    missing_id: str
    """A well-formed key that no record has."""
    lose_next_answer: Callable[[], None]
    """Let the next write happen and its answer get lost."""


class ErpConnectorConformance:
    """What every `ErpConnector` promises (A-4)."""

    async def test_companies_have_names_and_hold_records(self, subject: ErpSubject) -> None:
        companies = await subject.connector.companies()
        assert subject.company_id in {one.id for one in companies}
        assert all(one.id and one.name and one.display_name for one in companies)

    async def test_a_company_that_is_not_there_is_no_empty_one(self, subject: ErpSubject) -> None:
        gone = "99999999-9999-4999-8999-999999999999"
        with pytest.raises(BatutaError):
            await subject.connector.count(gone, subject.entity)

    async def test_pages_give_every_record_once_with_its_key_and_version(self, subject: ErpSubject) -> None:
        records = await _all(subject)
        assert len(records) == await subject.connector.count(subject.company_id, subject.entity) >= 5
        assert len({one.id for one in records}) == len(records)
        assert all(one.entity == subject.entity and one.id and one.etag for one in records)

    async def test_each_page_names_the_request_that_gave_it(self, subject: ErpSubject) -> None:
        pages = [page async for page in subject.connector.pages(subject.company_id, _query(subject))]
        assert all(page.url for page in pages)

    async def test_queries_read_together_give_what_each_gives_alone(self, subject: ErpSubject) -> None:
        queries = [_query(subject), _query(subject, limit=3), _query(subject, select=(subject.text_field,))]
        together = await subject.connector.read_together(subject.company_id, queries)
        for query, pages in zip(queries, together, strict=True):
            alone = [page async for page in subject.connector.pages(subject.company_id, query)]
            assert [list(page.records) for page in pages] == [list(page.records) for page in alone]
            assert [page.url for page in pages] == [page.url for page in alone]

    async def test_amounts_are_exact(self, subject: ErpSubject) -> None:
        """Decimals or whole numbers, never floats."""
        values = [one.values[subject.amount_field] for one in await _all(subject)]
        assert all(isinstance(value, (Decimal, int)) and not isinstance(value, bool) for value in values)

    async def test_a_limit_is_kept(self, subject: ErpSubject) -> None:
        assert len(await _all(subject, limit=3)) == 3

    async def test_a_selection_reads_its_fields_and_still_knows_the_key(self, subject: ErpSubject) -> None:
        whole = await _all(subject)
        chosen = await _all(subject, select=(subject.text_field,))
        assert {one.id: one.values[subject.text_field] for one in chosen} == {
            one.id: one.values[subject.text_field] for one in whole
        }
        assert all(subject.amount_field not in one.values for one in chosen)

    async def test_an_order_is_followed_both_ways(self, subject: ErpSubject) -> None:
        up = [one.values[subject.amount_field] for one in await _all(subject, order_by=(subject.amount_field,))]
        down = [
            one.values[subject.amount_field] for one in await _all(subject, order_by=(f"{subject.amount_field} desc",))
        ]
        assert up == sorted(up)
        assert down == sorted(down, reverse=True)

    async def test_filters_find_what_they_say_and_nothing_else(self, subject: ErpSubject) -> None:
        records = await _all(subject)
        name, amount = subject.text_field, subject.amount_field
        middle = sorted(one.values[amount] for one in records)[len(records) // 2]
        some = tuple(str(one.values[name]) for one in records[:2])
        cases: list[tuple[Filter, Callable[[Mapping[str, Any]], bool]]] = [
            (Compare(name, "eq", some[0]), lambda row: row[name] == some[0]),
            (OneOf(name, some), lambda row: row[name] in some),
            (Compare(amount, "ge", Decimal(middle)), lambda row: row[amount] >= middle),
            (Compare(amount, "lt", Decimal(middle)), lambda row: row[amount] < middle),
            (Matches(name, "contains", some[1][1:4]), lambda row: some[1][1:4].lower() in row[name].lower()),
            (
                AllOf(Compare(name, "ne", some[0]), Compare(amount, "le", Decimal(middle))),
                lambda row: row[name] != some[0] and row[amount] <= middle,
            ),
        ]
        for where, fits in cases:
            found = {one.id for one in await _all(subject, where=where)}
            assert found == {one.id for one in records if fits(one.values)}, where
            assert await subject.connector.count(subject.company_id, subject.entity, where) == len(found)

    @pytest.mark.parametrize("text", HOSTILE_TEXTS)
    async def test_a_text_is_never_more_than_a_text(self, subject: ErpSubject, text: str) -> None:
        """Quotes and signs of addresses neither widen a filter nor get lost in a record."""
        where = Compare(subject.text_field, "eq", text)
        assert await subject.connector.count(subject.company_id, subject.entity, where) == 0
        made = await _created(subject, text)
        assert made.values[subject.text_field] == text
        assert [one.id for one in await _all(subject, where=where)] == [made.id]

    async def test_one_record_is_read_by_its_key(self, subject: ErpSubject) -> None:
        for one in (await _all(subject))[:3]:
            found = await subject.connector.get(subject.company_id, subject.entity, one.id)
            assert (found.id, found.etag, found.values) == (one.id, one.etag, one.values)

    async def test_a_record_that_is_not_there_is_missing(self, subject: ErpSubject) -> None:
        with pytest.raises(MissingRecordError):
            await subject.connector.get(subject.company_id, subject.entity, subject.missing_id)

    @pytest.mark.parametrize("key", HOSTILE_KEYS)
    async def test_a_key_leads_to_its_record_or_nowhere(self, subject: ErpSubject, key: str) -> None:
        with pytest.raises(BatutaError):
            await subject.connector.get(subject.company_id, subject.entity, key)

    @pytest.mark.parametrize("name", HOSTILE_NAMES)
    async def test_an_entity_that_is_none_is_refused(self, subject: ErpSubject, name: str) -> None:
        with pytest.raises(BatutaError):
            [page async for page in subject.connector.pages(subject.company_id, RecordQuery(entity=name))]

    async def test_a_created_record_is_there(self, subject: ErpSubject) -> None:
        made = await _created(subject, "Conformance Ltd")
        found = await subject.connector.get(subject.company_id, subject.entity, made.id)
        assert (found.values[subject.text_field], found.etag) == ("Conformance Ltd", made.etag)

    async def test_an_update_changes_the_version(self, subject: ErpSubject) -> None:
        made = await _created(subject, "First")
        saved = await _updated(subject, made, "Second")
        assert saved is not None
        assert (saved.values[subject.text_field], saved.etag == made.etag) == ("Second", False)

    async def test_an_update_of_another_version_overwrites_nothing(self, subject: ErpSubject) -> None:
        """Another user's change stays."""
        made = await _created(subject, "First")
        await _updated(subject, made, "Theirs")
        with pytest.raises(RecordChangedError):
            await _updated(subject, made, "Mine")
        now = await subject.connector.get(subject.company_id, subject.entity, made.id)
        assert now.values[subject.text_field] == "Theirs"

    @pytest.mark.parametrize("kind", ["update", "delete"])
    async def test_a_change_says_which_version_it_is_based_on(self, subject: ErpSubject, kind: Any) -> None:
        made = await _created(subject, "First")
        change = RecordChange(kind=kind, entity=subject.entity, record_id=made.id, values={})
        with pytest.raises(ConfigurationError, match="etag"):
            await subject.connector.write(subject.company_id, change)

    async def test_a_deletion_of_another_version_deletes_nothing(self, subject: ErpSubject) -> None:
        made = await _created(subject, "First")
        now = await _updated(subject, made, "Theirs")
        deletion = RecordChange(kind="delete", entity=subject.entity, record_id=made.id, etag=made.etag)
        with pytest.raises(RecordChangedError):
            await subject.connector.write(subject.company_id, deletion)
        assert now is not None
        assert await subject.connector.write(subject.company_id, replace(deletion, etag=now.etag)) is None
        with pytest.raises(MissingRecordError):
            await subject.connector.get(subject.company_id, subject.entity, made.id)

    async def test_a_preview_shows_before_and_after_and_keeps_nothing(self, subject: ErpSubject) -> None:
        made = await _created(subject, "Before")
        shown = await subject.connector.preview(subject.company_id, _update(subject, made, "After"))
        own = next(row for row in shown.rows if row.entity == subject.entity)
        assert own.before is not None
        assert own.after is not None
        assert (own.before[subject.text_field], own.after[subject.text_field]) == ("Before", "After")
        now = await subject.connector.get(subject.company_id, subject.entity, made.id)
        assert (now.values[subject.text_field], now.etag) == ("Before", made.etag)

    async def test_a_write_whose_answer_is_lost_is_reported_and_not_repeated(self, subject: ErpSubject) -> None:
        made = await _created(subject, "Before")
        before = await subject.connector.count(subject.company_id, subject.entity)
        subject.lose_next_answer()
        with pytest.raises(ConnectorUnavailableError) as caught:
            await subject.connector.write(subject.company_id, _create(subject, "Once"))
        assert caught.value.was_sent
        assert await subject.connector.count(subject.company_id, subject.entity) == before + 1
        subject.lose_next_answer()
        with pytest.raises(ConnectorUnavailableError):
            await _updated(subject, made, "After")
        now = await subject.connector.get(subject.company_id, subject.entity, made.id)
        assert now.values[subject.text_field] == "After"

    async def test_a_connection_that_works_passes_every_stage(self, subject: ErpSubject) -> None:
        found = await subject.connector.diagnose()
        assert [one.stage for one in found] == ["sign_in", "routing", "company", "permission"]
        assert all(one.is_ok and one.message for one in found)

    async def test_metadata_name_the_entity_where_there_are_any(self, subject: ErpSubject) -> None:
        metadata = await subject.connector.metadata()
        if metadata is not None:
            entity = metadata.entities[subject.entity]
            assert {subject.text_field, subject.amount_field} <= set(entity.properties)


def _query(subject: ErpSubject, **changes: Any) -> RecordQuery:
    return RecordQuery(entity=subject.entity, **changes)


async def _all(subject: ErpSubject, **changes: Any) -> Sequence[ErpRecord]:
    pages = subject.connector.pages(subject.company_id, _query(subject, **changes))
    return [record async for page in pages for record in page.records]


def _create(subject: ErpSubject, text: str) -> RecordChange:
    return RecordChange(kind="create", entity=subject.entity, values=subject.values_named(text))


def _update(subject: ErpSubject, record: ErpRecord, text: str) -> RecordChange:
    return RecordChange(
        kind="update",
        entity=subject.entity,
        record_id=record.id,
        etag=record.etag,
        values={subject.text_field: text},
    )


async def _created(subject: ErpSubject, text: str) -> ErpRecord:
    made = await subject.connector.write(subject.company_id, _create(subject, text))
    assert made is not None
    return made


async def _updated(subject: ErpSubject, record: ErpRecord, text: str) -> ErpRecord | None:
    return await subject.connector.write(subject.company_id, _update(subject, record, text))
