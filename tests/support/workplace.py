"""Where test servers live: one directory per run, an identity that is not root, and a janitor that outlives us."""

import atexit
import os
import pwd
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.support import janitor


@dataclass(frozen=True, kw_only=True)
class Identity:
    """The user the servers run as. PostgreSQL refuses to run as root, so root lends them another."""

    uid: int
    gid: int

    @classmethod
    def of_servers(cls) -> "Identity":
        if os.getuid() != 0:
            return cls(uid=os.getuid(), gid=os.getgid())
        nobody = pwd.getpwnam("nobody")
        return cls(uid=nobody.pw_uid, gid=nobody.pw_gid)

    @property
    def is_borrowed(self) -> bool:
        return self.uid != os.getuid()


@dataclass(frozen=True, kw_only=True)
class Workplace:
    """A directory for the servers of this process, removed when it ends, in whatever way."""

    root: Path
    identity: Identity

    def directory(self, prefix: str) -> Path:
        path = Path(tempfile.mkdtemp(prefix=f"{prefix}-", dir=self.root))
        self.hand_over(path)
        return path

    def hand_over(self, path: Path) -> None:
        """Give a file, or a directory and all in it, to the identity of the servers."""
        if self.identity.is_borrowed:
            for place in (path, *path.rglob("*")):
                os.chown(place, self.identity.uid, self.identity.gid, follow_symlinks=False)

    def reachable(self, installation: Path, *beside: Path) -> Path:
        """The installation, or a copy of it if the servers' identity cannot get at it (below a private home).

        `beside` are the directories that its programs look for relative to their own place: they keep that place.
        """
        if not self.identity.is_borrowed or _is_open_to_all(installation):
            return installation
        together = Path(os.path.commonpath([installation, *beside]))
        copies = self.root / f"copy-of-{installation.name}"
        for source in (installation, *beside):
            copy = copies / source.relative_to(together) if source != together else copies
            if not copy.exists():
                shutil.copytree(source, copy, symlinks=True)
        return copies / installation.relative_to(together) if installation != together else copies

    def popen(self, command: list[str], *, log: Path, env: dict[str, str] | None = None) -> "subprocess.Popen[bytes]":
        """Start a server that dies with the thread that starts it: start servers from the main one."""
        with log.open("ab") as output:
            return subprocess.Popen(
                [*self._as_servers(), "--pdeathsig", "KILL", *command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=log.parent,
                env={**os.environ, **(env or {})},
                process_group=0,
            )

    def run(self, command: list[str], *, env: dict[str, str] | None = None, timeout: float = 60.0) -> str:
        """Run a tool to its end and give back what it said."""
        done = subprocess.run(
            [*self._as_servers(), *command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            cwd=self.root,
            env={**os.environ, **(env or {})},
            timeout=timeout,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{command[0]} failed with {done.returncode}: {done.stderr.strip() or done.stdout}")
        return done.stdout

    def _as_servers(self) -> list[str]:
        # Not `preexec_fn`: it runs Python between fork and exec, which is unsafe (and warned of) beside threads.
        if not self.identity.is_borrowed:
            return ["setpriv"]
        return ["setpriv", f"--reuid={self.identity.uid}", f"--regid={self.identity.gid}", "--clear-groups"]


@cache
def workplace() -> Workplace:
    """The one of this process, guarded by its janitor from the first use on."""
    identity = Identity.of_servers()
    root = Path(tempfile.mkdtemp(prefix="batuta-tests-")).resolve()
    place = Workplace(root=root, identity=identity)
    place.hand_over(root)
    atexit.register(_dismiss, _start_janitor(place))
    return place


def _start_janitor(place: Workplace) -> "subprocess.Popen[bytes]":
    script = [sys.executable, "-I", "-S", janitor.__file__]
    return subprocess.Popen(
        [*script, str(place.root), str(place.identity.uid), str(place.identity.gid)],
        stdin=subprocess.PIPE,
        start_new_session=True,  # an interrupt typed at the terminal is for the tests, not for whoever clears up
    )


def _dismiss(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdin is not None
    process.stdin.close()
    process.wait(timeout=10)


def free_port() -> int:
    """A loopback port nobody listens on now; another process may still be quicker to take it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _is_open_to_all(path: Path) -> bool:
    return all(place.stat().st_mode & stat.S_IXOTH for place in (path.resolve(), *path.resolve().parents))
