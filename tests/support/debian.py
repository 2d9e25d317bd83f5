"""Fetches programs from Debian's packages without installing them: download, unpack, run from there.

The unpacked tree is kept in `.cache/` of the repository, so that only the first run needs the network.
"""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

CACHE = Path(__file__).parents[2] / ".cache"
_DEBIAN_SOURCES = Path("/etc/apt/sources.list.d/debian.sources")


class PackageDownloadError(RuntimeError):
    """Debian's packages could not be fetched; the message names the command to try by hand."""


@dataclass(frozen=True, kw_only=True)
class Bundle:
    """Some packages unpacked together, and the file by which one sees that they are there."""

    name: str
    packages: tuple[str, ...]
    program: str

    def unpacked(self, cache: Path = CACHE) -> Path:
        """The directory they are unpacked in, fetched first if this is the first time."""
        tree = cache / self.name / "root"
        if not (tree / self.program).exists():
            with _only_one_at_a_time(cache / self.name):
                if not (tree / self.program).exists():
                    self._fetch(cache / self.name, tree)
        return tree

    def _fetch(self, home: Path, tree: Path) -> None:
        packages, unfinished = home / "packages", home / "unfinished"
        for stale in (packages, unfinished, tree):
            shutil.rmtree(stale, ignore_errors=True)
        packages.mkdir(parents=True)
        self._download(packages, private=home / "apt")
        for package in sorted(packages.glob("*.deb")):
            _run(["dpkg", "-x", str(package), str(unfinished)], packages)
        if not (unfinished / self.program).exists():
            raise PackageDownloadError(f"{', '.join(self.packages)} hold no {self.program}: look into {packages}")
        unfinished.rename(tree)

    def _download(self, packages: Path, private: Path) -> None:
        download = ["download", *self.packages]
        try:
            _run(["apt-get", "--quiet", *download], packages)
        except PackageDownloadError:
            # No lists, or lists that name packages since replaced: read new ones, into a place of our own.
            apt = ["apt-get", "--quiet", *_private_state(private)]
            _run([*apt, "update"], packages)
            _run([*apt, *download], packages)


def _private_state(private: Path) -> list[str]:
    """Options by which apt keeps lists and archives where we may write, and reads no source but Debian's."""
    for place in ("state/lists/partial", "cache/archives/partial"):
        (private / place).mkdir(parents=True, exist_ok=True)
    options = [f"Dir::State={private / 'state'}", f"Dir::Cache={private / 'cache'}", "Dir::State::status=/dev/null"]
    options += ["APT::Sandbox::User=", "APT::Update::Error-Mode=any"]
    if _DEBIAN_SOURCES.exists():
        options += [f"Dir::Etc::sourcelist={_DEBIAN_SOURCES}", "Dir::Etc::sourceparts=-"]
    return [word for option in options for word in ("-o", option)]


def _run(command: list[str], directory: Path) -> None:
    try:
        done = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=300, check=False)
    except FileNotFoundError as missing:
        raise PackageDownloadError(f"{command[0]} is not here: tests take Redis from Debian's packages") from missing
    if done.returncode:
        complaint = done.stderr.strip() or done.stdout.strip()
        raise PackageDownloadError(f"try by hand: cd {directory} && {' '.join(command)}\nit said: {complaint}")


@contextmanager
def _only_one_at_a_time(home: Path) -> Iterator[None]:
    home.mkdir(parents=True, exist_ok=True)
    lock = os.open(home / "lock", os.O_CREAT | os.O_RDWR)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
