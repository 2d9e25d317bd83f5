"""Where the turns of a worker are recorded."""

from collections.abc import Sequence

from batuta.events.envelope import Event
from batuta.events.log import EventLog
from batuta.events.queue import Lease
from batuta.events.sink import Recorder
from batuta.eventstore.journal import DurableJournal
from batuta.eventstore.projectors import Projector
from batuta.eventstore.recorder import TurnRecorder
from batuta.pipelines.journal import Journal


class TurnPersistence:
    """Makes the recorder and the journal of one owner of a turn, on the event log of the platform."""

    def __init__(self, log: EventLog, projector: Projector) -> None:
        self._log = log
        self._projector = projector

    def recorder(self, lease: Lease, history: Sequence[Event]) -> Recorder:
        """The recorder of one owner."""
        return TurnRecorder(
            self._log, str(lease.work.session_id), fence=lease.fence, projector=self._projector, history=history
        )

    def journal(self, lease: Lease, recorder: Recorder, history: Sequence[Event]) -> Journal:
        """The journal of one owner."""
        return DurableJournal(self._log, recorder, lease.work.stamp, events=history)
