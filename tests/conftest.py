"""What every test may ask for, and what none may leave behind."""

import logging
from collections.abc import Iterator

import pytest
import structlog
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.support.fixtures", "tests.support.eventstore", "tests.support.promises"]

# How long an example takes on a busy machine says nothing about what it shows.
settings.register_profile("batuta", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("batuta")


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """A command that is run in this process sets up logs; the next test finds them as they were."""
    loggers = [logging.getLogger(), logging.getLogger("batuta")]
    before = [(logger.level, list(logger.handlers)) for logger in loggers]
    was_configured = structlog.is_configured()
    yield
    for logger, (level, handlers) in zip(loggers, before, strict=True):
        logger.setLevel(level)
        for handler in set(logger.handlers) - set(handlers):
            logger.removeHandler(handler)
    if structlog.is_configured() and not was_configured:
        structlog.reset_defaults()
