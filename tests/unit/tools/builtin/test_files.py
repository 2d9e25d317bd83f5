"""File tools cannot leave their root, whatever path they are given and whatever lies on the disk (F-56, SE-18)."""

import os
import socket
import threading
from pathlib import Path

import pytest

from batuta.kernel.errors import ConfigurationError, ToolFailedError, ToolRefusedError
from batuta.tools import Tool
from batuta.tools.builtin.files import ConfinedFolder, FolderEntry, Match, file_tools

SECRET = "the secret outside"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "secret.txt").write_text(SECRET)
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "key.txt").write_text(SECRET)
    root = tmp_path / "root"
    (root / "notes" / "old").mkdir(parents=True)
    (root / "readme.md").write_text("Hello\nworld\n")
    (root / "notes" / "today.md").write_text("Buy milk\nCall Ada\n")
    (root / "notes" / "old" / "past.txt").write_text("call grace")
    return root


@pytest.fixture
def folder(root: Path) -> ConfinedFolder:
    return ConfinedFolder(root, max_file_bytes=1_000)


OUTSIDE = [
    "../secret.txt",
    "..",
    "notes/../../secret.txt",
    "./../secret.txt",
    "notes/../../root/../secret.txt",
    "/etc/passwd",
    "//etc/passwd",
    "~/.ssh/id_rsa",
    "~root",
    "notes/..",
    "..\\secret.txt",
    "notes\\..\\..\\secret.txt",
    "readme.md\0.txt",
    "read\nme.md",
    "\x1b[2J",
    "C:\\Windows\\win.ini",
    "/proc/self/environ",
    "a/" * 40 + "b",
    "x" * 300,
    "\ud800",
]


@pytest.mark.parametrize("path", OUTSIDE)
def test_a_path_that_leads_outside_is_refused_for_reading(folder: ConfinedFolder, path: str) -> None:
    with pytest.raises(ToolRefusedError):
        folder.text(path)


@pytest.mark.parametrize("path", OUTSIDE)
def test_a_path_that_leads_outside_is_refused_for_writing(folder: ConfinedFolder, tmp_path: Path, path: str) -> None:
    before = sorted(str(found) for found in tmp_path.rglob("*"))

    with pytest.raises(ToolRefusedError):
        folder.write(path, "mine")

    assert sorted(str(found) for found in tmp_path.rglob("*")) == before


@pytest.mark.parametrize("path", ["..", "/", "../private", "~", "notes/../.."])
def test_a_path_that_leads_outside_is_refused_for_listing_and_searching(folder: ConfinedFolder, path: str) -> None:
    with pytest.raises(ToolRefusedError):
        folder.entries(path)
    with pytest.raises(ToolRefusedError):
        folder.search("secret", path)


@pytest.mark.parametrize("target", ["../secret.txt", "/etc/passwd", "readme.md"])
def test_a_link_to_a_file_is_not_followed(folder: ConfinedFolder, root: Path, target: str) -> None:
    (root / "link").symlink_to(target)

    with pytest.raises(ToolRefusedError, match="symbolic link"):
        folder.text("link")
    with pytest.raises(ToolRefusedError):
        folder.write("link", "mine")
    assert (root.parent / "secret.txt").read_text() == SECRET


def test_a_link_to_a_directory_is_not_followed(folder: ConfinedFolder, root: Path) -> None:
    (root / "way").symlink_to("../private")

    for attempt in (
        lambda: folder.text("way/key.txt"),
        lambda: folder.entries("way"),
        lambda: folder.write("way/new.txt", "mine"),
        lambda: folder.search("secret", "way"),
    ):
        with pytest.raises(ToolRefusedError, match="symbolic link"):
            attempt()
    assert not (root.parent / "private" / "new.txt").exists()


def test_a_search_passes_links_by(folder: ConfinedFolder, root: Path) -> None:
    (root / "way").symlink_to("../private")
    (root / "link").symlink_to("../secret.txt")

    assert folder.search("secret") == []


def test_special_files_are_refused_and_do_not_block(folder: ConfinedFolder, root: Path) -> None:
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(root / "socket"))

        for name in ("pipe", "socket"):
            with pytest.raises(ToolRefusedError):
                folder.text(name)
            with pytest.raises(ToolRefusedError):
                folder.write(name, "mine")
    assert folder.search("anything") == []


def test_a_directory_exchanged_for_a_link_while_it_is_used_leads_nowhere(root: Path) -> None:
    """Between a check and a use: whoever swaps names on the disk gets nothing from outside."""
    folder = ConfinedFolder(root)
    (root / "notes" / "key.txt").write_text("inside")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            (root / "notes").rename(root / "aside")
            (root / "notes").symlink_to("../private")
            (root / "notes").unlink()
            (root / "aside").rename(root / "notes")

    swapper = threading.Thread(target=swap)
    swapper.start()
    seen = set()
    try:
        for _ in range(300):
            try:
                seen.add(folder.text("notes/key.txt"))
            except (ToolRefusedError, ToolFailedError):
                continue
    finally:
        stop.set()
        swapper.join()

    assert seen <= {"inside"}


