"""Processes to be killed: quick to start, heard to their last line, never left behind."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import psutil
import pytest

from tests.support.processes import Child, ChildError, Zygote
from tests.support.servers import is_alive
from tests.support.zygote import STATUS

HERE = "tests.integration.support.children"


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    zygote = Zygote([HERE])
    yield zygote
    zygote.close()


async def test_a_function_runs_in_a_process_of_its_own(zygote: Zygote) -> None:
    async with zygote.running(f"{HERE}:greet", {"name": "world"}) as child:
        assert child.messages == [
            {"ready": True, "greeting": "hello world", "pid": child.pid, "parent": zygote.pid},
        ]
        await child.expect_exit(0)
    assert child.pid != os.getpid()


async def test_a_coroutine_function_gets_a_loop(zygote: Zygote) -> None:
    async with zygote.running(f"{HERE}:greet_from_a_loop", {"name": "loop"}) as child:
        assert (await child.ready())["greeting"] == "hello loop"
        await child.expect_exit(0)


async def test_a_child_finds_its_modules_imported(zygote: Zygote) -> None:
    """Which is why it starts in milliseconds: neither interpreter nor imports are to be waited for."""
    child = await zygote.spawn(f"{HERE}:tell_importer")
    assert (await child.message("importer"))["importer"] == zygote.pid != child.pid
    await child.close()


async def test_a_killed_child_was_heard_to_its_last_whole_line(zygote: Zygote) -> None:
    async with zygote.running(f"{HERE}:count_for_ever") as child:
        await child.count(50)
        await child.kill()
        numbers = [message["number"] for message in child.messages if "number" in message]
        assert numbers == list(range(len(numbers)))
        assert len(numbers) >= 49
        assert child.exit_code == -signal.SIGKILL


async def test_a_child_has_not_ended_before_its_last_words_are_heard() -> None:
    """Its status may overtake its output: they come by different pipes."""
    child = Child(0, "nobody", os.memfd_create("errors"))
    child.learn_status(STATUS.pack(0))
    with pytest.raises(ChildError, match="did not end"):
        await child.wait(0.001)
    child.hear(b'{"last": "words"}\n')
    child.fall_silent()
    assert (await child.wait(), child.messages) == (0, [{"last": "words"}])
    await child.close()


async def test_a_torn_last_line_is_no_message(zygote: Zygote) -> None:
    async with zygote.running(f"{HERE}:tear_a_line") as child:
        while not child.torn:
            await asyncio.sleep(0.001)
        await child.kill()
        assert child.messages == [{"ready": True}]
        assert child.torn == b'{"half": '


async def test_a_random_kill_falls_within_its_bounds_and_repeats_with_its_seed(zygote: Zygote) -> None:
    async with zygote.running(f"{HERE}:count_for_ever") as child:
        moment = await child.kill_within(Random(7), 0.01, 0.05)
    assert 0.01 <= moment == Random(7).uniform(0.01, 0.05) <= 0.05
    assert child.exit_code == -signal.SIGKILL


async def test_a_paused_child_says_nothing_until_resumed(zygote: Zygote) -> None:
    async with zygote.running(f"{HERE}:count_for_ever") as child:
        child.pause()
        while psutil.Process(child.pid).status() != psutil.STATUS_STOPPED:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.02)
        heard = len(child.messages)
        await asyncio.sleep(0.05)
        assert len(child.messages) == heard
        child.resume()
        await child.count(heard + 10)


async def test_a_failpoint_of_the_environment_kills_at_its_hit(zygote: Zygote) -> None:
    child = await zygote.spawn(f"{HERE}:count_past_a_failpoint", environment={"BATUTA_FAILPOINTS": "counting=kill@3"})
    await child.expect_exit(-signal.SIGKILL)
    assert child.messages == [{"number": 0}, {"number": 1}, {"number": 2}]
    await child.close()


async def test_the_environment_of_one_child_is_not_that_of_the_next(zygote: Zygote) -> None:
    values = []
    for environment in ({"BATUTA_WORD": "first"}, {}):
        child = await zygote.spawn(f"{HERE}:tell_environment", {"name": "BATUTA_WORD"}, environment=environment)
        values.append((await child.message("value"))["value"])
        await child.close()
    assert values == ["first", None]


async def test_children_draw_different_random_numbers(zygote: Zygote) -> None:
    """A fork would otherwise copy the state of the generator."""
    drawn = set()
    for _ in range(3):
        child = await zygote.spawn(f"{HERE}:tell_random")
        drawn.add((await child.message("random"))["random"])
        await child.close()
    assert len(drawn) == 3


async def test_an_error_in_a_child_is_seen_with_its_traceback(zygote: Zygote) -> None:
    child = await zygote.spawn(f"{HERE}:complain_and_fail")
    with pytest.raises(ChildError, match=r"ended with 1, not with 0:\nfirst complaint\n(.*\n)*ValueError: second"):
        await child.expect_exit(0)
    await child.close()


async def test_the_exit_code_of_a_child_is_known(zygote: Zygote) -> None:
    child = await zygote.spawn(f"{HERE}:leave", {"code": 7})
    assert await child.wait() == 7
    await child.close()


async def test_a_child_that_ends_before_it_is_ready_is_noticed_at_once(zygote: Zygote) -> None:
    child = await zygote.spawn(f"{HERE}:complain_and_fail")
    with pytest.raises(ChildError, match="said nothing of 'ready' before it ended: 1"):
        await child.ready(seconds=60)
    await child.close()


async def test_waiting_has_a_bound(zygote: Zygote) -> None:
    async with zygote.running(f"{HERE}:sleep") as child:
        with pytest.raises(ChildError, match=r"did not end in 0\.01 s"):
            await child.wait(0.01)
        with pytest.raises(ChildError, match=r"said nothing of 'more' in 0\.01 s"):
            await child.message("more", 0.01)


async def test_much_output_is_neither_lost_nor_in_the_way(zygote: Zygote) -> None:
    child = await zygote.spawn(f"{HERE}:say_much")
    await child.expect_exit(0)
    assert [message["number"] for message in child.messages] == list(range(20_000))
    await child.close()


async def test_lines_that_are_no_messages_are_kept_as_text(zygote: Zygote) -> None:
    child = await zygote.spawn(f"{HERE}:speak_freely")
    await child.expect_exit(0)
    assert child.messages == [{"text": "not JSON"}, {"text": "5"}, {"done": True}]
    await child.close()


async def test_many_children_live_at_once_and_die_one_by_one(zygote: Zygote) -> None:
    children = [await zygote.spawn(f"{HERE}:sleep") for _ in range(8)]
    for child in children:
        await child.ready()
    await children[3].kill()
    assert [is_alive(psutil.Process(child.pid)) for child in children if child is not children[3]] == [True] * 7
    for child in children:
        await child.close()


async def test_leaving_the_block_kills_the_child_even_if_paused(zygote: Zygote) -> None:
    async with zygote.running(f"{HERE}:sleep") as child:
        child.pause()
    assert child.exit_code == -signal.SIGKILL


async def test_a_signal_to_an_ended_child_reaches_nobody(zygote: Zygote) -> None:
    child = await zygote.spawn(f"{HERE}:leave", {"code": 0})
    await child.wait()
    child.send_signal(signal.SIGKILL)
    assert child.exit_code == 0
    await child.close()


async def test_children_die_with_their_zygote() -> None:
    zygote = Zygote([HERE])
    child = await zygote.spawn(f"{HERE}:sleep")
    await child.ready()
    zygote.close()
    assert await child.wait() == -signal.SIGKILL
    await child.close()


def test_a_zygote_that_cannot_import_says_why() -> None:
    with pytest.raises(ChildError, match="No module named 'no_such_module'"):
        Zygote(["no_such_module"])


def test_a_module_that_starts_threads_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open(os.path.join(tmp_path, "restless.py"), "w") as module:
        module.write("import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ChildError, match="2 threads run after the imports"):
        Zygote(["restless"])


RUN_THAT_WAITS = """
import asyncio, sys, time
from tests.support.processes import Zygote
async def main():
    zygote = Zygote()
    child = await zygote.spawn("tests.integration.support.children:sleep")
    await child.ready()
    child.pause()
    sys.stdout.write(f"{zygote.pid} {child.pid}\\n"); sys.stdout.flush()
    time.sleep(60)
asyncio.run(main())
"""


def test_a_killed_run_leaves_no_process() -> None:
    run = subprocess.Popen(
        [sys.executable, "-c", RUN_THAT_WAITS],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert run.stdout is not None
    started = [psutil.Process(int(pid)) for pid in run.stdout.readline().split()]
    assert len(started) == 2
    run.kill()
    run.communicate()
    deadline = time.monotonic() + 10
    while any(map(is_alive, started)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(map(is_alive, started))
