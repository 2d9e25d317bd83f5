"""What the tests of the appointment agent share."""

import pytest

from batuta.tools.invocation import default_invoker


@pytest.fixture(autouse=True)
def _limits_of_its_own() -> None:
    """Tools that write are limited per process: what one test books must not slow the next."""
    default_invoker.cache_clear()
