"""What every test may ask for."""

pytest_plugins = ["tests.support.fixtures", "tests.support.eventstore"]
