"""Failpoints: off they do nothing, on they do exactly what was asked for, where and when it was."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from batuta.kernel import failpoints
from batuta.kernel.failpoints import Action, FailpointSyntaxError, InjectedFaultError, failpoint

SOURCE = Path(failpoints.__file__).parents[2]
REACH_THREE_TIMES = """
import sys
from batuta.kernel.failpoints import failpoint
for hit in (1, 2, 3):
    sys.stdout.write(f"{hit}\\n"); sys.stdout.flush()
    failpoint("here")
"""


def child_reaching_it_three_times(asked_for: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", REACH_THREE_TIMES],
        env={**os.environ, "PYTHONPATH": str(SOURCE), failpoints.VARIABLE: asked_for},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_failpoint_nobody_asked_for_does_nothing() -> None:
    failpoint("log.append.after_commit")


def test_a_failpoint_does_nothing_while_another_is_armed() -> None:
    with failpoints.active({"there": "raise"}) as hits:
        failpoint("here")
    assert dict(hits) == {"there": 0}


def test_raise_names_the_failpoint() -> None:
    with failpoints.active({"here": "raise"}), pytest.raises(InjectedFaultError, match="'here'") as raised:
        failpoint("here")
    assert raised.value.name == "here"


def test_an_action_with_a_hit_number_fires_on_that_hit_alone() -> None:
    fired = []
    with failpoints.active({"here": "raise@3"}) as hits:
        for hit in range(1, 6):
            try:
                failpoint("here")
            except InjectedFaultError:
                fired.append(hit)
    assert fired == [3]
    assert hits["here"] == 5


def test_hits_are_counted_for_every_armed_failpoint() -> None:
    """A test can tell a fault survived from a place never reached."""
    with failpoints.active({"here": "raise@9", "never": "kill"}) as hits:
        failpoint("here")
        failpoint("here")
    assert dict(hits) == {"here": 2, "never": 0}
    assert len(hits) == 2


def test_leaving_the_block_disarms_even_after_an_error() -> None:
    with pytest.raises(InjectedFaultError), failpoints.active({"here": "raise"}):
        failpoint("here")
    failpoint("here")


def test_an_inner_block_replaces_the_outer_one_until_it_ends() -> None:
    with failpoints.active({"here": "raise"}):
        with failpoints.active({}):
            failpoint("here")
        with pytest.raises(InjectedFaultError):
            failpoint("here")


def test_sleep_holds_the_thread_for_the_seconds_given() -> None:
    started = time.monotonic()
    with failpoints.active({"here": "sleep:0.02"}):
        failpoint("here")
    assert time.monotonic() - started >= 0.02


async def test_sleep_holds_the_event_loop_too() -> None:
    """The point of the fault: nothing else of this process runs meanwhile."""
    ran = asyncio.Event()
    asyncio.get_running_loop().call_soon(ran.set)
    with failpoints.active({"here": "sleep:0.01"}):
        failpoint("here")
    assert not ran.is_set()


def test_kill_from_the_environment_ends_the_process_at_the_hit_given() -> None:
    output, _ = (child := child_reaching_it_three_times("here=kill@2")).communicate(timeout=60)
    assert child.returncode == -signal.SIGKILL
    assert output.split() == ["1", "2"]


def test_pause_freezes_the_process_until_it_is_continued() -> None:
    child = child_reaching_it_three_times("here=pause@1")
    _, status = os.waitpid(child.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    assert psutil.Process(child.pid).status() == psutil.STATUS_STOPPED
    child.send_signal(signal.SIGCONT)
    output, _ = child.communicate(timeout=60)
    assert (child.returncode, output.split()) == (0, ["1", "2", "3"])


def test_an_environment_that_means_nothing_stops_the_program_with_the_reason() -> None:
    _, errors = (child := child_reaching_it_three_times("here=explode")).communicate(timeout=60)
    assert child.returncode == 1
    assert "unknown failpoint action 'explode'" in errors


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("kill", Action("kill")),
        ("raise@2", Action("raise", only_hit=2)),
        ("sleep:0.5", Action("sleep", seconds=0.5)),
        ("sleep:2@7", Action("sleep", seconds=2.0, only_hit=7)),
        ("pause", Action("pause")),
    ],
)
def test_an_action_is_read(text: str, action: Action) -> None:
    assert failpoints.parse_action(text) == action


NO_ACTIONS = ["", "explode", "KILL", "kill:3", "sleep"]
NO_SECONDS = ["sleep:", "sleep:soon", "sleep:-1", "sleep:nan", "sleep:inf", "sleep:1e9"]
NO_HITS = ["kill@", "kill@0", "kill@-1", "kill@two", "kill@1.5", "kill@²"]


@pytest.mark.parametrize("text", [*NO_ACTIONS, *NO_SECONDS, *NO_HITS])
def test_an_action_that_means_nothing_is_refused_with_those_that_do(text: str) -> None:
    with pytest.raises(FailpointSyntaxError, match="write kill, raise, pause or sleep:SECONDS"):
        failpoints.parse_action(text)


def test_a_list_of_failpoints_is_read_with_blanks_and_empty_places() -> None:
    assert failpoints.parse(" a=kill@3 , b.c=sleep:0.5,, ") == {"a": "kill@3", "b.c": "sleep:0.5"}


@pytest.mark.parametrize("text", ["kill", "=kill", "a=kill,b"])
def test_a_part_without_name_or_action_is_refused(text: str) -> None:
    with pytest.raises(FailpointSyntaxError, match="name=action"):
        failpoints.parse(text)


def test_a_failpoint_given_twice_is_refused() -> None:
    with pytest.raises(FailpointSyntaxError, match="'a' is given twice"):
        failpoints.parse("a=kill,a=raise")


def test_a_bad_action_arms_nothing() -> None:
    with pytest.raises(FailpointSyntaxError), failpoints.active({"here": "raise", "there": "explode"}):
        pass
    failpoint("here")


def test_configure_arms_and_an_empty_text_disarms() -> None:
    failpoints.configure("here=raise")
    with pytest.raises(InjectedFaultError):
        failpoint("here")
    failpoints.configure("")
    failpoint("here")
