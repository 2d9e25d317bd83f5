"""Ids: upper case, time-ordered, unique, and refused at the edge when they are none."""

import os
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from pydantic import TypeAdapter, ValidationError

from batuta.kernel.id_fields import UuidStr
from batuta.kernel.ids import canonical_id, is_uuid, new_id, session_id, trace_id_for

LOWER = "0190c0de-0000-7000-8000-00000000abcd"


def test_a_new_id_is_a_version_7_uuid_in_upper_case() -> None:
    text = new_id()
    parsed = uuid.UUID(text)
    assert text == str(parsed).upper()
    assert (parsed.version, parsed.variant) == (7, uuid.RFC_4122)


def test_the_time_of_an_id_is_the_time_it_was_made() -> None:
    before = time.time_ns() // 1_000_000
    made = int(new_id().replace("-", "")[:12], 16)
    assert before <= made <= time.time_ns() // 1_000_000 + 1


def test_ids_made_one_after_the_other_sort_in_that_order() -> None:
    made = [new_id() for _ in range(20_000)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)


def test_threads_never_make_the_same_id() -> None:
    gate = threading.Barrier(4)

    def make(_: int) -> list[str]:
        gate.wait()
        return [new_id() for _ in range(5_000)]

    with ThreadPoolExecutor(4) as pool:
        made = [text for texts in pool.map(make, range(4)) for text in texts]
    assert len(set(made)) == len(made)


def test_a_forked_child_draws_its_own_random_part() -> None:
    """Two processes that share a past must not share their ids."""
    new_id()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, "".join(new_id() for _ in range(100)).encode())
        os._exit(0)
    os.waitpid(child, 0)
    theirs = os.read(reader, 100 * 36).decode()
    ours = {new_id()[19:] for _ in range(100)}
    assert not ours & {theirs[start : start + 36][19:] for start in range(0, 3600, 36)}
    os.close(reader)
    os.close(writer)


@pytest.mark.parametrize("text", ["", "agent", LOWER + "\n", LOWER[:-1], LOWER.replace("-", ""), "g" * 36])
def test_what_is_no_uuid_is_not_taken_for_one(text: str) -> None:
    assert not is_uuid(text)
    assert canonical_id(text) == text
    with pytest.raises(ValueError, match="session id is a UUID"):
        session_id(text)


def test_a_uuid_in_any_case_is_kept_in_upper_case() -> None:
    assert canonical_id(LOWER) == session_id(LOWER) == TypeAdapter(UuidStr).validate_python(LOWER) == LOWER.upper()


def test_a_field_refuses_what_is_no_uuid() -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(UuidStr).validate_python("not one")


def test_a_trace_id_is_the_digits_of_the_correlation_id_or_a_digest_of_it() -> None:
    """F-6: whoever knows the correlation id can compute the trace id."""
    assert trace_id_for(LOWER.upper()) == LOWER.replace("-", "")
    other = trace_id_for("order-17")
    assert other == trace_id_for("order-17") != trace_id_for("order-18")
    assert len(other) == 32
    assert set(other) <= set("0123456789abcdef")
