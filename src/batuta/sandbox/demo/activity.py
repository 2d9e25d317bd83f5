"""Day by day business of a demo company: sales, purchases, payments, expenses.

Every document goes through the rules, totals and posting that the API uses; only when what happens is drawn by lot.
"""

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from itertools import accumulate

from batuta.sandbox.behaviour import Behaviour
from batuta.sandbox.business.documents import due_date
from batuta.sandbox.business.journals import post_batch
from batuta.sandbox.business.lines import add_lines
from batuta.sandbox.business.orders import post_order
from batuta.sandbox.business.posting import cancel_document, post_document
from batuta.sandbox.business.reports import account_sums
from batuta.sandbox.business.specs import DOCUMENTS, DocumentSpec
from batuta.sandbox.demo.master_data import NEVER, DemoCustomer, DemoItem, DemoMaster, DemoVendor, PaymentHabit
from batuta.sandbox.demo.profiles import CompanyProfile
from batuta.sandbox.records import Records
from batuta.sandbox.values import Row

OPEN_DAYS = 30
"""Orders of the last days are still to be shipped."""
_EXPENSES = (
    ("8110", "Rent", 0.025, "ADM"), ("8720", "Salaries", 0.12, "ADM"), ("8120", "Electricity", 0.006, "PROD"),
    ("8310", "Advertising", 0.015, "SALES"), ("8430", "Freight", 0.02, "SALES"), ("8610", "Software", 0.004, "ADM"),
)  # fmt: skip
"""Account, text, share of the usual sales of a month, department."""


_TAX_ACCOUNTS = ("5610", "5620", "5630")


