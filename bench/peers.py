"""The peers' own environments, one for each list of requirements: what one part needs does not undo another's."""

import hashlib
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def peer_python(name: str) -> Path:
    """The interpreter for `requirements-{name}.txt`, made when it is missing or the list has changed."""
    requirements, home = ROOT / "bench" / f"requirements-{name}.txt", ROOT / ".cache" / f"bench-{name}"
    stamp, wanted = home / ".requirements", hashlib.sha256(requirements.read_bytes()).hexdigest()
    python = home / "bin" / "python"
    if not stamp.exists() or stamp.read_text(encoding="ascii") != wanted:
        uv = Path(sys.executable).with_name("uv")
        subprocess.run([uv, "venv", "--quiet", "--clear", "--python", sys.executable, home], check=True)
        subprocess.run([uv, "pip", "sync", "--quiet", "--python", python, requirements], check=True)
        stamp.write_text(wanted, encoding="ascii")
    return python
