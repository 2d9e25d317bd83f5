"""One company for all tests of behaviour; what a test does to it is rolled back."""

from collections.abc import Iterator

import pytest

from batuta.sandbox.behaviour import Behaviour
from batuta.sandbox.business import business_central
from batuta.sandbox.demo.foundation import create_company
from batuta.sandbox.demo.profiles import SPANISH
from batuta.sandbox.records import SandboxStore
from tests.unit.sandbox.business.shop import TODAY, Shop


@pytest.fixture(scope="session")
def founded() -> tuple[SandboxStore, Behaviour, str]:
    behaviour = business_central()
    store = SandboxStore(behaviour=behaviour, today=TODAY)
    with store.transaction():
        company = create_company(store, behaviour, SPANISH, TODAY.replace(month=1, day=1), TODAY)
    return store, behaviour, company


@pytest.fixture
def shop(founded: tuple[SandboxStore, Behaviour, str]) -> Iterator[Shop]:
    store, behaviour, company = founded
    with store.rehearsal():
        yield Shop(store, behaviour, company)
