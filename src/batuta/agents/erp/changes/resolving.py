"""From a request to the write it means: records looked up, states checked; what is missing or unclear is asked.

await Resolver(lookup=…, today=…).resolve(request)
    ->  PreparedWrite(tool="update_record", args={…})      it can be shown and approved
    ->  OpenQuestion(key="party", text="For which customer?")
    ->  OpenQuestion(key="", text="…")                     it cannot be done, and why
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from batuta.agents.erp.changes.lookups import ErpLookup, company_name
from batuta.agents.erp.changes.phrases import article_of, noun_of, phrase
from batuta.agents.erp.changes.reading import requested_lines
from batuta.agents.erp.changes.request import ChangeRequest, Names
from batuta.agents.erp.changes.steps import entered_payments, next_write
from batuta.agents.erp.changes.values import country_code, decimal_of
from batuta.agents.erp.changes.vocabulary import FIELDS, MASTER, PARTIES
from batuta.agents.erp.measures.records import plain_member
from batuta.agents.erp.naming import field_label
from batuta.agents.erp.wording import amount_in_words
from batuta.connectors.erp import ErpRecord
from batuta.connectors.odata.filters import Compare
from batuta.language.dates import find_dates
from batuta.language.folding import fold


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedWrite:
    """The tool that carries a change out, and its arguments."""

    tool: str
    args: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestion:
    """What a person has to say first; with an empty key, why it is not done."""

    key: str
    text: str


Resolved = PreparedWrite | OpenQuestion
_BLOCKED: Mapping[tuple[str, str], Any] = {
    ("customers", "block"): "All", ("vendors", "block"): "All", ("items", "block"): True,
    ("customers", "unblock"): "_x0020_", ("vendors", "unblock"): "_x0020_", ("items", "unblock"): False,
}  # fmt: skip
_POSTABLE = ("Draft", "Open", "In_x0020_Review", "Released", "Pending_x0020_Approval", "Pending_x0020_Prepayment")
_STATES: Mapping[tuple[str, str], Sequence[str]] = {
    ("post", "salesInvoices"): ("Draft",), ("post", "salesCreditMemos"): ("Draft",),
    ("post", "purchaseInvoices"): ("Draft",), ("post", "salesOrders"): _POSTABLE, ("post", "purchaseOrders"): _POSTABLE,
    ("cancel", "salesInvoices"): ("Open", "Paid"), ("cancel", "salesCreditMemos"): ("Open", "Paid"),
    ("cancel", "salesOrders"): _POSTABLE, ("cancel", "purchaseOrders"): _POSTABLE,
    ("cancel", "salesQuotes"): ("Draft", "Sent"), ("cancel", "purchaseInvoices"): (),
    ("pay", "salesInvoices"): ("Open",), ("pay", "purchaseInvoices"): ("Open",),
    ("convert", "salesQuotes"): ("Draft", "Sent", "Accepted"),
}  # fmt: skip
"""In which states an act makes sense; any for what is not listed. What is left the ERP itself refuses, in the preview."""
_SHAPES = {"email": re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+"), "phone": re.compile(r"[+(]?[\d ()./-]{5,30}")}
_PARTY_FIELD = {"customers": "customerId", "vendors": "vendorId"}
_PRICE_FIELD = {"purchaseOrders": "directUnitCost", "purchaseInvoices": "unitCost"}


class _UnansweredError(Exception):
    """A question that ends the resolving of a request."""

    def __init__(self, key: str, text: str) -> None:
        super().__init__(text)
        self.question = OpenQuestion(key=key, text=text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolver:
    """Resolves requests in one company."""

    lookup: ErpLookup
    today: date
    language: str
    names: Names = field(default_factory=dict)
    currencies: frozenset[str] = frozenset()
    """The currencies that the request names."""

    async def resolve(self, request: ChangeRequest) -> Resolved:
        """The write that a request means, or what has to be asked first."""
        if request.unknown:
            return OpenQuestion(key="", text=self._say("unknown", words=" ".join(request.unknown)))
        try:
            match request.act:
                case "create" if request.entity in MASTER:
                    return await self._new_master(request)
                case "create":
                    return await self._new_document(request)
                case "update":
                    return await self._update(request)
                case "block" | "unblock":
                    return await self._blocking(request)
                case _:
                    return await self._on_document(request)
        except _UnansweredError as unanswered:
            return unanswered.question

    def answered(self, request: ChangeRequest, key: str, answer: str) -> ChangeRequest:
        """A request together with the answer to a question about it."""
        text = answer.strip(" .¿?¡!")
        kind, _, place = key.partition(":")
        match kind:
            case "lines":
                found = requested_lines(text, self.names, request.language)
                return replace(request, lines=found) if found else replace(request, unknown=(text,))
            case "item":
                lines = [
                    replace(line, item=text) if number == int(place) else line
                    for number, line in enumerate(request.lines)
                ]
                return replace(request, lines=tuple(lines))
            case "value":
                return replace(request, values={**request.values, place: text})
            case "amount":
                return replace(request, amount=decimal_of(text, request.language))
            case "which" | "name":
                return replace(request, which=text)
            case "party":
                return replace(request, party=text)
            case _:
                return request

    # ── New records ──────────────────────────────────────────────────────────────────────────────────────────────────

    async def _new_master(self, request: ChangeRequest) -> Resolved:
        noun = noun_of(request.entity, self.language)
        if not request.which:
            raise _UnansweredError("name", self._say("ask_name", noun=noun, the="el nuevo"))
        same = await self.lookup.read(request.entity, Compare("displayName", "eq", request.which))
        if same and not request.is_another:
            facts = {"noun": noun, "name": request.which, "number": same[0].values.get("number", "")}
            return OpenQuestion(key="", text=self._say("exists", **facts))
        values = {"displayName": request.which, **self._values(request)}
        return self._write("create_record", {"entity": request.entity, "values": values})

    async def _new_document(self, request: ChangeRequest) -> Resolved:
        party_set = PARTIES[request.entity]
        if not request.party:
            raise _UnansweredError("party", self._say("ask_party", noun=noun_of(party_set, self.language)))
        party = await self._one(party_set, request.party, "party")
        await self._require_currency(party)
        if not request.lines:
            example = next(iter(self.lookup.access.names("item")), "…")
            raise _UnansweredError("lines", self._say("ask_lines", item=example))
        line_set = request.entity.removesuffix("s") + "Lines"
        lines = [await self._line(request.entity, number, line) for number, line in enumerate(request.lines)]
        values = {_PARTY_FIELD[party_set]: party.id, **self._values(request), line_set: lines}
        return self._write("create_record", {"entity": request.entity, "values": values}, request.then)

    async def _line(self, entity: str, number: int, line: Any) -> dict[str, Any]:
        item = await self._one("items", line.item, f"item:{number}")
        if line.quantity <= 0:
            raise _UnansweredError("lines", self._say("ask_lines", item=line.item))
        found = {"lineType": "Item", "itemId": item.id, "quantity": plain_number(line.quantity)}
        if line.price is not None:
            found[_PRICE_FIELD.get(entity, "unitPrice")] = plain_number(line.price)
        return found

    # ── Records that there are ───────────────────────────────────────────────────────────────────────────────────────

    async def _update(self, request: ChangeRequest) -> Resolved:
        record = await self._record(request)
        values = self._values(request)
        if all(_is_same(record.values.get(name), value) for name, value in values.items()):
            name, value = next(iter(values.items()))
            return OpenQuestion(key="", text=self._already(record, name, value))
        return self._write("update_record", {**_version(record), "values": values})

    async def _blocking(self, request: ChangeRequest) -> Resolved:
        record = await self._record(request)
        value = _BLOCKED[record.entity, request.act]
        if record.values.get("blocked") == value:
            return OpenQuestion(key="", text=self._already(record, "blocked", value))
        return self._write("update_record", {**_version(record), "values": {"blocked": value}})

    async def _on_document(self, request: ChangeRequest) -> Resolved:
        if request.entity in MASTER:
            return self._write("delete_record", _version(await self._record(request)))
        record = await self._document(request)
        allowed = _STATES.get((request.act, record.entity))
        if allowed is not None and record.values.get("status") not in allowed:
            raise _UnansweredError("", self._in_the_wrong_state(request, record))
        if request.act == "delete" and request.is_payment:
            return self._write("delete_record", _version(await self._payment_line(record)))
        if request.act == "delete" or (request.act == "cancel" and "Invoice" not in record.entity and "Memo" not in record.entity):  # fmt: skip
            return self._write("delete_record", _version(record))
        if request.act == "pay":
            await self._require_currency(record)
            self._require_open(request, record)
        step = {"post": "post", "cancel": "cancel", "pay": "pay"}.get(request.act, f"make:{request.target}")
        found = await next_write(self.lookup, record, step, request.then, amount=request.amount, today=self.today)
        if isinstance(found, str):
            lines = await lines_in_words(self.lookup, self.language)
            raise _UnansweredError("", self._say(found, company=company_name(self.lookup.company), lines=lines))
        return PreparedWrite(tool=found.tool, args=found.args)

    async def _payment_line(self, invoice: ErpRecord) -> ErpRecord:
        """The payment of an invoice that was entered and not posted yet."""
        for line in await entered_payments(self.lookup):
            if line.values.get("appliesToInvoiceId") == invoice.id:
                return line
        facts = {"name": invoice.values.get("number", ""), "noun": noun_of("customerPayments", self.language)}
        raise _UnansweredError("", self._say("nothing_of", **facts))

    async def _require_currency(self, record: ErpRecord) -> None:
        """An amount in euros is not written into a document in dollars."""
        books = await self.lookup.access.books(self.lookup.company.id)
        kept = str(record.values.get("currencyCode") or books.currency)
        if other := self.currencies - {kept}:
            called = record.values.get("displayName") or record.values.get("number", "")
            raise _UnansweredError("", self._say("currency", name=called, kept=kept, other=", ".join(sorted(other))))

    def _require_open(self, request: ChangeRequest, record: ErpRecord) -> None:
        left = Decimal(str(record.values.get("remainingAmount", record.values.get("totalAmountIncludingTax", 0))))
        number = record.values.get("number", "")
        if not left:
            raise _UnansweredError("", self._say("paid", number=number))
        if request.amount is not None and (request.amount > left or request.amount <= 0):
            shown = [self._money(one, record) for one in (left, request.amount)]
            raise _UnansweredError("amount", self._say("too_much", number=number, open=shown[0], amount=shown[1]))

    async def _record(self, request: ChangeRequest) -> ErpRecord:
        if request.entity not in MASTER:
            return await self._document(request)
        if not request.which:
            raise _UnansweredError("which", self._say("ask_which", noun=noun_of(request.entity, self.language)))
        return await self._one(request.entity, request.which, "which")

    async def _document(self, request: ChangeRequest) -> ErpRecord:
        """The document that is meant: by its number, else the only one of a customer that fits."""
        noun = noun_of(request.entity, self.language)
        if request.which:
            found = await self.lookup.document(request.entity, request.which)
            if found is None:
                facts = {"noun": noun, "words": request.which, "company": company_name(self.lookup.company)}
                raise _UnansweredError("which", self._say("ask_unknown_party", **facts))
            owner = str(found.values.get("customerName") or found.values.get("vendorName") or "")
            if request.party and request.party != owner:
                raise _UnansweredError("which", self._say("ask_owner", noun=noun, number=request.which, owner=owner))
            return found
        if not request.party:
            raise _UnansweredError("which", self._say("ask_document", noun=noun))
        party = await self._one(PARTIES[request.entity], request.party, "party")
        name = str(party.values.get("displayName"))
        statuses = _STATES.get((request.act, request.entity)) or ("Draft", "Open")
        fitting = await self.lookup.documents_of(request.entity, party, statuses)
        if request.act == "pay" and request.amount is not None and len(fitting) > 1:
            same = [one for one in fitting if Decimal(str(one.values.get("remainingAmount", 0))) == request.amount]
            fitting = same if len(same) == 1 else fitting
        if not fitting:
            raise _UnansweredError("", self._say("nothing_of", name=name, noun=noun))
        if len(fitting) > 1:
            listed = "; ".join(f"{one.values['number']} ({self._total(one)})" for one in fitting)
            raise _UnansweredError("which", self._say("ask_documents", name=name, names=listed))
        return fitting[0]

    async def _one(self, entity: str, words: str, key: str) -> ErpRecord:
        found = await self.lookup.named(entity, words)
        if len(found) == 1:
            return found[0]
        noun = noun_of(entity, self.language)
        if not found:
            facts = {"noun": noun, "words": words, "company": company_name(self.lookup.company)}
            raise _UnansweredError(key, self._say("ask_unknown_party", **facts))
        listed = "; ".join(f"{one.values.get('displayName')} ({one.values.get('number')})" for one in found)
        raise _UnansweredError(key, self._say("ask_several", words=words, names=listed))

    # ── Values and words ─────────────────────────────────────────────────────────────────────────────────────────────

    def _values(self, request: ChangeRequest) -> dict[str, Any]:
        return {name: self._value(name, str(said), request) for name, said in request.values.items()}

    def _value(self, name: str, said: str, request: ChangeRequest) -> Any:
        """A field's value as the ERP takes it; raises a question if it is none."""
        label = field_label(name, self.language).lower()
        if not said:
            raise _UnansweredError(f"value:{name}", self._say("ask_value", field=label))
        match FIELDS[name].kind:
            case "number":
                number = None if "%" in said else decimal_of(said, request.language)
                if number is None or number < 0:
                    raise _UnansweredError(f"value:{name}", self._say("ask_number", words=said, field=label))
                return plain_number(number)
            case "country":
                code = country_code(said)
                if code is None:
                    raise _UnansweredError(f"value:{name}", self._say("ask_country", words=said))
                return code
            case "salesperson":
                known = self.lookup.access.names("salesperson")
                codes = [code for code, words in known.items() if fold(said) in {fold(code), *map(fold, words)}]
                if len(codes) != 1:
                    raise _UnansweredError(f"value:{name}", self._say("ask_value", field=label))
                return codes[0]
            case "date":
                now = datetime(self.today.year, self.today.month, self.today.day, 12, tzinfo=UTC)
                days = find_dates(said, now=now, language=request.language)
                if len(days) != 1:
                    raise _UnansweredError(f"value:{name}", self._say("ask_date", words=said))
                return days[0].value.isoformat()
            case "email" | "phone" as kind:
                if _SHAPES[kind].fullmatch(said.strip()) is None:
                    raise _UnansweredError(f"value:{name}", self._say("ask_shape", words=said, field=label))
                return said.strip()
            case _:
                return said

    def _write(self, tool: str, args: Mapping[str, Any], then: Sequence[str] = ()) -> PreparedWrite:
        more = {"then": list(then)} if then else {}
        return PreparedWrite(tool=tool, args={**args, "company": self.lookup.company.display_name, **more})

    def _in_the_wrong_state(self, request: ChangeRequest, record: ErpRecord) -> str:
        article = article_of(record.entity)
        facts = {"noun": noun_of(record.entity, self.language), "The": article.capitalize(), "number": record.values.get("number", "")}  # fmt: skip
        if request.act == "pay" and record.values.get("status") == "Paid":
            return self._say("paid", number=facts["number"])
        return self._say("state", status=plain_member(record.values.get("status")), **facts)

    def _already(self, record: ErpRecord, name: str, value: Any) -> str:
        shown = plain_member(value).strip() or "—"
        called = record.values.get("displayName") or record.values.get("number", "")
        return self._say("already", name=called, field=field_label(name, self.language).lower(), value=shown)

    def _total(self, record: ErpRecord) -> str:
        amount = record.values.get("remainingAmount") or record.values.get("totalAmountIncludingTax") or 0
        return self._money(Decimal(str(amount)), record)

    def _money(self, amount: Decimal, record: ErpRecord) -> str:
        return amount_in_words(amount, "money", str(record.values.get("currencyCode") or ""), self.language)

    def _say(self, name: str, /, **facts: object) -> str:
        return phrase(name, self.language, **facts)


def plain_number(value: Decimal) -> int | float:
    """A number as JSON holds it, whole where it is whole."""
    return int(value) if value == value.to_integral_value() else float(value)


def _version(record: ErpRecord) -> dict[str, Any]:
    return {"entity": record.entity, "record_id": record.id, "etag": record.etag}


def _is_same(now: Any, wanted: Any) -> bool:
    if isinstance(wanted, int | float) and not isinstance(wanted, bool):
        return now is not None and Decimal(str(now)) == Decimal(str(wanted))
    return bool(now == wanted)


async def lines_in_words(lookup: ErpLookup, language: str) -> str:
    """The payments that were entered and not posted."""
    shown = []
    for line in await entered_payments(lookup):
        amount = amount_in_words(abs(Decimal(str(line.values.get("amount", 0)))), "money", None, language)
        parts = (line.values.get("journalDisplayName"), line.values.get("description"), amount)
        invoice = line.values.get("appliesToInvoiceNumber")
        noun = noun_of("salesInvoices", language)
        shown.append(" ".join(str(part) for part in parts if part) + (f" ({noun} {invoice})" if invoice else ""))
    return "; ".join(shown) or "—"
