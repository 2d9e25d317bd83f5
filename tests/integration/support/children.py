"""What the children of `test_processes` do."""

import asyncio
import os
import random
import sys
import time

import redis

from batuta.kernel.failpoints import failpoint
from tests.support.processes import say

IMPORTER = os.getpid()


def tell_importer() -> None:
    say(importer=IMPORTER)


def greet(name: str) -> None:
    say(ready=True, greeting=f"hello {name}", pid=os.getpid(), parent=os.getppid())


async def greet_from_a_loop(name: str) -> None:
    await asyncio.sleep(0)
    say(ready=True, greeting=f"hello {name}")


def count_for_ever() -> None:
    say(ready=True)
    for number in range(10_000_000):
        say(number=number)
        time.sleep(0.0005)


def count_past_a_failpoint() -> None:
    for number in range(10):
        say(number=number)
        failpoint("counting")


def sleep() -> None:
    say(ready=True)
    time.sleep(600)


def tear_a_line() -> None:
    say(ready=True)
    sys.stdout.write('{"half": ')
    sys.stdout.flush()
    time.sleep(600)


def speak_freely() -> None:
    sys.stdout.write("not JSON\n5\n")
    say(done=True)


def complain_and_fail() -> None:
    sys.stderr.write("first complaint\n")
    raise ValueError("second complaint")


def leave(code: int) -> None:
    sys.exit(code)


def say_much() -> None:
    for number in range(20_000):
        say(number=number)


def tell_environment(name: str) -> None:
    say(value=os.environ.get(name))


def tell_random() -> None:
    say(random=random.random())


def append_for_ever(url: str, session: str, client: str) -> None:
    """Append to a Redis stream that refuses a number used before; tell what was acknowledged, and when."""
    with redis.Redis.from_url(url) as server:
        say(ready=True)
        for number in range(10_000_000):
            event_id, sent = f"{client}.{number}", time.monotonic()
            place = server.xadd(session, {"event_id": event_id}, id="1-*")
            # Redis numbers from 0, the log from 1.
            facts = {"session": session, "epoch": 1, "seq": int(bytes(place).split(b"-")[1]) + 1, "event_id": event_id}
            say(acked={**facts, "t_sent": sent, "t_acked": time.monotonic()})
