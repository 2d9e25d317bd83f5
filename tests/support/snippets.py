"""Runs the Python of a Markdown page as its reader would: block after block, in one program, with `await` at the top.

    python -m tests.support.snippets page.md

Blocks fenced as `python` are run; those fenced as `py` are shown only.
"""

import ast
import asyncio
import inspect
import re
import sys
from pathlib import Path

_BLOCK = re.compile(r"^```python[^\n]*\n(?P<code>.*?)^```", re.MULTILINE | re.DOTALL)


def blocks_of(page: str) -> list[str]:
    """The blocks to run, each pushed down to its line, so that a traceback shows the page."""
    return ["\n" * page.count("\n", 0, found.start("code")) + found["code"] for found in _BLOCK.finditer(page)]


def run(path: Path) -> int:
    """Run a page; how many blocks that were."""
    blocks = blocks_of(path.read_text(encoding="utf-8"))
    names = {"__name__": "__main__", "__file__": str(path)}
    with asyncio.Runner() as runner:
        for block in blocks:
            code = compile(block, str(path), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            awaited = eval(code, names)
            if inspect.iscoroutine(awaited):
                runner.run(awaited)
    return len(blocks)


if __name__ == "__main__":
    sys.stdout.write(f"{run(Path(sys.argv[1]))}\n")
