"""What the children of `test_processes` do."""

import asyncio
import os
import random
import sys
import time

from tests.support.processes import say

from batuta.kernel.failpoints import failpoint


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
