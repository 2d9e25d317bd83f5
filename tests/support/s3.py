"""A server of the S3 protocol beside a test, from a package."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from tests.support.workplace import free_port

STARTING_SECONDS = 60.0


@contextmanager
def s3_server(bucket: str) -> Iterator[str]:
    """Its address; the bucket is there."""
    port = free_port()
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        ends = time.monotonic() + STARTING_SECONDS
        while True:
            try:
                httpx.put(f"{address}/{bucket}").raise_for_status()
                break
            except httpx.TransportError:
                assert time.monotonic() < ends, "the S3 server did not start"
                time.sleep(0.1)
        yield address
    finally:
        server.kill()
        server.wait()


def keys_of(address: str, bucket: str) -> list[str]:
    """The names of everything in a bucket."""
    listed = httpx.get(f"{address}/{bucket}", params={"list-type": "2"}).raise_for_status().text
    return [each.partition("</Key>")[0] for each in listed.split("<Key>")[1:]]
