"""What `pip install` brings: one wheel with the web application in it, packed and small (P-1, W-5)."""

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).parents[2]
PACKED_BYTES = 1024
"""Smaller scripts fit into one packet and are not packed (`web/dev/compress.ts`)."""
LARGEST_BYTES = 10_000_000


def test_the_wheel_contains_the_web_application_and_is_small(tmp_path: Path) -> None:
    uv = str(Path(sys.executable).with_name("uv"))
    command = [
        uv,
        "build",
        "--quiet",
        "--wheel",
        "--no-build-isolation",
        "--python",
        sys.executable,
        "-o",
        str(tmp_path),
    ]
    subprocess.run(command, cwd=ROOT, check=True)
    [wheel] = tmp_path.glob("*.whl")
    archive = ZipFile(wheel)
    names = {name.removeprefix("batuta/server/static/") for name in archive.namelist()}
    page = archive.read("batuta/server/static/index.html").decode()
    scripts = [name for name in names if name.endswith(".js") and name in page]
    assert scripts
    packed = [name for name in scripts if archive.getinfo(f"batuta/server/static/{name}").file_size >= PACKED_BYTES]
    assert packed
    assert {f"{name}{packing}" for name in packed for packing in (".br", ".gz")} <= names
    assert wheel.stat().st_size < LARGEST_BYTES
