"""The wheel works where the repository is not: in a fresh environment, with no extra and with each extra alone (P-1).

`BATUTA_EXTRAS=all` installs every extra; by default those whose users notice a missing dependency first.
"""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UV = Path(sys.executable).with_name("uv")
DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]

PROOFS = {
    "anthropic": "from batuta.llm.factory import model; model('anthropic:claude-sonnet-4-5', api_key='k')",
    "openai": "from batuta.llm.factory import model; model('openai:gpt-5.2', api_key='k')",
    "google": "from batuta.llm.factory import model; model('google:gemini-2.5-flash', api_key='k')",
    "langgraph": "from batuta import Orchestrator",
    "mcp": "import batuta.tools.mcp",
    "tools": "import batuta.tools.builtin.http, batuta.tools.builtin.sql",
    "postgres": "import batuta.eventstore.postgres, batuta.eventstore.migrations",
    "redis": "import batuta.eventstore.redis",
    "otel": "import batuta.observability.spans",
    "prometheus": "import batuta.observability.metrics",
    "logs": "import batuta.observability.logs",
    "simulator": "import batuta.simulator.server",
    "server": "import batuta.server.app, batuta.server.team, batuta.cli.platform",
    "cli": "import batuta.cli.app",
    "vectors": "from batuta.kernel.extras import load_extra; load_extra('numpy', extra='vectors', needed_for='search')",
    "s3": "from batuta.kernel.extras import load_extra; load_extra('obstore', extra='s3', needed_for='files')",
    "ocr": "from batuta.kernel.extras import load_extra; load_extra('tesserocr', extra='ocr', needed_for='scans')",
}
"""What each extra brings: importing or making it fails if a dependency is not declared."""
PARTS_OF_SERVER = ("appointments", "knowledge", "datasets", "charts")
"""What domains of the platform need; the proof of `server` imports them."""
SHORT = ("cli", "server")
CHOSEN = tuple(PROOFS) if os.environ.get("BATUTA_EXTRAS") == "all" else SHORT
CORE = """
import asyncio
from batuta import Pipeline, step

@step
async def double(number: int) -> int:
    return 2 * number

assert asyncio.run(Pipeline("double", double).run(21)).unwrap() == 42
"""


def run(*command: str | Path, cwd: Path, seconds: float = 300) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    outcome = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=seconds
    )
    assert outcome.returncode == 0, outcome.stdout[-2000:] + outcome.stderr[-2000:]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run(UV, "build", "--quiet", "--wheel", "--no-build-isolation", "--python", sys.executable, "-o", folder, cwd=ROOT)
    [built] = folder.glob("batuta_ai-*.whl")
    return built


def fresh_environment(folder: Path, requirement: str) -> Path:
    """The Python of a new environment with one requirement in it."""
    run(UV, "venv", "--quiet", "--python", sys.executable, folder / "venv", cwd=folder)
    python = folder / "venv" / "bin" / "python"
    run(UV, "pip", "install", "--quiet", "--python", python, requirement, cwd=folder)
    return python


@pytest.mark.timeout(400)
def test_the_core_alone_runs_a_pipeline(wheel: Path, tmp_path: Path) -> None:
    python = fresh_environment(tmp_path, str(wheel))
    run(python, "-I", "-c", CORE, cwd=tmp_path)


@pytest.mark.timeout(400)
@pytest.mark.parametrize("extra", CHOSEN)
def test_an_extra_alone_brings_what_it_promises(wheel: Path, tmp_path: Path, extra: str) -> None:
    python = fresh_environment(tmp_path, f"batuta-ai[{extra}] @ {wheel.as_uri()}")
    run(python, "-I", "-c", PROOFS[extra], cwd=tmp_path)


def test_every_extra_has_a_proof_or_is_part_of_another() -> None:
    """A new extra needs a line in `PROOFS`."""
    assert set(PROOFS) <= set(DECLARED)
    assert set(DECLARED) - set(PROOFS) <= {"all", *PARTS_OF_SERVER}
