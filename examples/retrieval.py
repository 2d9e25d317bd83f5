"""Several sources at once; what they find is merged, deduplicated and ranked. A source that fails costs only itself."""

import asyncio
from dataclasses import dataclass, field

from batuta import Branch, ParallelStep, Pipeline, Step, step
from batuta.events import AgentPipelineCompleted
from batuta.pipelines.result import StepError
from batuta.testing import CapturingSink


@dataclass(frozen=True)
class Passage:
    document: str
    text: str
    score: float


@dataclass
class Findings:
    by_document: dict[str, Passage] = field(default_factory=dict)
    sources: dict[str, int] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def add(self, passages: list[Passage], weight: float, source: str) -> None:
        """Keep the best of each document. The framework merges one branch at a time, so nothing here needs a lock."""
        self.sources[source] = len(passages)
        for found in passages:
            weighed = Passage(found.document, found.text, found.score * weight)
            known = self.by_document.get(found.document)
            if known is None or weighed.score > known.score:
                self.by_document[found.document] = weighed


@step(timeout=1.0)
async def full_text(query: str) -> list[Passage]:
    return [Passage("contract", "Interest is 8 % a year.", 0.7), Passage("faq", "Pay within 30 days.", 0.6)]


@step(timeout=1.0)
async def vectors(query: str) -> list[Passage]:
    return [Passage("contract", "…8 % a year after 30 days.", 0.9), Passage("memo", "We rarely charge it.", 0.4)]


@step(timeout=0.05)
async def wiki(query: str) -> list[Passage]:
    await asyncio.sleep(10)  # out of order today
    return []


@step
async def rank(findings: Findings) -> list[Passage]:
    return sorted(findings.by_document.values(), key=lambda passage: -passage.score)[:3]


def source(search: Step[str, list[Passage]], weight: float) -> Branch[str, Findings]:
    return Branch(search, merge=lambda findings, passages: findings.add(passages, weight, search.name))


def warn(findings: Findings, errors: list[StepError]) -> None:
    findings.warnings.extend(error.path for error in errors)


async def main() -> None:
    sources = [source(full_text, 0.8), source(vectors, 1.0), source(wiki, 0.5)]
    search = ParallelStep(Findings, sources, name="search", on_failure="collect", on_failures=warn)
    retrieval = Pipeline("retrieval", search >> rank)
    sink = CapturingSink()

    result = await retrieval.run("What interest may we charge?", sink=sink)

    assert [passage.document for passage in result.value] == ["contract", "faq", "memo"]
    assert result.value[0].text == "…8 % a year after 30 days."  # found twice, kept once, the better one
    assert result.metrics.duration_seconds < 5
    [ended] = sink.of(AgentPipelineCompleted)
    assert ended.status == "partial_success"  # and everybody can see that a source was missing

    found = (await search.run("What interest may we charge?")).value
    assert found.sources == {"full_text": 2, "vectors": 2} and found.warnings == ["search/wiki"]


asyncio.run(main())
