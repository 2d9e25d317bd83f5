"""Clears up behind a test run that was killed: ends its servers and removes its directory.

    python -I -S janitor.py DIRECTORY UID GID        (the run holds the other end of standard input)

Runs by itself, on the standard library alone. The end of its input means that the run is over, however it ended.
Whatever still works inside DIRECTORY then is killed, frozen processes too, which a death signal to their parent
does not reach. It takes on the servers' identity, as only that may look at them where root lacks the capability.
"""

import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator

ROUNDS, PAUSE_SECONDS = 200, 0.02


def processes_inside(directory: str) -> Iterator[int]:
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            place = os.readlink(f"/proc/{name}/cwd")
        except OSError:
            continue
        if place == directory or place.startswith(directory + os.sep):
            yield int(name)


def kill_everything_inside(directory: str) -> None:
    for _ in range(ROUNDS):
        found = list(processes_inside(directory))
        if not found:
            return
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        time.sleep(PAUSE_SECONDS)


def take_on(uid: int, gid: int) -> None:
    if os.getuid() != uid:
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)


def main(directory: str, uid: int, gid: int) -> None:
    os.chdir("/")
    take_on(uid, gid)
    sys.stdin.buffer.read()
    kill_everything_inside(directory)
    shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
