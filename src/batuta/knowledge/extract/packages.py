"""Office packages: a ZIP of XML parts, looked at before anything of it is unpacked."""

import io
import posixpath
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from xml.etree import ElementTree as ET

from batuta.knowledge.extract.failures import ExtractionFailedError

MAX_PARTS = 20_000
MAX_PART_BYTES = 150 * 1024 * 1024
MAX_TOTAL_BYTES = 500 * 1024 * 1024
MAX_RATIO = 250
"""Text compresses ten to thirty times; above this, and large, it was made to burst."""
LARGE_BYTES = 20 * 1024 * 1024

_RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"


class Package:
    """The parts of one file."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._parts = {info.filename.replace("\\", "/").lstrip("/"): info for info in archive.infolist()}
        _check(archive.infolist())

    def __contains__(self, name: str) -> bool:
        return name in self._parts

    def elements(self, name: str, *tags: str) -> Iterator[ET.Element]:
        """The elements of a part with these names as they end, each let go of before the next."""
        with self._archive.open(self._parts[name]) as part:
            wanted = frozenset(tags)
            events = ET.iterparse(part, events=("start", "end"))  # noqa: S314 - in a process made to be killed
            _, root = next(events)
            depth = 0
            for event, element in events:
                if local_name(element.tag) not in wanted:
                    continue
                depth += 1 if event == "start" else -1
                if event == "end" and depth == 0:
                    yield element
                    element.clear()
                    root.clear() if root is not element else None

    def relationships(self, name: str) -> dict[str, tuple[str, str]]:
        """Targets of a part by relationship id, each with its type: `slide`, `worksheet` …"""
        folder, base = posixpath.split(name)
        source = f"{folder}/_rels/{base}.rels" if folder else f"_rels/{base}.rels"
        if source not in self._parts:
            return {}
        with self._archive.open(self._parts[source]) as part:
            tree = ET.parse(part)  # noqa: S314
        links = [each for each in tree.iter(_RELATIONSHIP) if each.get("TargetMode") != "External"]
        return {
            each.get("Id", ""): (_resolved(folder, each.get("Target", "")), each.get("Type", "").rpartition("/")[2])
            for each in links
        }


@contextmanager
def opened(data: bytes) -> Iterator[Package]:
    """A package to read. What is wrong with it becomes a failure with a reason."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield Package(archive)
    except (
        zipfile.BadZipFile,
        ET.ParseError,
        KeyError,
        EOFError,
        NotImplementedError,
        StopIteration,
    ) as error:
        raise ExtractionFailedError("broken", str(error)) from error
    except RuntimeError as error:  # zipfile's word for a password
        raise ExtractionFailedError("encrypted", str(error)) from error


def local_name(tag: object) -> str:
    """A tag without its namespace: old and strict packages use different ones."""
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: ET.Element, name: str) -> str:
    """An attribute by its local name."""
    return next((value for key, value in element.attrib.items() if local_name(key) == name), "")


def _resolved(folder: str, target: str) -> str:
    return target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))


def _check(parts: list[zipfile.ZipInfo]) -> None:
    if len(parts) > MAX_PARTS or sum(part.file_size for part in parts) > MAX_TOTAL_BYTES:
        raise ExtractionFailedError("bomb")
    for part in parts:
        is_bomb = part.file_size > LARGE_BYTES and part.file_size > MAX_RATIO * max(1, part.compress_size)
        if part.file_size > MAX_PART_BYTES or is_bomb:
            raise ExtractionFailedError("bomb")
