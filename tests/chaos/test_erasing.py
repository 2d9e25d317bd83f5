"""An erasure that is killed again and again, and is finished by asking again (CR-17, IS-11)."""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from tests.support.platform import running, settings_for
from tests.support.processes import Zygote

pytestmark = pytest.mark.chaos

CANARY, KEPT = "canary-e0a7", "kept-51c9"


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    zygote = Zygote(["tests.chaos.erasing"])
    yield zygote
    zygote.close()


def holding(folder: Path, text: str) -> list[str]:
    """The files below a folder in which a text can be read."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [str(path.relative_to(folder)) for path in files if text.encode() in path.read_bytes()]


async def test_cr17_an_erasure_killed_at_any_point_is_finished_by_asking_again(
    zygote: Zygote, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """CR-17: then nothing of the person can be read in any file, and everything of others."""
    settings, rng = {"data_dir": str(tmp_path)}, Random(17)
    async with running(settings_for(tmp_path)) as site:
        gone, other = await site.person("gone@example.com"), await site.person("other@example.com")
        for number in range(6):
            await gone.ask(await gone.session(), f"{CANARY} {number}")
            await gone.file(f"notes-{number}.txt", f"{CANARY} in a file {number}".encode())
        await other.ask(await other.session(), KEPT)
        user_id = gone.user_id
    assert holding(tmp_path, CANARY)
    kills, is_done = 0, False
    for attempt in range(12):
        async with zygote.running("tests.chaos.erasing:erase", {"settings": settings, "user_id": user_id}) as child:
            await child.kill_within(rng, 0.0, 0.005 * attempt)  # the first one at once, however fast the machine is
            is_done = any("done" in message for message in child.messages)
            kills += not is_done
        if is_done:
            break
    async with zygote.running("tests.chaos.erasing:erase", {"settings": settings, "user_id": user_id}) as child:
        await child.message("done")
        await child.expect_exit(0)
    assert holding(tmp_path, CANARY) == []
    assert holding(tmp_path, KEPT)
    assert kills > 0
    record_property("figure", f"{kills} kills, 0 files with a word of the person")
