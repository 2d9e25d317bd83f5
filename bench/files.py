"""How fast a thousand files are read, and what a chat feels of it: `python -m bench.files`.

A platform of one process on a SQLite file, as a small installation runs it. Files of every kind come over HTTP and are
read, cut and indexed as jobs while somebody chats. Who uploads and who chats share the machine, but no process. Without
text recognition.
"""

import argparse
import asyncio
import base64
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import cycle
from random import Random

import aiohttp
import psutil

from bench.load import MODES, Line, Visitor, missed, started
from bench.tables import verdict
from tests.support.fleet import PROCESSES, Fleet
from tests.support.made_files import a_message, a_pdf, a_presentation, a_word_document, a_workbook
from tests.support.processes import Zygote
from tests.support.verifier import percentile

FILES = 1_000
UPLOADS_AT_ONCE = 4
IDLE_TURNS = 30
FILES_PER_SECOND = 20.0
MOST_TIMES_IDLE = 2.0
WORDS = (
    "invoice supplier contract delivery warehouse payment warranty machine order customer price discount month report "
    "factura proveedor contrato entrega almacén pago garantía máquina pedido cliente precio descuento mes informe"
)


def made_files(number: int) -> Iterator[tuple[str, bytes]]:
    """So many files of ten kinds, one to four pages each, no two alike."""
    chance = Random(19)
    kinds = cycle(("pdf", "docx", "xlsx", "pptx", "html", "csv", "eml", "md", "txt", "pdf"))
    for at, kind in zip(range(number), kinds, strict=False):
        yield f"{at}.{kind}", _content(kind, at, chance)


def _content(kind: str, at: int, chance: Random) -> bytes:
    words = WORDS.split()
    paragraphs = [_paragraph(at, chance) for _ in range(chance.randint(4, 16))]
    match kind:
        case "pdf":
            return a_pdf(
                *(
                    [line for text in paragraphs[i : i + 4] for line in _lines(text)]
                    for i in range(0, len(paragraphs), 4)
                )
            )
        case "docx":
            return a_word_document(f"#File {at}", *paragraphs)
        case "xlsx":
            rows = [[f"row {n}", chance.choice(words), float(n * at)] for n in range(60)]
            return a_workbook({"Sales": [["name", "word", "sum"], *rows]})
        case "pptx":
            return a_presentation(*((f"Slide {n}", text) for n, text in enumerate(paragraphs)))
        case "html":
            body = "".join(f"<h2>Part {n}</h2><p>{text}</p>" for n, text in enumerate(paragraphs))
            return f"<html><head><title>File {at}</title></head><body>{body}</body></html>".encode()
        case "csv":
            return "\n".join(
                ["name,word,sum", *(f"row {n},{chance.choice(words)},{n * at}" for n in range(80))]
            ).encode()
        case "eml":
            return a_message("\n\n".join(paragraphs))
        case _:
            return "\n\n".join((f"# File {at}", *paragraphs)).encode()


def _paragraph(at: int, chance: Random) -> str:
    return f"File {at}: " + " ".join(chance.choices(WORDS.split(), k=50)) + f" {chance.randint(1, 10_000)}."


def _lines(text: str) -> list[str]:
    words = text.split()
    return [" ".join(words[at : at + 10]) for at in range(0, len(words), 10)]


async def files(fleet: Fleet, secrets: Sequence[str], number: int) -> list[Line]:
    """Chat alone, then chat while the files come."""
    talker, owner = Visitor(fleet, secrets[0], 0), Visitor(fleet, secrets[1], 1)
    await talker.arrive()
    await talker.ask()
    idle = [(await talker.ask())["first event"] for _ in range(IDLE_TURNS)]
    busy: list[float] = []
    is_read = asyncio.Event()

    async def chat() -> None:
        while not is_read.is_set():
            busy.append((await talker.ask())["first event"])
            await asyncio.sleep(0.2)

    uploading = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.files", "--upload-to", fleet.addresses[0], "--files", str(number)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert uploading.stdin is not None
    assert uploading.stdout is not None
    uploading.stdin.write(f"{secrets[1]}\n".encode())
    await uploading.stdout.readline()  # it has made its files
    processes = [psutil.Process(child.pid) for child in fleet.alive.values()]
    before, before_own = sum(map(_cpu_seconds, processes)), sum(map(_own_cpu_seconds, processes))
    chatting = asyncio.create_task(chat())
    began = time.perf_counter()
    if await uploading.wait():
        raise AssertionError("the files were not uploaded")
    uploaded = time.perf_counter() - began
    refused = await _all_read(owner.http, number)
    seconds = time.perf_counter() - began
    cpu = sum(map(_cpu_seconds, processes)) - before
    own = sum(map(_own_cpu_seconds, processes)) - before_own
    is_read.set()
    await chatting
    await talker.leave()
    await owner.http.close()
    rate, ratio = number / seconds, percentile(busy, 0.5) / percentile(idle, 0.5)
    return [
        Line(f"{number} files of nine kinds, from upload to index", f"{rate:.1f} files/s", f"{seconds:.1f} s",
             aim=f"≥ {FILES_PER_SECOND:g}/s", met=rate >= FILES_PER_SECOND),
        Line("of that until the last was uploaded", f"{uploaded:.1f} s"),
        Line("files that were not read", f"{refused}", aim="0", met=refused == 0),
        Line("CPU per file, platform and extraction", f"{1000 * cpu / number:.1f} ms",
             f"{1000 * own / number:.1f} + {1000 * (cpu - own) / number:.1f}"),
        Line("message to first event, idle", *_figures(idle)),
        Line("message to first event, while files are read", *_figures(busy),
             aim=f"≤ {MOST_TIMES_IDLE:g} × idle", met=ratio <= MOST_TIMES_IDLE),
        Line("turns meanwhile", f"{len(busy)}", f"{ratio:.2f} × idle"),
    ]  # fmt: skip


