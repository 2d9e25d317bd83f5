"""An answer as it arrives, over a real socket: the Anthropic client against the simulator, with a hiccup."""

import asyncio

from batuta import AgentStep, Pipeline, Tag
from batuta.events import AssistantMessage, ContentDelta, TagCompleted
from batuta.llm.factory import model
from batuta.simulator import Fault, Simulator
from batuta.testing import CapturingSink

TEXT = "Seven chairs are in stock, and three more arrive on Monday."
FILE = 'Here it is: <file path="stock.csv">sku,units\nA-100,7\n</file> Enjoy.'


async def main() -> None:
    scenario = {"answers": [TEXT, TEXT, FILE], "pace": {"chunk_chars": 8}}
    async with Simulator(scenario) as simulator:
        claude = model("anthropic:claude-sonnet-4-5", api_key="any", base_url=simulator.url)

        def clerk(*, is_streaming: bool) -> Pipeline[str, str]:
            return Pipeline("shop", AgentStep(name="clerk", model=claude, output=str, is_streaming=is_streaming))

        sink = CapturingSink()
        result = await clerk(is_streaming=True).run("How many chairs?", sink=sink)
        deltas = [event.delta for event in sink.of(ContentDelta)]
        assert len(deltas) > 1 and "".join(deltas) == result.value == TEXT
        assert [event.content for event in sink.of(AssistantMessage)] == [TEXT]  # told once more, whole, to be kept

        # Without streaming, and with an overload on the way: the same result. The retry honours `Retry-After`.
        simulator.inject(Fault(kind="rate_limited", retry_after=0.1))
        whole = await clerk(is_streaming=False).run("How many chairs?")
        assert whole.value == result.value and whole.metrics.retries == 1
        assert [exchange.status for exchange in simulator.requests] == [200, 429, 200]

        # Artefacts between tags go to a handler while they stream; they are not part of the answer.
        written: dict[str, str] = {}

        async def write(attributes: dict[str, str], piece: str, *, is_last: bool) -> None:
            written[attributes["path"]] = written.get(attributes["path"], "") + piece

        author = AgentStep(name="author", model=claude, output=str, is_streaming=True, tags=[Tag("file", write)])
        answer = await author.run("As a file, please.", sink=sink)
        assert written == {"stock.csv": "sku,units\nA-100,7\n"}
        assert "sku,units" not in answer.value and "Enjoy." in answer.value
        assert len(sink.of(TagCompleted)) == 1
        simulator.assert_finished()
        await claude.aclose()


asyncio.run(main())
