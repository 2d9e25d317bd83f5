"""The conformance suite of the event log: what any backend has to pass. Needs pytest and pytest-asyncio.

class TestMyLog(EventLogContract):
    @pytest.fixture
    async def subject(self) -> AsyncIterator[Subject]:
        yield Subject(log=MyLog(...), another=..., damage=..., alarms=...)
"""

from batuta.testing.eventlog.appending import AppendContract, RefusalContract
from batuta.testing.eventlog.consuming import ConsumerContract, LifeContract
from batuta.testing.eventlog.owning import FenceContract
from batuta.testing.eventlog.reading import ReadContract, TailContract
from batuta.testing.eventlog.repeating import IdempotencyContract
from batuta.testing.eventlog.subject import Subject, everything, is_dense, noted, said, words
from batuta.testing.eventlog.unanswered import LOG_CASES, LostAnswerContract

__all__ = ["LOG_CASES", "EventLogContract", "Subject", "everything", "is_dense", "noted", "said", "words"]


class EventLogContract(
    AppendContract,
    RefusalContract,
    IdempotencyContract,
    LostAnswerContract,
    FenceContract,
    ReadContract,
    TailContract,
    ConsumerContract,
    LifeContract,
):
    """All of it. Subclass it with a fixture `subject`."""