async def upload_all(address: str, secret: str, number: int) -> None:
    """What the other process does: make the files, say so, and upload some at once."""
    waiting = iter(list(made_files(number)))
    print("made", flush=True)
    async with aiohttp.ClientSession(address, headers={"Authorization": f"Bearer {secret}"}) as http:

        async def upload() -> None:
            for name, data in waiting:
                await _upload(http, name, data)

        await asyncio.gather(*(upload() for _ in range(UPLOADS_AT_ONCE)))


async def _upload(http: aiohttp.ClientSession, name: str, data: bytes) -> None:
    spelt = base64.b64encode(name.encode()).decode()
    headers = {"Upload-Length": str(len(data)), "Upload-Metadata": f"filename {spelt}", "Tus-Resumable": "1.0.0"}
    async with http.post("/api/files", headers=headers, raise_for_status=True) as answer:
        location = answer.headers["location"]
    part = {"Content-Type": "application/offset+octet-stream", "Upload-Offset": "0", "Tus-Resumable": "1.0.0"}
    async with http.patch(location, data=data, headers=part, raise_for_status=True):
        pass


async def _all_read(http: aiohttp.ClientSession, number: int) -> int:
    """Wait until every file was read or refused: how many were refused."""
    while (refused := await _refused(http, number)) is None:
        await asyncio.sleep(1)
    return refused


async def _refused(http: aiohttp.ClientSession, number: int) -> int | None:
    """How many were refused; nothing while one is still open. The newest come first, and are read last."""
    seen = refused = 0
    cursor: str | None = ""
    while cursor is not None:
        async with http.get("/api/files", params={"limit": "100", "cursor": cursor}, raise_for_status=True) as answer:
            page = await answer.json()
        statuses = [file["status"] for file in page["items"]]
        if not {"ready", "failed"}.issuperset(statuses):
            return None
        seen, refused, cursor = seen + len(statuses), refused + statuses.count("failed"), page["next_cursor"]
    return refused if seen == number else None


def _cpu_seconds(process: psutil.Process) -> float:
    """Of a process and of all that it started, the ended ones included."""
    times = process.cpu_times()
    ended = times.children_user + times.children_system
    return _own_cpu_seconds(process) + float(ended) + sum(_cpu_seconds(child) for child in process.children())


def _own_cpu_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _figures(seconds: Sequence[float]) -> tuple[str, str]:
    return tuple(f"p{int(share * 100)} {1000 * percentile(seconds, share):.0f} ms" for share in (0.5, 0.95))  # type: ignore[return-value]


async def measure(zygote: Zygote, mode: str, number: int) -> list[Line]:
    async with started(zygote, mode) as fleet:
        lines = await files(fleet, await fleet.people(2), number)
        print(f"{mode}\n", *lines, "", sep="\n", flush=True)
    return lines


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mode", choices=MODES, action="append")
    parser.add_argument("--files", type=int, default=FILES)
    parser.add_argument("--upload-to", metavar="ADDRESS", help="only upload, with the key that standard input brings")
    wanted = parser.parse_args()
    if wanted.upload_to is not None:
        asyncio.run(upload_all(wanted.upload_to, sys.stdin.readline().strip(), wanted.files))
        return
    zygote = Zygote([PROCESSES, "bench.load_team"])
    try:
        found = [
            line for mode in wanted.mode or ("embedded",) for line in asyncio.run(measure(zygote, mode, wanted.files))
        ]
    finally:
        zygote.close()
    if (broken := missed(found)) is not None:
        print(verdict(broken))


if __name__ == "__main__":
    main()
