"""The pages that walk through the code name things that are there."""

import importlib
import re
from pathlib import Path

import pytest

from tools.guide_pictures import APPEND, JOURNEY

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "guide"
NAME = re.compile(r"`(batuta(?:\.\w+)+)`")
FILE = re.compile(r"`((?:src|web|docs|tests|tools)/[\w./-]+)`")
PAGES = [GUIDE / f"{name}.md" for name in ("journey", "append", "domains", "glossary")]


def resolved(name: str) -> object:
    """What a dotted name stands for: a module, or something in one."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[end:]:
            found = getattr(found, attribute)
        return found
    raise LookupError(name)


@pytest.mark.parametrize("name", sorted({step.name for step in (*JOURNEY, *APPEND)}))
def test_what_a_picture_names_is_there(name: str) -> None:
    assert (ROOT / name).is_file() if "/" in name else resolved(name) is not None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_names_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    names = NAME.findall(text)
    assert names, "a page that walks through the code names some of it"
    for name in names:
        assert resolved(name) is not None
    for file in FILE.findall(text):
        assert (ROOT / file).exists(), file


def test_a_name_that_is_gone_is_noticed() -> None:
    with pytest.raises(AttributeError):
        resolved("batuta.server.live.feed.Hub")