@dataclass(kw_only=True)
class Trading:
    """The state of a business that is being played through."""

    records: Records
    behaviour: Behaviour
    profile: CompanyProfile
    master: DemoMaster
    rng: random.Random
    returned_share: float = 0.0
    """How many of the deliveries of vendors are sent back in part."""
    stock: dict[str, Decimal] = field(default_factory=lambda: defaultdict(Decimal))
    payments: dict[date, list[tuple[str, Row]]] = field(default_factory=lambda: defaultdict(list))
    blocked: set[str] = field(default_factory=set)
    last_day: date = date.min
    vendor_documents: int = 0
    vendor_credits: int = 0
    returns_rng: random.Random = field(init=False)
    """Apart from `rng`, so that returns do not change what else happens."""
    item_weights: list[float] = field(init=False)
    item_numbers: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.returns_rng = random.Random(self.profile.seed + 1)
        self.item_weights = list(accumulate(item.weight for item in self.master.items))
        self.item_numbers = {item.id: item.number for item in self.master.items}

    def open_books(self, day: date) -> None:
        """Capital, premises and a first stock."""
        scale = Decimal(60_000 + 1_000 * len(self.master.items))
        for account, amount, text in (
            ("2920", scale * 3, "Opening balance"), ("1110", scale * 2, "Premises"), ("1210", scale / 2, "Vehicles"),
            ("3110", -scale * 4, "Share capital"), ("5310", -scale * 3 / 2, "Bank loan"),
        ):  # fmt: skip
            self._journal_line("DEFAULT", account, amount, text, day, "OPENING")
        self._post_journal("DEFAULT")

    def run(self, first: date, last: date, sales_a_month: int, days_between_restocks: int) -> Iterator[float]:
        """Play every day through; yields the share that is done, once a week."""
        self.last_day = last
        usual_month = sum(self.profile.season) / 12
        days = (last - first).days + 1
        owed = 0.0
        for at in range(days):
            day = first + timedelta(days=at)
            self.records.store.set_today(day)
            if at % days_between_restocks == 0:
                self._restock(day)
            if day.day == 28:
                self._expenses(day, sales_a_month)
            if day.day == 20 and day.month % 3 == 1:
                self._settle_tax(day)
            if day.weekday() < 5:
                growth = 0.9 + 0.3 * at / days
                owed += sales_a_month / 21.7 * growth * self.profile.season[day.month - 1] / usual_month
                while owed >= 1:
                    owed -= 1
                    self._sell(day)
            self._pay(day)
            if (last - day).days == 150:
                self._block_customer(day)
            if at % 7 == 6:
                yield at / days
        self._leave_work_open(last)
        yield 1.0

    def _sell(self, day: date) -> None:
        customers = [each for each in self.master.customers if each.id not in self.blocked]
        customer = self.rng.choices(customers, weights=[each.weight for each in customers])[0]
        lines = self._sales_lines(customer)
        if not lines:
            return
        lot = self.rng.random()
        if (self.last_day - day).days < OPEN_DAYS and lot < 0.55:
            self._order(customer, lines, day, ship=lot < 0.2)
        elif lot < 0.25:
            self._order(customer, lines, day, ship=True)
        else:
            invoice = self._document("salesInvoices", {"customerId": customer.id, "invoiceDate": day}, lines, day)
            post_document(self.records, DOCUMENTS["salesInvoices"], invoice)
            self._take_out(lines)
            self._plan_payment("customerPayments", str(invoice["id"]), customer.habit, day)
            if lot > 0.97:
                self._credit(invoice, day)

    def _sales_lines(self, customer: DemoCustomer) -> list[Row]:
        count = self.rng.choices((1, 2, 3, 4, 6), weights=(4, 6, 5, 3, 1))[0]
        lines: list[Row] = []
        for item in self.rng.choices(self.master.items, cum_weights=self.item_weights, k=count):
            wanted = Decimal(self.rng.randint(1, customer.largest_quantity))
            quantity = min(wanted, self.stock[item.number])
            if quantity <= 0 or any(line["itemId"] == item.id for line in lines):
                continue
            discount = self.rng.choices((0, 5, 10), weights=(7, 2, 1))[0]
            lines.append({"itemId": item.id, "quantity": quantity, "discountPercent": Decimal(discount)})
        if lines and self.master.services and self.rng.random() < 0.12:
            service = self.rng.choice(self.master.services)
            lines.append({"itemId": service.id, "quantity": Decimal(self.rng.randint(1, 6))})
        return lines

    def _take_out(self, lines: list[Row], sign: int = -1) -> None:
        for line in lines:
            if line["itemId"] in self.item_numbers:
                self.stock[self.item_numbers[str(line["itemId"])]] += sign * Decimal(str(line["quantity"]))

    def _order(self, customer: DemoCustomer, lines: list[Row], day: date, *, ship: bool) -> None:
        external = f"PO-{self.rng.randint(1000, 9999)}"
        values: Row = {
            "customerId": customer.id,
            "orderDate": day,
            "externalDocumentNumber": external,
            "requestedDeliveryDate": day + timedelta(days=self.rng.randint(5, 20)),
        }
        order = self._document("salesOrders", values, lines, day)
        is_partial = self.rng.random() < 0.15 and (self.last_day - day).days < 2 * OPEN_DAYS
        if not ship:
            return
        if is_partial:
            self._halve_shipment(order)
            lines = [{**line, "quantity": Decimal(str(line["quantity"])) // 2} for line in lines]
        self._take_out(lines)
        if is_partial and not any(line["quantity"] for line in lines):
            return
        posted = post_order(self.records, DOCUMENTS["salesOrders"], order)
        invoice = self.records.first("salesInvoices", number=posted)
        if invoice is not None:
            self._plan_payment("customerPayments", str(invoice["id"]), customer.habit, day)

    def _halve_shipment(self, order: Row) -> None:
        for line in self.records.find("salesOrderLines", documentId=order["id"]):
            half = Decimal(str(line["quantity"])) // 2
            self.behaviour.change(
                self.records, "salesOrderLines", line, {"shipQuantity": half, "invoiceQuantity": half}
            )

    def _credit(self, invoice: Row, day: date) -> None:
        """Now and then goods come back: an invoice is cancelled, or something is credited freely."""
        row = self.records.get("salesInvoices", invoice["id"])
        if row is not None and self.rng.random() < 0.5:
            self._forget_payment(str(invoice["id"]))
            cancel_document(self.records, DOCUMENTS["salesInvoices"], row)
            lines = self.records.find("salesInvoiceLines", documentId=invoice["id"])
            self._take_out(lines, sign=1)
            return
        service = self.master.services[0]
        lines = [{"itemId": service.id, "quantity": Decimal(1), "description": "Goodwill"}]
        memo = self._document(
            "salesCreditMemos", {"customerId": invoice["customerId"], "creditMemoDate": day}, lines, day
        )
        post_document(self.records, DOCUMENTS["salesCreditMemos"], memo)

    def _document(self, set_name: str, values: Row, lines: list[Row], day: date) -> Row:
        """A draft with its lines, as a deep insert makes it."""
        spec: DocumentSpec = DOCUMENTS[set_name]
        header = self.behaviour.create(self.records, set_name, {**values, "postingDate": day})
        add_lines(self.records, spec, header, lines)
        return self.records.get(set_name, header["id"]) or header

    def _restock(self, day: date) -> None:
        """Buy what is running out, by vendor; some items are forgotten for the last months."""
        wanted: dict[int, list[DemoItem]] = defaultdict(list)
        for item in self.master.items:
            forgotten = item.is_neglected and (self.last_day - day).days < 100
            if self.stock[item.number] < item.target * Decimal("0.4") and not forgotten:
                wanted[item.vendor].append(item)
        for vendor, items in wanted.items():
            for start in range(0, len(items), 12):
                self._purchase(self.master.vendors[vendor], items[start : start + 12], day)

    def _purchase(self, vendor: DemoVendor, items: list[DemoItem], day: date) -> None:
        is_order = self.rng.random() < 0.4
        spec = DOCUMENTS["purchaseOrders" if is_order else "purchaseInvoices"]
        drift = Decimal(self.rng.randint(96, 107)) / 100
        lines: list[Row] = [
            {
                "itemId": item.id,
                "quantity": item.target - self.stock[item.number] // 1,
                spec.price: (item.cost * drift).quantize(Decimal("0.01")),
            }
            for item in items
        ]
        values: Row = {"vendorId": vendor.id, spec.date: day}
        if not is_order:
            self.vendor_documents += 1
            values["vendorInvoiceNumber"] = f"F{day.year % 100}/{self.vendor_documents:05d}"
        document = self._document(spec.set, values, lines, day)
        if is_order and (self.last_day - day).days < OPEN_DAYS:
            return
        self._take_out(lines, sign=1)
        post = post_order if is_order else post_document
        posted = post(self.records, spec, document)
        invoice = self.records.first("purchaseInvoices", number=posted)
        if invoice is None:
            return
        credited = Decimal(0)
        if self.returned_share and self.returns_rng.random() < self.returned_share:
            credited = self._send_back(vendor, invoice, lines[0], day)
        self._plan_payment("vendorPayments", str(invoice["id"]), vendor.habit, day, credited)

    def _send_back(self, vendor: DemoVendor, invoice: Row, line: Row, day: date) -> Decimal:
        """Part of a delivery was damaged: the vendor credits it. What the credit memo comes to."""
        spec = DOCUMENTS["purchaseCreditMemos"]
        self.vendor_credits += 1
        values: Row = {
            "vendorId": vendor.id,
            "invoiceId": invoice["id"],
            spec.date: day,
            spec.external: f"A{day.year % 100}/{self.vendor_credits:05d}",
        }
        price = line.get(spec.price, line.get("directUnitCost"))
        damaged: Row = {
            "itemId": line["itemId"],
            "quantity": max(Decimal(str(line["quantity"])) // 10, Decimal(1)),
            spec.price: Decimal(str(price)),
        }
        memo = self._document(spec.set, values, [damaged], day)
        self._take_out([damaged])
        post_document(self.records, spec, memo)
        return Decimal(str(memo["totalAmountIncludingTax"]))

    def _plan_payment(
        self, kind: str, invoice_id: str, habit: PaymentHabit, day: date, credited: Decimal = Decimal(0)
    ) -> None:
        """Put the payment of an invoice into the diary."""
        set_name = "salesInvoices" if kind == "customerPayments" else "purchaseInvoices"
        invoice = self.records.get(set_name, invoice_id)
        if invoice is None or habit is NEVER:
            return
        due = invoice["dueDate"]
        start = due if isinstance(due, date) else due_date(self.records, invoice, day)
        when = max(day + timedelta(days=1), start + timedelta(days=self.rng.randint(habit.late_from, habit.late_to)))
        total = Decimal(str(invoice["totalAmountIncludingTax"])) - credited
        parts = [total]
        if habit.is_partial and self.rng.random() < 0.3:
            parts = [(total / 2).quantize(Decimal("0.01"))]
            parts.append(total - parts[0])
        for at, part in enumerate(parts):
            self.payments[when + timedelta(days=40 * at)].append((kind, {**invoice, "remainingAmount": part}))

    def _forget_payment(self, invoice_id: str) -> None:
        for planned in self.payments.values():
            planned[:] = [each for each in planned if each[1]["id"] != invoice_id]

    def _pay(self, day: date) -> None:
        used: set[str] = set()
        for kind, invoice in self.payments.pop(day, []):
            is_customer = kind == "customerPayments"
            party = "customer" if is_customer else "vendor"
            if str(invoice[f"{party}Id"]) in self.blocked:
                continue
            amount = Decimal(str(invoice["remainingAmount"]))
            self.behaviour.create(
                self.records,
                kind,
                {
                    "journalId": self._journal_id(f"{party}PaymentJournals", "BANK"),
                    f"{party}Id": invoice[f"{party}Id"],
                    "amount": -amount if is_customer else amount,
                    "appliesToInvoiceId": invoice["id"],
                    "postingDate": day,
                    "externalDocumentNumber": str(invoice["number"]),
                },
            )
            used.add(f"{party}PaymentJournals")
        for journal in sorted(used):
            self._post_journal("BANK", self._journal_id(journal, "BANK"))

    def _expenses(self, day: date, sales_a_month: int) -> None:
        usual = Decimal(sales_a_month * 3000)
        for account, text, share, department in _EXPENSES:
            amount = (usual * Decimal(str(share)) * Decimal(self.rng.randint(94, 106)) / 100).quantize(Decimal("0.01"))
            row = self._journal_line("MONTHLY", account, amount, text, day, f"EXP-{day:%Y-%m}", "2920")
            self.behaviour.create(
                self.records,
                "dimensionSetLines",
                {"parentId": row["id"], "code": "DEPARTMENT", "valueCode": department},
            )
        self._post_journal("MONTHLY")

    def _settle_tax(self, day: date) -> None:
        """Pay the tax of the last quarter: what was charged less what was paid to vendors."""
        quarter_end = day.replace(day=1) - timedelta(days=1)
        sums = account_sums(self.records, date(1, 1, 2), quarter_end)
        due = {account: sums.get(account, Decimal(0)) for account in _TAX_ACCOUNTS}
        document = f"TAX-{quarter_end:%Y-%m}"
        for account, amount in due.items():
            if amount:
                self._journal_line("MONTHLY", account, -amount, "Tax of the quarter", day, document)
        if any(due.values()):
            total = sum(due.values(), Decimal(0))
            self._journal_line("MONTHLY", "2920", total, "Tax of the quarter", day, document)
            self._post_journal("MONTHLY")

    def _journal_id(self, set_name: str, code: str) -> str:
        row = self.records.first(set_name, code=code) or {}
        return str(row["id"])

    def _journal_line(
        self, journal: str, account: str, amount: Decimal, text: str, day: date, document: str, balancing: str = ""
    ) -> Row:
        values: Row = {
            "journalId": self._journal_id("journals", journal),
            "accountNumber": account,
            "amount": amount,
            "description": text,
            "postingDate": day,
            "documentNumber": document,
        }
        if balancing:
            values["balancingAccountNumber"] = balancing
        return self.behaviour.create(self.records, "journalLines", values)

    def _post_journal(self, code: str, journal_id: str | None = None) -> None:
        row = self.records.get("journals", journal_id or self._journal_id("journals", code)) or {}
        post_batch(self.records, row)

    def _block_customer(self, day: date) -> None:
        """One customer stops paying after a last large delivery and is blocked."""
        customer = next(each for each in self.master.customers if each.is_blocked_later)
        for _ in range(2):
            lines = self._sales_lines(customer)
            if lines:
                values: Row = {"customerId": customer.id, "invoiceDate": day}
                invoice = self._document("salesInvoices", values, lines, day)
                post_document(self.records, DOCUMENTS["salesInvoices"], invoice)
                self._take_out(lines)
        row = self.records.get("customers", customer.id) or {}
        self.behaviour.change(self.records, "customers", row, {"blocked": "All"})
        self.blocked.add(customer.id)

    def _leave_work_open(self, day: date) -> None:
        """Quotes, drafts and orders to ship or receive, as they lie about on any day."""
        for at, customer in enumerate(self.master.customers[5:9]):
            lines = self._sales_lines(customer)
            if lines:
                self._order(customer, lines, day - timedelta(days=3 * at), ship=False)
        for vendor, item in zip(self.master.vendors[:2], self.master.items[5:7], strict=True):
            values: Row = {"vendorId": vendor.id, "orderDate": day - timedelta(days=6)}
            ordered: Row = {"itemId": item.id, "quantity": Decimal(item.target), "directUnitCost": item.cost}
            self._document("purchaseOrders", values, [ordered], day)
        if self.returned_share:
            faulty = self.master.items[4]
            self._document(
                "purchaseCreditMemos",
                {"vendorId": self.master.vendors[faulty.vendor].id, "creditMemoDate": day},
                [{"itemId": faulty.id, "quantity": Decimal(1), "unitCost": faulty.cost}],
                day,
            )
        for customer in self.master.customers[2:5]:
            lines = self._sales_lines(customer)
            if lines:
                self._document("salesQuotes", {"customerId": customer.id, "documentDate": day}, lines, day)
                self._document("salesInvoices", {"customerId": customer.id, "invoiceDate": day}, lines, day)
