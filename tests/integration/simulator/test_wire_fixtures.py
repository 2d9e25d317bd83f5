"""The wire fixtures over a real socket: official SDKs receive the recorded ones anew, and take the written ones."""

import json

import pytest

from batuta.events.adapters import adapter_for
from batuta.simulator import Provider
from tests.replay.recorded_wire import exchange, played, scene
from tests.replay.wire_fixtures import RECORDED, WIRE, WRITTEN, chunks_in, streamed, whole
from tests.unit.events.adapters.seen import facts, read_stream, read_whole


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize(("provider", "feature"), RECORDED)
async def test_a_recording_is_what_the_sdk_receives_and_what_it_reads_in_it(
    provider: Provider, feature: str, streaming: bool
) -> None:
    """E-10, E-12: recorded once more, from an official client on a socket; its objects say the same as the bytes."""
    received, understood = await exchange(provider, scene(feature.removeprefix("recorded/")), streaming=streaming)

    assert received == (WIRE / provider / f"{feature}.{'stream.sse' if streaming else 'whole.json'}").read_bytes()
    answer = read_stream(adapter_for(provider), understood) if streaming else read_whole(provider, understood[0])
    assert facts(answer) == facts(read_whole(provider, whole(provider, feature)))


LEFT_OUT_BY_THE_SDK = {
    ("google", "citations"): "content",  # recitations under the name that Vertex AI gives them
    ("google", "refusal"): "stop_explanation",
}
WRITTEN_FOR_ONE_ANSWER = [cell for cell in WRITTEN if cell != ("google", "pause")]
"""Google's SDK asks for the rest of a paused answer by itself."""


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize(("provider", "feature"), WRITTEN_FOR_ONE_ANSWER)
async def test_the_sdk_takes_what_was_written_from_the_specifications(
    provider: Provider, feature: str, streaming: bool
) -> None:
    """The simulator plays it word by word; the SDK accepts it over the socket, and reads the same in it."""
    message, chunks = whole(provider, feature), streamed(provider, feature)

    received, understood = await exchange(provider, played(message, chunks), streaming=streaming)

    if streaming:
        assert chunks_in(received.decode()) == chunks
        assert len(understood) == len([chunk for chunk in chunks if chunk.get("type") != "ping"])
    else:
        assert json.loads(received) == message
        said, written = facts(read_whole(provider, understood[0])), facts(read_whole(provider, message))
        differing = {name for name in said.keys() | written.keys() if said.get(name) != written.get(name)}
        assert differing <= {LEFT_OUT_BY_THE_SDK.get((provider, feature))}
