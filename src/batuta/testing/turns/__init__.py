"""The conformance suite of the turn queue: what any backend has to pass. Needs pytest and pytest-asyncio.

class TestMyQueue(TurnQueueContract):
    @pytest.fixture
    async def subject(self) -> AsyncIterator[QueueSubject]: ...
"""

from batuta.testing.turns.accepting import AcceptContract, LeaseContract
from batuta.testing.turns.ending import EndContract
from batuta.testing.turns.giving_up import GivingUpContract
from batuta.testing.turns.owning import OwnershipContract
from batuta.testing.turns.stopping import StopContract
from batuta.testing.turns.subject import QueueSubject, leased, turn
from batuta.testing.turns.unanswered import QUEUE_CASES, LostWorkAnswerContract

__all__ = ["QUEUE_CASES", "QueueSubject", "TurnQueueContract", "leased", "turn"]


class TurnQueueContract(
    AcceptContract,
    LeaseContract,
    OwnershipContract,
    EndContract,
    GivingUpContract,
    StopContract,
    LostWorkAnswerContract,
):
    """All of it. Subclass it with a fixture `subject`."""
