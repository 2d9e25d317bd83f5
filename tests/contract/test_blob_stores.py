"""Every store of bytes keeps uploads and contents alike: a folder, and two S3 servers beside the test (P-34)."""

import asyncio
import hashlib
import os
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from batuta.kernel.errors import StoreUnavailableError
from batuta.server.files.blobs import BlobStore, LocalBlobStore, UploadBusyError, UploadMovedError
from batuta.server.files.s3_blobs import S3BlobStore, S3Bucket
from tests.support.s3 import KEYS, s3_server, signed_s3_server
from tests.support.workplace import free_port

BUCKET = "batuta"
LARGE = bytes(range(256)) * 50_000
"""12.8 MB: three parts of a multipart upload."""


@pytest.fixture(scope="module")
def s3_address() -> Iterator[str]:
    with s3_server(BUCKET) as address:
        yield address


def in_bucket(address: str, folder: Path) -> S3BlobStore:
    keys = dict(zip(("access_key", "secret_key"), KEYS, strict=True))
    bucket = S3Bucket(name=BUCKET, prefix="files", endpoint=address, region="eu-west-1", **keys)
    return S3BlobStore(bucket, folder)


@pytest.fixture(scope="module")
def signed_s3_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with signed_s3_server(BUCKET, tmp_path_factory.mktemp("s3")) as address:
        yield address


