"""What a visitor on a slow line waits for, against the real server: first paint, the door, and what is sent.

    python -m bench.first_paint            the table
    python -m bench.first_paint --json     one JSON object per line

1.6 Mbit/s, 150 ms there and back, a CPU four times slower, nothing cached; the median of five visits. Needs the built
web application (`make web`) and Chromium. `CHROMIUM` names another browser than /usr/bin/chromium.
"""

import argparse
import asyncio
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from gzip import compress
from pathlib import Path
from statistics import median
from typing import Any

from playwright.async_api import Browser

from bench.measuring import Row
from bench.tables import table
from tests.support.browser import chromium
from tests.support.demo import serving_demo

ROOT = Path(__file__).parents[1]
STATIC = ROOT / "src/batuta/server/static"
VISITS = 5
BITS_PER_SECOND, ROUND_TRIP_MS, CPU_SLOWDOWN = 1_600_000, 150, 4
PAINT_LIMIT_MS, BUNDLE_LIMIT_KB, WHEEL_LIMIT_MB = 1500, 300, 10

_PAINT = """() => new Promise(resolve => {
  const seen = performance.getEntriesByName('first-contentful-paint')[0];
  if (seen) return resolve(seen.startTime);
  new PerformanceObserver(list => {
    const found = list.getEntriesByName('first-contentful-paint')[0];
    if (found) resolve(found.startTime);
  }).observe({ type: 'paint', buffered: true });
})"""


async def visit(browser: Browser, address: str) -> dict[str, float]:
    """One visit by somebody who was never there: when something is seen, when the door is, and what was sent."""
    context = await browser.new_context(viewport={"width": 412, "height": 823})
    page = await context.new_page()
    line = await context.new_cdp_session(page)
    await line.send("Network.enable")
    await line.send(
        "Network.emulateNetworkConditions",
        {
            "offline": False,
            "latency": ROUND_TRIP_MS,
            "downloadThroughput": BITS_PER_SECOND / 8,
            "uploadThroughput": BITS_PER_SECOND / 8,
        },
    )
    await line.send("Emulation.setCPUThrottlingRate", {"rate": CPU_SLOWDOWN})
    sent: list[float] = []
    line.on("Network.loadingFinished", lambda told: sent.append(told["encodedDataLength"]))
    await page.goto(address)
    painted = await page.evaluate(_PAINT)
    await page.get_by_role("button", name="Open the demo").wait_for()
    ready = await page.evaluate("performance.now()")
    await context.close()
    return {"painted": painted, "ready": ready, "kilobytes": sum(sent) / 1024}


async def visits() -> list[dict[str, float]]:
    with tempfile.TemporaryDirectory() as folder:
        async with serving_demo(Path(folder)) as demo, chromium() as browser:
            return [await visit(browser, demo.address) for _ in range(VISITS)]


def bundle_kilobytes() -> float:
    """The scripts and styles that the page names, packed."""
    page = (STATIC / "index.html").read_text("utf-8")
    names = [path.name for path in (STATIC / "assets").iterdir() if path.suffix in (".js", ".css")]
    return sum(len(compress((STATIC / "assets" / name).read_bytes())) for name in names if name in page) / 1024


def wheel_megabytes() -> float:
    """The wheel, with the web application in it."""
    uv = str(Path(sys.executable).with_name("uv"))
    with tempfile.TemporaryDirectory() as folder:
        command = [uv, "build", "--quiet", "--wheel", "--no-build-isolation", "--python", sys.executable, "-o", folder]
        subprocess.run(command, cwd=ROOT, check=True)
        return next(Path(folder).glob("*.whl")).stat().st_size / 1e6


async def rows() -> AsyncIterator[Row]:
    seen = await visits()
    painted = median(each["painted"] for each in seen)
    line = "1.6 Mbit/s, 150 ms, CPU × 4"
    yield _row("first contentful paint", line, painted, "ms", PAINT_LIMIT_MS)
    yield Row(what="door ready to click", subject=line, value=median(each["ready"] for each in seen), unit="ms")
    yield Row(what="sent until then", subject=line, value=median(each["kilobytes"] for each in seen), unit="KB")
    yield _row("main bundle", "gzip", bundle_kilobytes(), "KB", BUNDLE_LIMIT_KB)
    yield _row("wheel", "with the web application", wheel_megabytes(), "MB", WHEEL_LIMIT_MB)


def _row(what: str, subject: str, value: float, unit: str, limit: float) -> Row:
    return Row(what=what, subject=subject, value=value, unit=unit, aim=f"< {limit:g} {unit}", met=value < limit)


async def told() -> list[str]:
    return [row.as_json() async for row in rows()]


def main(arguments: Any = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    lines = asyncio.run(told())
    print("\n".join(lines) if parser.parse_args(arguments).json else table(lines))


if __name__ == "__main__":
    main()
