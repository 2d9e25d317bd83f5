"""Customers, vendors and items of a demo company."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product

from batuta.sandbox.behaviour import Behaviour
from batuta.sandbox.demo.profiles import CompanyProfile, Place
from batuta.sandbox.records import Records
from batuta.sandbox.values import Row, Value

FIRST_NUMBER, STEP = 10_000, 10_000


@dataclass(frozen=True, kw_only=True)
class PaymentHabit:
    """Days from the due date to the payment, from and to; `is_partial` pays in two parts."""

    late_from: int
    late_to: int
    is_partial: bool = False


PROMPT = PaymentHabit(late_from=-5, late_to=1)
USUAL = PaymentHabit(late_from=0, late_to=12)
LATE = PaymentHabit(late_from=15, late_to=45)
SLOW = PaymentHabit(late_from=70, late_to=150, is_partial=True)
NEVER = PaymentHabit(late_from=4000, late_to=4001)


@dataclass(frozen=True, kw_only=True)
class DemoCustomer:
    id: str
    weight: float
    largest_quantity: int
    habit: PaymentHabit
    is_blocked_later: bool = False


@dataclass(frozen=True, kw_only=True)
class DemoVendor:
    id: str
    habit: PaymentHabit
    is_foreign: bool


@dataclass(frozen=True, kw_only=True)
class DemoItem:
    """`target` is what the firm likes to have in stock; `vendor` the place in the list of vendors."""

    id: str
    number: str
    cost: Decimal
    weight: float
    target: int
    vendor: int
    is_neglected: bool
    is_service: bool = False


@dataclass(frozen=True, kw_only=True)
class DemoMaster:
    customers: tuple[DemoCustomer, ...]
    vendors: tuple[DemoVendor, ...]
    items: tuple[DemoItem, ...]
    services: tuple[DemoItem, ...]


def create_master_data(
    records: Records, behaviour: Behaviour, profile: CompanyProfile, rng: random.Random, counts: tuple[int, int, int]
) -> DemoMaster:
    """Store the master data; what the trading needs to know of it."""
    writer = _MasterWriter(records, behaviour, profile, rng)
    customers, vendors, items = counts
    return DemoMaster(
        customers=tuple(
            writer.customer(at, name)
            for at, name in zip(range(customers), writer.names(profile.customer_names), strict=False)
        ),
        vendors=tuple(
            writer.vendor(at, name)
            for at, name in zip(range(vendors), writer.names(profile.vendor_names), strict=False)
        ),
        items=tuple(writer.item(at, vendors) for at in range(items)),
        services=tuple(writer.service(at) for at in range(len(profile.services))),
    )


class _MasterWriter:
    def __init__(self, records: Records, behaviour: Behaviour, profile: CompanyProfile, rng: random.Random) -> None:
        self.records = records
        self.behaviour = behaviour
        self.profile = profile
        self.rng = rng
        self.terms = {str(row["code"]): row["id"] for row in records.find("paymentTerms")}
        self.methods = [row["id"] for row in records.find("paymentMethods")]
        self.shipping = [row["id"] for row in records.find("shipmentMethods")]
        self.currency = (records.find("currencies") or [{}])[0]
        self.dimensions = {
            (str(dimension["code"]), str(value["code"])): (dimension["id"], value["id"])
            for dimension in records.find("dimensions")
            for value in records.find("dimensionValues", dimensionId=dimension["id"])
        }
        self.models = list(_models(profile))

    def names(self, parts: tuple[Sequence[str], Sequence[str], Sequence[str]]) -> Iterator[str]:
        """Invented names without end: first all pairs in a shuffled order, then with a second own name."""
        kinds, own, forms = parts
        pairs = list(product(kinds, own))
        self.rng.shuffle(pairs)
        for kind, name in pairs:
            yield f"{kind} {name}, {self.rng.choice(forms)}"
        for kind, name, other in product(kinds, own, own):
            if name != other:
                yield f"{kind} {name} {other}, {self.rng.choice(forms)}"

    def customer(self, at: int, name: str) -> DemoCustomer:
        place = self.profile.places[at % len(self.profile.places)] if at > 1 else self.profile.places[0]
        habit, weight, largest, group = self._kind_of_customer(at)
        row = self.behaviour.create(
            self.records,
            "customers",
            {
                **self._party_values(at, name, place),
                "salespersonCode": self.profile.salespeople[at % len(self.profile.salespeople)][0],
                "shipmentMethodId": self.rng.choice(self.shipping),
                "creditLimit": Decimal(largest * 2500),
                "type": "Company",
            },
        )
        self._preset(row, (("CUSTOMERGROUP", group), ("AREA", place.area)))
        return DemoCustomer(
            id=str(row["id"]), weight=weight, largest_quantity=largest, habit=habit, is_blocked_later=at == 1
        )

    def _kind_of_customer(self, at: int) -> tuple[PaymentHabit, float, int, str]:
        """The first owes most, the second stops paying and is blocked; the others are as customers are."""
        if at == 0:
            return SLOW, 2.8, 9, "LARGE"
        if at == 1:
            return LATE, 0.7, 6, "MEDIUM"
        group = self.rng.choices(("LARGE", "MEDIUM", "SMALL"), weights=(2, 4, 6))[0]
        habit = self.rng.choices((PROMPT, USUAL, LATE, SLOW), weights=(3, 6, 5, 1.2))[0]
        weight, largest = {"LARGE": (2.0, 10), "MEDIUM": (1.0, 6), "SMALL": (0.5, 3)}[group]
        return habit, weight, largest, group

    def vendor(self, at: int, name: str) -> DemoVendor:
        place = self.profile.vendor_places[at % len(self.profile.vendor_places)]
        row = self.behaviour.create(self.records, "vendors", self._party_values(at, name, place))
        self._preset(row, (("DEPARTMENT", "PURCHASING"),))
        is_foreign = place.country not in {"ES", "PT", "FR", "DE", "IT"}
        return DemoVendor(id=str(row["id"]), habit=LATE if at == 1 else USUAL, is_foreign=is_foreign)

    def _party_values(self, at: int, name: str, place: Place) -> Row:
        word = "".join(part for part in name.split(",", maxsplit=1)[0].lower() if part.isalnum() and part.isascii())
        values: Row = {
            "number": str(FIRST_NUMBER + STEP * at),
            "displayName": name,
            "addressLine1": f"{self.rng.choice(_STREETS)} {self.rng.randint(1, 180)}",
            "city": place.city,
            "country": place.country,
            "postalCode": place.post_code,
            "phoneNumber": f"+{self.rng.randint(30, 49)} {self.rng.randint(600_000_000, 699_999_999)}",
            "email": f"info@{word}.example",
            "taxRegistrationNumber": f"{place.country}{self.rng.randint(10_000_000, 99_999_999)}",
            "paymentTermsId": self.terms[self.rng.choice(("14 DAYS", "30 DAYS", "30 DAYS", "60 DAYS", "CM"))],
            "paymentMethodId": self.rng.choice(self.methods),
        }
        if place.country in {"US", "GB"}:
            values["currencyId"] = self.currency["id"]
        return values

    def _preset(self, row: Row, values: Sequence[tuple[str, str]]) -> None:
        for pair in values:
            dimension, value = self.dimensions[pair]
            preset: dict[str, Value] = {"parentId": row["id"], "dimensionId": dimension, "dimensionValueId": value}
            self.behaviour.create(self.records, "defaultDimensions", preset)

    def item(self, at: int, vendors: int) -> DemoItem:
        family, name, low, high, tax = self.models[at % len(self.models)]
        series = at // len(self.models)
        price = Decimal(round(low + (high - low) * self.rng.random() ** 1.6))
        cost = (price * Decimal(self.rng.randint(52, 80)) / 100).quantize(Decimal("0.01"))
        sells_at_a_loss = at % 997 == 3
        if sells_at_a_loss:
            cost = (price * Decimal("1.12")).quantize(Decimal("0.01"))
        row = self.behaviour.create(
            self.records,
            "items",
            {
                "number": str(1001 + at),
                "displayName": f"{name} {series + 1}" if series else name,
                "type": "Inventory",
                "itemCategoryCode": family,
                "unitPrice": price,
                "unitCost": cost,
                "taxGroupCode": tax,
                "gtin": f"84{at:010d}0",
            },
        )
        return DemoItem(
            id=str(row["id"]),
            number=str(row["number"]),
            cost=cost,
            weight=3.0 if sells_at_a_loss else 0.3 + self.rng.random() ** 2 * 3,
            target=self.rng.randint(20, 60) if price < 300 else self.rng.randint(8, 20),
            vendor=at % vendors,
            is_neglected=at % 13 == 5,
        )

    def service(self, at: int) -> DemoItem:
        name, price = self.profile.services[at]
        row = self.behaviour.create(
            self.records,
            "items",
            {
                "number": f"S{at + 1:03d}",
                "displayName": name,
                "type": "Service",
                "unitPrice": Decimal(price),
                "unitCost": Decimal(price) / 2,
                "baseUnitOfMeasureCode": "HOUR",
            },
        )
        return DemoItem(
            id=str(row["id"]), number=str(row["number"]), cost=Decimal(0), weight=1, target=0, vendor=0,
            is_neglected=False, is_service=True,
        )  # fmt: skip


_STREETS = (
    "Calle Mayor",
    "Avenida del Puerto",
    "Rua Nova",
    "Plaza del Mercado",
    "Camino Real",
    "Hauptstraße",
    "Main Street",
)


def _models(profile: CompanyProfile) -> Iterator[tuple[str, str, int, int, str]]:
    """Products of all families in turn, so that a small company has some of each."""
    lists = [
        [
            (family.code, f"{model} {variant}", *family.price, family.tax_group)
            for variant in family.variants
            for model in family.models
        ]
        for family in profile.families
    ]
    for place in range(max(map(len, lists))):
        for each in lists:
            if place < len(each):
                yield each[place]
