"""The salts of the chain: drawn ahead, used once."""

import os
from concurrent.futures import ThreadPoolExecutor

from batuta.eventstore.chain import SALT_BYTES, fresh_salt


def test_no_salt_is_used_twice_by_any_thread() -> None:
    with ThreadPoolExecutor(8) as threads:
        salts = list(threads.map(lambda _: fresh_salt(), range(4_000)))
    assert len(set(salts)) == len(salts)
    assert {len(salt) for salt in salts} == {SALT_BYTES}


def test_a_forked_child_draws_its_own_salts() -> None:
    """What the parent drew ahead is not used by both."""
    fresh_salt()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, fresh_salt())
        os._exit(0)
    os.waitpid(child, 0)
    theirs = os.read(reader, SALT_BYTES)
    os.close(reader)
    os.close(writer)
    assert theirs not in {fresh_salt() for _ in range(300)}