@pytest.fixture(params=[None, "s3_address", "signed_s3_address"], ids=["folder", "s3", "s3 with signatures"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> BlobStore:
    if request.param is None:
        return LocalBlobStore(tmp_path)
    return in_bucket(request.getfixturevalue(request.param), tmp_path / "fetched")


async def parts(*given: bytes) -> AsyncIterator[bytes]:
    for each in given:
        yield each


async def broken(*given: bytes) -> AsyncIterator[bytes]:
    for each in given:
        yield each
    raise ConnectionError("the client is gone")


async def kept(blobs: BlobStore, name: str, data: bytes) -> str:
    await blobs.append(name, parts(data), begin=0, limit=len(data))
    return await blobs.finish(name)


async def test_an_upload_goes_on_after_a_break_and_is_kept_by_its_hash(blobs: BlobStore, tmp_path: Path) -> None:
    """Large enough for several parts; what came before the break is not sent again."""
    with pytest.raises(ConnectionError):
        await blobs.append("resumed", broken(LARGE[:7_000_000], LARGE[7_000_000:7_100_000]), begin=0, limit=len(LARGE))
    there = await blobs.offset("resumed")
    assert there == 7_100_000
    rest = parts(LARGE[there:], b"too much")
    assert await blobs.append("resumed", rest, begin=there, limit=len(LARGE)) == len(LARGE)
    digest = await blobs.finish("resumed")
    assert digest == hashlib.sha256(LARGE).hexdigest() == await blobs.finish("resumed")
    path = await blobs.local_path(digest)
    assert path is not None
    assert path.read_bytes() == LARGE
    await blobs.discard("resumed")
    assert await blobs.offset("resumed") == 0
    assert await blobs.local_path(digest) is not None


async def test_an_empty_file_is_a_file(blobs: BlobStore) -> None:
    digest = await kept(blobs, "empty", b"")
    path = await blobs.local_path(digest)
    assert path is not None
    assert path.read_bytes() == b""


async def test_what_is_deleted_is_gone(blobs: BlobStore) -> None:
    digest = await kept(blobs, "gone", b"The heron wades.")
    assert await blobs.local_path(digest) is not None
    await blobs.delete(digest)
    await blobs.delete(digest)
    assert await blobs.local_path(digest) is None


@pytest.mark.parametrize("blobs", [None, "s3_address"], indirect=True, ids=["folder", "s3"])
async def test_of_two_requests_for_the_same_place_one_is_refused(blobs: BlobStore) -> None:
    """Neither mixes its bytes into the other's, where the store honours conditional writes (decision 0115)."""
    begun, is_answered = asyncio.Event(), asyncio.Event()

    async def slow() -> AsyncIterator[bytes]:
        yield b"first "
        begun.set()
        await is_answered.wait()
        yield b"request"

    async def late() -> int:
        await begun.wait()
        try:
            return await blobs.append("both", parts(b"other request"), begin=0, limit=100)
        finally:
            is_answered.set()

    outcomes = await asyncio.gather(blobs.append("both", slow(), begin=0, limit=100), late(), return_exceptions=True)
    assert [type(each) for each in outcomes].count(UploadBusyError) == 1
    assert await blobs.offset("both") == 13


async def test_a_request_that_comes_after_the_rest_of_another_adds_nothing(blobs: BlobStore) -> None:
    """Its client asked where the upload stands while the request before, given up, still had bytes to write."""
    await blobs.append("moved", parts(b"the first part"), begin=0, limit=100)
    with pytest.raises(UploadMovedError):
        await blobs.append("moved", parts(b"first part, and the second"), begin=4, limit=100)
    with pytest.raises(UploadMovedError):
        await blobs.append("moved", parts(b"the first part, again"), begin=0, limit=100)
    assert await blobs.offset("moved") == 14
    await blobs.discard("moved")
    with pytest.raises(UploadMovedError):
        await blobs.append("moved", parts(b"the second part"), begin=14, limit=100)
    assert await blobs.offset("moved") == 0


async def test_bytes_of_a_cancelled_request_are_written_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that ends cancels its requests, also while a part is being written."""
    blobs, data = LocalBlobStore(tmp_path), bytes(range(250)) * 6_000
    writing, may_go_on, write = asyncio.Event(), threading.Event(), os.write
    loop = asyncio.get_running_loop()

    def slow_write(handle: int, view: memoryview) -> int:
        loop.call_soon_threadsafe(writing.set)
        may_go_on.wait(10)
        return write(handle, view)

    monkeypatch.setattr(os, "write", slow_write)
    both = parts(data[:1_100_000], data[1_100_000:])
    request = asyncio.create_task(blobs.append("ended", both, begin=0, limit=len(data)))
    await writing.wait()
    request.cancel()
    loop.call_later(0.05, may_go_on.set)
    with pytest.raises(asyncio.CancelledError):
        await request
    there = await blobs.offset("ended")
    assert there == 1_100_000
    await blobs.append("ended", parts(data[there:]), begin=there, limit=len(data))
    assert await blobs.finish("ended") == hashlib.sha256(data).hexdigest()


async def test_a_name_never_becomes_a_path(blobs: BlobStore) -> None:
    for name in ("../x", "a/b", ""):
        with pytest.raises(ValueError, match="no id"):
            await blobs.offset(name)


async def test_what_another_machine_erased_is_not_read_from_this_one(s3_address: str, tmp_path: Path) -> None:
    """A content that was fetched does not outlive its erasure in the store."""
    here, there = in_bucket(s3_address, tmp_path / "here"), in_bucket(s3_address, tmp_path / "there")
    digest = await kept(here, "shared", b"The osprey lands.")
    assert await here.local_path(digest) is not None
    await there.delete(digest)
    assert await here.local_path(digest) is None
    assert list((tmp_path / "here").iterdir()) == []


async def test_a_fetched_content_is_forgotten_after_a_minute(
    s3_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs = in_bucket(s3_address, tmp_path)
    assert await blobs.local_path(await kept(blobs, "old", b"The wren sings.")) is not None
    monkeypatch.setattr("batuta.server.files.s3_blobs.KEPT_SECONDS", -1.0)
    await blobs.sweep()
    assert list(tmp_path.iterdir()) == []


async def test_a_store_that_cannot_be_reached_is_said_to_be_so(tmp_path: Path) -> None:
    blobs = in_bucket(f"http://127.0.0.1:{free_port()}", tmp_path)
    with pytest.raises(StoreUnavailableError):
        await blobs.offset("any")
