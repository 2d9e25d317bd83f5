"""The TypeScript side of the events: types, fold and AG-UI stream, checked on the same recorded sessions."""

import pytest

from tests.support import web


@pytest.fixture(scope="module", autouse=True)
def _installed() -> None:
    web.install()


def test_typescript_types_hold() -> None:
    """E-1: the generated types and everything built on them compile, strictly."""
    done = web.run("node", "node_modules/typescript/bin/tsc", "--noEmit", seconds=120)
    assert done.returncode == 0, done.stdout


def test_the_same_recordings_pass_in_typescript() -> None:
    """E-20, E-21: equal views, valid events, a stream the real AG-UI client accepts."""
    done = web.run("node", "node_modules/vitest/vitest.mjs", "run", "--reporter=dot", seconds=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout


def test_the_lock_names_no_registry() -> None:
    """A clean clone installs from whatever registry its machine uses."""
    assert '"resolved"' not in web.LOCK.read_text()
