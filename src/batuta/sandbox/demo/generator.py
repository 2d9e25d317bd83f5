"""Makes the demo companies: the same for the same size and seed, through the same rules and posting as the API."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from uuid import UUID

from batuta.sandbox.behaviour import Behaviour
from batuta.sandbox.demo.activity import Trading
from batuta.sandbox.demo.foundation import create_company
from batuta.sandbox.demo.master_data import create_master_data
from batuta.sandbox.demo.profiles import PROFILES, CompanyProfile
from batuta.sandbox.ledger.dates import add_months
from batuta.sandbox.records import SandboxStore

DEMO_TODAY = date(2026, 9, 30)
"""The last day of the demo companies unless another is asked for: the same books in every test and benchmark."""


@dataclass(frozen=True, kw_only=True)
class DemoSize:
    """How much business a company has had until today."""

    customers: int
    vendors: int
    items: int
    months: int
    sales_a_month: int
    days_between_restocks: int
    returned_share: float = 0.0
    """How many of the deliveries of vendors are sent back in part."""


SMALL = DemoSize(customers=15, vendors=5, items=30, months=18, sales_a_month=9, days_between_restocks=28)
MEDIUM = DemoSize(
    customers=500, vendors=100, items=2000, months=24, sales_a_month=570, days_between_restocks=7, returned_share=0.04
)  # fmt: skip
SIZES = {"S": (SMALL, SMALL), "M": (MEDIUM, SMALL)}
"""Sizes of the two companies. The second one is always small: it is there so that a mix-up of companies shows."""
SIZE_SETTING = "company_size"
"""The setting of a store that says which size its companies have."""


def create_demo(
    store: SandboxStore,
    behaviour: Behaviour,
    *,
    size: str = "S",
    today: date = DEMO_TODAY,
    progress: Callable[[str, float], None] | None = None,
) -> list[str]:
    """Fill an empty store with the demo companies; their ids. `progress` gets a name and the share that is done."""
    if size not in SIZES:
        raise ValueError(unknown_size(size))
    ids = []
    with store.transaction():  # both companies or none: a file that was left half made is made anew
        for profile, plan in zip(PROFILES, SIZES[size], strict=True):
            with _repeatable(store, profile.seed):
                ids.append(_create_company(store, behaviour, profile, plan, today, progress))
        store.set_today(today)
        store.set_setting(SIZE_SETTING, size)
    store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return ids


def unknown_size(size: str) -> str:
    """What is said about a size that there is not."""
    return f"There is no company size {size!r}: choose one of {', '.join(SIZES)}."


def _create_company(
    store: SandboxStore,
    behaviour: Behaviour,
    profile: CompanyProfile,
    plan: DemoSize,
    today: date,
    progress: Callable[[str, float], None] | None,
) -> str:
    first_day = add_months(today, -plan.months).replace(day=1)
    store.set_today(first_day)
    company = create_company(store, behaviour, profile, first_day, today)
    records, rng = store.records(company), random.Random(profile.seed)
    master = create_master_data(records, behaviour, profile, rng, (plan.customers, plan.vendors, plan.items))
    trading = Trading(
        records=records,
        behaviour=behaviour,
        profile=profile,
        master=master,
        rng=rng,
        returned_share=plan.returned_share,
    )
    trading.open_books(first_day)
    for done in trading.run(first_day, today, plan.sales_a_month, plan.days_between_restocks):
        if progress is not None:
            progress(profile.display_name, done)
    return company


@contextmanager
def _repeatable(store: SandboxStore, seed: int) -> Iterator[None]:
    """Ids and times that depend on the seed alone."""
    rng = random.Random(seed)
    new_id, clock = store.new_id, store.wall_clock
    store.new_id = lambda: str(UUID(int=rng.getrandbits(128), version=4))
    store.wall_clock = lambda: datetime(2000, 1, 1, 9, tzinfo=UTC)
    try:
        yield
    finally:
        store.new_id, store.wall_clock = new_id, clock
