"""Questions and the documents that answer them, from manuals that Debian ships: held out, nothing is tuned on them.

| set | documents | a question is | its answer |
|---|---|---|---|
| gnome | help pages of the desktop, English and Spanish | the page's description, taken out of the page | the page |
| office | help pages of the office suite, both languages | an entry of the index at the back | the pages it names |
| faq | frequent questions of Debian and Python, English | the question, taken out of the text | its answer |
| cross | the Spanish desktop pages | the English description | the Spanish page |
| paragraphs | paragraphs of a handbook, both languages | a sentence written for one of them | that one |
| letters | sections of the handbook, both languages | a long message that comes round to a question | the section |
| rules | rules of the linter, English, much alike | what the rule checks for, taken out of the text | the rule |

The packages are fetched by name with `apt-get download` and unpacked into a cache; their texts are not part of Batuta.
Questions of paragraphs and letters are ours (`retrieval_questions.toml`), all others stand in the manuals.
"""

import contextlib
import html
import json
import random
import re
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from batuta.knowledge.document import DocumentText
from batuta.knowledge.extract.failures import ExtractionFailedError
from batuta.knowledge.extract.reading import read

PACKAGES = (
    "gnome-user-docs",
    "libreoffice-help-es",
    "libreoffice-help-en-us",
    "debian-faq",
    "python3.11-doc",
    "debian-handbook",
)
LEAST_PARAGRAPH = 120
"""Characters: what is shorter is a caption."""
MAX_QUESTIONS = 400
MAX_CHARS = 400_000
SEED = 19
_MALLARD = "{http://projectmallard.org/1.0/}"
_INDEX_ENTRY = re.compile(r'\{url:"[a-zA-Z-]+/text/([^"?#]+)\.html[^"]*#([^"]*)", app:"[^"]*", text:"([^"]*)"\}')
_TAG = re.compile(r"<[^>]+>")
_NUMBER = re.compile(r"^[\d.\s]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalSet:
    """Documents by id, and questions with the ids of what answers them."""

    documents: dict[str, DocumentText]
    questions: list[tuple[str, frozenset[str]]]


def fetched(cache: Path) -> Path:
    """The unpacked packages; those that are missing are fetched."""
    for package in PACKAGES:
        target = cache / package
        if target.is_dir():
            continue
        cache.mkdir(parents=True, exist_ok=True)
        subprocess.run(["apt-get", "download", package], cwd=cache, check=True, capture_output=True)
        [archive] = cache.glob(f"{package}_*.deb")
        subprocess.run(["dpkg", "-x", archive, target], check=True)
    return cache


def retrieval_sets(root: Path) -> dict[str, Callable[[], RetrievalSet]]:
    """How each set is made, by its name."""
    return {
        "gnome es": lambda: _gnome(root, "es"),
        "gnome en": lambda: _gnome(root, "en"),
        "office es": lambda: _office(root, "es"),
        "office en": lambda: _office(root, "en"),
        "faq en": lambda: _faq(root),
        "cross en→es": lambda: _cross(root),
        "paragraphs es": lambda: _paragraphs(root, "es"),
        "paragraphs en": lambda: _paragraphs(root, "en"),
        "letters es": lambda: _letters(root, "es"),
        "letters en": lambda: _letters(root, "en"),
        "rules en": _rules,
    }


def _cross(root: Path) -> RetrievalSet:
    spanish, english = _gnome(root, "es"), _gnome(root, "en")
    shared = [each for each in english.questions if each[1] <= spanish.documents.keys()]
    return RetrievalSet(documents=spanish.documents, questions=shared)


def _gnome(root: Path, language: str) -> RetrievalSet:
    folder = root / "gnome-user-docs/usr/share/help" / ("C" if language == "en" else language) / "gnome-help"
    documents: dict[str, DocumentText] = {}
    questions = []
    for path in sorted(folder.glob("*.page")):
        page = ET.parse(path).getroot()
        description = page.find(f"{_MALLARD}info/{_MALLARD}desc")
        title = page.find(f"{_MALLARD}title")
        if title is None or description is None:
            continue
        body = "".join(_mallard(page, 1))
        _add(documents, path.stem, body)
        question = _plain("".join(description.itertext()))
        if question and path.stem in documents:
            questions.append((question, frozenset({path.stem})))
    return RetrievalSet(documents=documents, questions=questions)


def _mallard(node: ET.Element, level: int) -> Iterator[str]:
    """A page as HTML: titles as headings, the rest as paragraphs; what is about the page is left out."""
    for child in node:
        tag = child.tag.removeprefix(_MALLARD)
        if tag == "info":
            continue
        if tag == "title":
            yield f"<h{level}>{html.escape(_plain(''.join(child.itertext())))}</h{level}>"
        elif tag == "section":
            yield from _mallard(child, level + 1)
        elif tag in ("p", "item", "td", "code", "screen"):
            yield f"<p>{html.escape(_plain(''.join(child.itertext())))}</p>"
        else:
            yield from _mallard(child, level)


def _office(root: Path, language: str) -> RetrievalSet:
    spelt = "en-US" if language == "en" else language
    package = "libreoffice-help-en-us" if language == "en" else f"libreoffice-help-{language}"
    folder = root / package / "usr/share/libreoffice/help" / spelt
    documents: dict[str, DocumentText] = {}
    for path in sorted((folder / "text").rglob("*.html")):
        page = path.read_text(errors="replace")
        title = re.search(r"<title>(.*?)</title>", page, re.DOTALL)
        start, end = page.find('<div id="DisplayArea"'), page.find('<div id="SearchFrame"')
        if title is not None and start >= 0:
            shown = f"<html><head>{title.group()}</head><body>{page[start:end]}</body></html>"
            key = path.relative_to(folder / "text").with_suffix("").as_posix()
            _add(documents, key, shown)
    entries = defaultdict(set)
    foreign = _entries(root, "en") if language != "en" else {}
    for (page, mark), texts in _entries(root, language).items():
        for text in texts - foreign.get((page, mark), set()):  # what was never translated is no Spanish question
            entries[text].add(page)
    known = [(text, frozenset(pages)) for text, pages in sorted(entries.items()) if pages <= documents.keys()]
    chosen = random.Random(SEED).sample(known, min(MAX_QUESTIONS, len(known)))
    return RetrievalSet(documents=documents, questions=chosen)


def _entries(root: Path, language: str) -> dict[tuple[str, str], set[str]]:
    spelt = "en-US" if language == "en" else language
    package = "libreoffice-help-en-us" if language == "en" else f"libreoffice-help-{language}"
    script = (root / package / "usr/share/libreoffice/help" / spelt / "bookmarks.js").read_text()
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for page, mark, text in _INDEX_ENTRY.findall(script):
        found[page, mark].add(_plain(html.unescape(text).replace("--", " ")))
    return found


def _faq(root: Path) -> RetrievalSet:
    documents: dict[str, DocumentText] = {}
    questions = []
    folders = (
        (root / "debian-faq/usr/share/doc/debian/FAQ", "*.en.html", "h2"),
        (root / "python3.11-doc/usr/share/doc/python3.11/html/faq", "*.html", "h3"),
    )
    for folder, pattern, tag in folders:
        for path in sorted(folder.glob(pattern)):
            page = path.read_text(errors="replace")
            title = re.search(r"<title>(.*?)</title>", page, re.DOTALL)
            subject = _plain(_TAG.sub(" ", title.group(1))) if title else path.stem
            parts = re.split(rf"<{tag}\b[^>]*>(.*?)</{tag}>", page, flags=re.DOTALL)
            for number, (heading, answer) in enumerate(zip(parts[1::2], parts[2::2], strict=True)):
                question = _NUMBER.sub("", _plain(_TAG.sub(" ", html.unescape(heading)))).rstrip(" ¶")
                if "?" not in question:
                    continue
                key = f"{path.stem}-{number}"
                shown = f"<html><head><title>{html.escape(subject)}</title></head><body>{answer}</body></html>"
                _add(documents, key, shown)
                if key in documents:
                    questions.append((question, frozenset({key})))
    return RetrievalSet(documents=documents, questions=questions)


def _handbook(root: Path, language: str) -> list[Path]:
    folder = root / "debian-handbook/usr/share/doc/debian-handbook/html" / ("en-US" if language == "en" else "es-ES")
    return sorted(folder.glob("*.html"))


def _paragraphs(root: Path, language: str) -> RetrievalSet:
    texts: dict[str, str] = {}
    for path in _handbook(root, language):
        for paragraph in re.findall(r'<div class="para">(.*?)</div>', path.read_text(), re.DOTALL):
            text = _plain(html.unescape(_TAG.sub(" ", paragraph)))
            if len(text) >= LEAST_PARAGRAPH:
                texts.setdefault(text, f"{path.stem}-{len(texts)}")
    documents: dict[str, DocumentText] = {}
    for text, key in texts.items():
        _add(documents, key, f"<html><body><p>{html.escape(text)}</p></body></html>")
    questions = [
        (each["question"], frozenset(key for text, key in texts.items() if each["words"] in text))
        for each in _own_questions()["paragraphs"][language]
    ]
    return RetrievalSet(documents=documents, questions=questions)


def _letters(root: Path, language: str) -> RetrievalSet:
    documents: dict[str, DocumentText] = {}
    for path in _handbook(root, language):
        _add(documents, path.stem, path.read_text())
    questions = [(each["question"], frozenset({each["section"]})) for each in _own_questions()["letters"][language]]
    return RetrievalSet(documents=documents, questions=questions)


def _own_questions() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("retrieval_questions.toml").read_text())


