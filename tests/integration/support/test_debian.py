"""Programs from Debian's packages, unpacked into the cache of the repository, with a stand-in for apt-get."""

import os
import subprocess
import threading
from pathlib import Path

import pytest

from tests.support.debian import Bundle, PackageDownloadError
from tests.support.servers import REDIS

TOOL = Bundle(name="tool", packages=("tool",), program="usr/bin/tool")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A real Debian package holding usr/bin/tool."""
    tree = tmp_path / "tree"
    (tree / "usr/bin").mkdir(parents=True)
    (tree / "usr/bin/tool").write_text("#!/bin/sh\n")
    (tree / "DEBIAN").mkdir()
    (tree / "DEBIAN/control").write_text(
        "Package: tool\nVersion: 1\nArchitecture: all\nMaintainer: nobody <nobody@example.org>\nDescription: a tool\n"
    )
    subprocess.run(["dpkg-deb", "--build", str(tree), str(tmp_path / "tool.deb")], check=True, capture_output=True)
    return tmp_path / "tool.deb"


def pretend_apt(monkeypatch: pytest.MonkeyPatch, directory: Path, script: str) -> Path:
    """Put a program named apt-get first in the path; it notes its arguments before it does as the script says."""
    programs, calls = directory / "programs", directory / "calls"
    programs.mkdir()
    (programs / "apt-get").write_text(f'#!/bin/sh\necho "$@" >> {calls}\n{script}\n')
    (programs / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    return calls


def test_packages_are_fetched_once(tmp_path: Path, package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = pretend_apt(monkeypatch, tmp_path, f"cp {package} .")
    first = TOOL.unpacked(tmp_path / "cache")
    assert (first / "usr/bin/tool").is_file()
    assert TOOL.unpacked(tmp_path / "cache") == first
    assert calls.read_text().splitlines() == ["--quiet download tool"]


def test_stale_lists_are_renewed_in_a_place_of_our_own(
    tmp_path: Path, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root or not, the lists of the machine stay as they are."""
    private = tmp_path / "cache/tool/apt"
    calls = pretend_apt(monkeypatch, tmp_path, f'case "$*" in *Dir::State*) cp {package} . ;; *) exit 100 ;; esac')
    assert (TOOL.unpacked(tmp_path / "cache") / "usr/bin/tool").is_file()
    _, update, download = calls.read_text().splitlines()
    assert f"Dir::State={private}/state" in update
    assert update.endswith(" update")
    assert f"Dir::State={private}/state" in download


def test_a_failed_download_names_the_command_and_what_it_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_apt(monkeypatch, tmp_path, "echo 'no such host' >&2; exit 100")
    with pytest.raises(PackageDownloadError, match=r"apt-get --quiet .* update\nit said: no such host"):
        TOOL.unpacked(tmp_path / "cache")


def test_a_package_without_the_program_is_not_taken_for_it(
    tmp_path: Path, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend_apt(monkeypatch, tmp_path, f"cp {package} .")
    with pytest.raises(PackageDownloadError, match="hold no usr/bin/other"):
        Bundle(name="other", packages=("tool",), program="usr/bin/other").unpacked(tmp_path / "cache")


def test_a_machine_without_apt_is_told_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PackageDownloadError, match="apt-get is not here"):
        TOOL.unpacked(tmp_path / "cache")


def test_several_test_processes_fetch_it_only_once(
    tmp_path: Path, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = pretend_apt(monkeypatch, tmp_path, f"sleep 0.1; cp {package} .")
    threads = [threading.Thread(target=TOOL.unpacked, args=(tmp_path / "cache",)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls.read_text().splitlines()) == 1


def test_redis_is_in_the_cache_of_the_repository() -> None:
    assert (REDIS.unpacked() / REDIS.program).exists()
