"""Servers of the S3 protocol beside a test, from packages."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.support.workplace import free_port

STARTING_SECONDS = 60.0


KEYS = ("test", "testsecret")


@contextmanager
def s3_server(bucket: str) -> Iterator[str]:
    """One that honours conditional writes and checks no signature: its address; the bucket is there."""
    port = free_port()
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with _running(command, lambda: httpx.put(f"http://127.0.0.1:{port}/{bucket}").raise_for_status()):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def signed_s3_server(bucket: str, folder: Path) -> Iterator[str]:
    """One over a folder that checks signatures (`KEYS`) and honours no conditional writes."""
    (folder / bucket).mkdir(parents=True)
    port = free_port()
    program = str(Path(sys.executable).with_name("rclone"))
    address = ["--addr", f"127.0.0.1:{port}", "--auth-key", ",".join(KEYS), "--config", "/dev/null"]
    with _running([program, "serve", "s3", *address, str(folder)], lambda: httpx.get(f"http://127.0.0.1:{port}/")):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def _running(command: Sequence[str], ask: Callable[[], object]) -> Iterator[None]:
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        ends = time.monotonic() + STARTING_SECONDS
        while True:
            try:
                ask()
                break
            except httpx.TransportError:
                assert time.monotonic() < ends, "the S3 server did not start"
                time.sleep(0.1)
        yield
    finally:
        server.kill()
        server.wait()


def keys_of(address: str, bucket: str) -> list[str]:
    """The names of everything in a bucket."""
    listed = httpx.get(f"{address}/{bucket}", params={"list-type": "2"}).raise_for_status().text
    return [each.partition("</Key>")[0] for each in listed.split("<Key>")[1:]]