def _rules() -> RetrievalSet:
    command = [sys.executable, "-m", "ruff", "rule", "--all", "--output-format", "json"]
    rules = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    documents: dict[str, DocumentText] = {}
    questions = []
    for rule in rules:
        parts = re.split(r"^## (.*)$", rule["explanation"], flags=re.MULTILINE)
        sections = dict(zip(parts[1::2], parts[2::2], strict=True))
        question = _plain(sections.pop("What it does", ""))
        shown = "".join(f"<h2>{head}</h2><p>{html.escape(text)}</p>" for head, text in sections.items())
        title = rule["name"].replace("-", " ")
        _add(documents, rule["name"], f"<html><head><title>{title}</title></head><body>{shown}</body></html>")
        if question and rule["name"] in documents:
            questions.append((question, frozenset({rule["name"]})))
    chosen = random.Random(SEED).sample(questions, min(MAX_QUESTIONS, len(questions)))
    return RetrievalSet(documents=documents, questions=chosen)


def _add(documents: dict[str, DocumentText], key: str, page: str) -> None:
    with contextlib.suppress(ExtractionFailedError):  # a page of pictures alone
        documents[key] = read(page.encode(), "page.html", max_chars=MAX_CHARS)


def _plain(text: str) -> str:
    return " ".join(text.split())
