"""What is installed and what is shipped: pinned by hash, above the versions with known holes, without a secret."""

import re
import subprocess
import sysconfig
from pathlib import Path

import pytest

from tests.architecture.figures import ROOT

LOCK = ROOT / "requirements" / "dev.txt"
FLOORS = {
    "python-socketio": (5, 16, 2),
    "python-engineio": (4, 13, 2),
    "starlette": (0, 49, 1),
    "redis": (4, 5, 4),
    "mcp": (1, 23),
}
"""Below these there are known holes: attachments and threads without a bound, quadratic ranges, mixed-up answers."""
_PINNED = re.compile(r"^([\w.-]+)(?:\[[\w,-]+\])?==([\w.]+)", re.MULTILINE)

KNOWN_STARTERS = frozenset({"_editable_impl_batuta_ai.pth", "a1_coverage.pth", "distutils-precedence.pth"})
"""Files that Python reads at every start; one more would run in every process."""


def below_the_floor(lock: str) -> list[str]:
    """What a lock would install with a known hole."""
    pinned = dict(_PINNED.findall(lock))
    numbers = {name: tuple(int(part) for part in re.findall(r"\d+", version)) for name, version in pinned.items()}
    return [name for name, floor in FLOORS.items() if name in numbers and numbers[name] < floor]


def unhashed(lock: str) -> list[str]:
    """Requirements that anything could be installed for."""
    blocks = [block for block in re.split(r"\n(?=\S)", lock.strip()) if not block.startswith("#")]
    return [block.splitlines()[0] for block in blocks if "==" not in block or "--hash=sha256:" not in block]


def starters(folder: Path) -> set[str]:
    """What runs at every start of Python and is not known to."""
    found = {path.name for path in folder.glob("*.pth")} - KNOWN_STARTERS
    return found | {path.name for path in folder.glob("*customize.py")}


def test_se33_everything_is_pinned_by_hash_and_above_the_known_holes() -> None:
    """SE-33."""
    lock = LOCK.read_text("utf-8")
    assert unhashed(lock) == []
    assert below_the_floor(lock) == []
    assert starters(Path(sysconfig.get_path("purelib"))) == set()
    assert "--ignore-scripts" in (ROOT / "Makefile").read_text("utf-8")
    assert "--require-hashes" in (ROOT / "Makefile").read_text("utf-8")


@pytest.mark.parametrize(
    "planted",
    ["python-socketio==5.13.0 \\\n    --hash=sha256:00", "starlette==0.40 \\\n    --hash=sha256:00"],
)
def test_se33_a_planted_old_version_is_seen(planted: str) -> None:
    assert below_the_floor(planted)


def test_se33_a_planted_pin_without_a_hash_and_a_planted_starter_are_seen(tmp_path: Path) -> None:
    assert unhashed("aiohttp==3.14.5\n") == ["aiohttp==3.14.5"]
    (tmp_path / "evil.pth").write_text("import os")
    (tmp_path / "sitecustomize.py").touch()
    assert starters(tmp_path) == {"evil.pth", "sitecustomize.py"}


SECRET_SHAPES = {
    "a private key": re.compile(r"-----BEGIN (?:RSA |EC |OPENSSH |)PRIVATE KEY-----\s*[A-Za-z0-9+/]{40}"),
    "a key of AWS": re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    "a token of GitHub": re.compile(r"\bgh[pousr]_[A-Za-z0-9]{36}\b"),
    "a key of OpenAI or Anthropic": re.compile(r"\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{40,}\b"),
    "a key of Google": re.compile(r"\bAIza[0-9A-Za-z_-]{35}\b"),
    "a token of Slack": re.compile(r"\bxox[abprs]-[0-9A-Za-z-]{20,}\b"),
    "a signed token": re.compile(r"\beyJ[A-Za-z0-9_-]{30,}\.eyJ[A-Za-z0-9_-]{30,}\.[A-Za-z0-9_-]{30,}\b"),
}
MADE_UP = ("EXAMPLE", "example", "0000000000", "xxxxxxxx", "abcdefgh", "ABCDEFGH", "1234567890")
"""What invented secrets of tests are made of."""


def secrets_in(text: str) -> list[str]:
    """What looks like a real secret."""
    found = [(name, match.group()) for name, shape in SECRET_SHAPES.items() for match in shape.finditer(text)]
    return [name for name, shown in found if not any(piece in shown for piece in MADE_UP)]


def test_se34_no_secret_is_in_the_repository() -> None:
    """SE-34: in any file that is kept."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    leaks = []
    for name in listed.decode().split("\0"):
        path = ROOT / name
        if name and path.is_file() and path.stat().st_size < 2_000_000:
            leaks += [f"{name}: {kind}" for kind in secrets_in(path.read_text("utf-8", errors="replace"))]
    assert leaks == []


@pytest.mark.parametrize(
    "planted", ["AKIA" + "QWERTYUIOPASDFGH", "ghp_" + "q1w2" * 9, "sk-ant-" + "Zk39" * 12, "AIza" + "Zk39q" * 7]
)
def test_se34_a_planted_secret_is_seen(planted: str) -> None:
    assert secrets_in(f"token = '{planted}'")