def test_the_root_may_be_reached_through_a_link_its_owner_chose(root: Path) -> None:
    (root.parent / "alias").symlink_to(root)

    assert ConfinedFolder(root.parent / "alias").text("readme.md") == "Hello\nworld\n"


def test_entries_tell_names_kinds_and_sizes(folder: ConfinedFolder, root: Path) -> None:
    (root / "link").symlink_to("readme.md")

    assert folder.entries(".") == [
        FolderEntry("link", "link", 0),
        FolderEntry("notes", "directory", 0),
        FolderEntry("readme.md", "file", 12),
    ]


def test_a_file_is_written_and_read_again(folder: ConfinedFolder, root: Path) -> None:
    assert folder.write("new/deep/file.txt", "ñandú") == 7

    assert folder.text("new/deep/file.txt") == "ñandú"
    assert [path.name for path in (root / "new" / "deep").iterdir()] == ["file.txt"]


def test_writing_replaces_the_whole_file(folder: ConfinedFolder) -> None:
    folder.write("readme.md", "short")

    assert folder.text("readme.md") == "short"


def test_a_file_that_is_too_large_is_neither_read_nor_written(folder: ConfinedFolder, root: Path) -> None:
    (root / "big.txt").write_text("x" * 1_001)

    with pytest.raises(ToolFailedError, match="1001 bytes"):
        folder.text("big.txt")
    with pytest.raises(ToolRefusedError, match="at most 1000 bytes"):
        folder.write("big2.txt", "x" * 1_001)
    assert not (root / "big2.txt").exists()


@pytest.mark.parametrize(
    ("path", "words"),
    [("missing.txt", "No such file"), ("notes", "no ordinary"), (".", "no file"), ("notes/", "no file")],
)
def test_what_cannot_be_read_says_why(folder: ConfinedFolder, path: str, words: str) -> None:
    with pytest.raises((ToolFailedError, ToolRefusedError), match=words):
        folder.text(path)


def test_writing_over_a_directory_or_below_a_file_fails(folder: ConfinedFolder) -> None:
    with pytest.raises(ToolFailedError, match="directory"):
        folder.write("notes", "mine")
    with pytest.raises(ToolFailedError):
        folder.write("readme.md/file.txt", "mine")


def test_a_binary_file_is_no_text(folder: ConfinedFolder, root: Path) -> None:
    (root / "image.png").write_bytes(b"\x89PNG\xff")

    with pytest.raises(ToolFailedError, match="no text"):
        folder.text("image.png")
    assert folder.search("PNG") == []


def test_a_search_finds_lines_below_a_directory(folder: ConfinedFolder) -> None:
    assert folder.search("CALL") == [
        Match("notes/today.md", 2, "Call Ada"),
        Match("notes/old/past.txt", 1, "call grace"),
    ]
    assert folder.search("call", "notes", "*.txt") == [Match("notes/old/past.txt", 1, "call grace")]


def test_a_search_stops_at_its_bound(folder: ConfinedFolder, root: Path) -> None:
    (root / "many.txt").write_text("hit\n" * 200)

    assert len(folder.search("hit")) == 100


def test_no_descriptor_stays_open(folder: ConfinedFolder) -> None:
    before = len(os.listdir("/proc/self/fd"))

    for path in ("readme.md", "missing", "../x", "notes/today.md"):
        try:
            folder.text(path)
        except (ToolFailedError, ToolRefusedError):
            continue
    folder.write("a/b/c.txt", "x")
    folder.search("x")

    assert len(os.listdir("/proc/self/fd")) == before


def by_name(tools: tuple[Tool, ...]) -> dict[str, Tool]:
    return {tool.name: tool for tool in tools}


def test_writing_is_offered_only_where_it_is_allowed(root: Path) -> None:
    assert set(by_name(file_tools(root))) == {"list_files", "read_file", "search_files"}
    assert by_name(file_tools(root, writable=True))["write_file"].policy.effect == "write"


async def test_the_tools_work(root: Path) -> None:
    tools = by_name(file_tools(root, writable=True))

    assert await tools["write_file"].call(path="a.txt", content="abc") == "wrote 3 bytes to a.txt"
    assert await tools["read_file"].call(path="a.txt") == "abc"
    assert FolderEntry("a.txt", "file", 3) in await tools["list_files"].call()
    assert await tools["search_files"].call(text="abc") == [Match("a.txt", 1, "abc")]


def test_a_root_that_is_no_directory_is_refused(root: Path) -> None:
    with pytest.raises(ConfigurationError):
        file_tools(root / "readme.md")
