"""A small company whose names are known, and who reads questions about it."""

import pytest

from batuta.agents.erp.access import ErpAccess
from batuta.agents.erp.understanding import erp_understanding
from batuta.language.interpretation import Interpreter
from tests.support.erp_questions import known_access


@pytest.fixture(scope="module")
def access() -> ErpAccess:
    return known_access()


@pytest.fixture(scope="module")
def erp(access: ErpAccess) -> Interpreter:
    return Interpreter([erp_understanding(access)])
