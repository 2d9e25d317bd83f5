"""Who names a session: a person for good, or a model, once, as long as no person did."""

from batuta.events.conversation import TitleChanged
from batuta.events.log import Appended, EventLog
from batuta.kernel.errors import IdempotencyConflictError
from batuta.kernel.ids import SessionId
from batuta.observability.propagation import arrived_with

MODEL_TITLE_KEY = "title/session_title"
"""The client key of a model's title: the first to take it, person or model, has its title stored."""


async def choose_title(log: EventLog, session_id: str, title: str) -> Appended:
    """Store the name a person chose. A model that is still thinking about one comes too late: its key is taken."""
    chosen = TitleChanged(**arrived_with(), session_id=SessionId(session_id), title=title, is_automatic=False)
    before = (await log.head(session_id)).last_seq
    try:
        appended = await log.append(session_id, [chosen], client_key=MODEL_TITLE_KEY)
    except IdempotencyConflictError:
        return await log.append(session_id, [chosen])
    is_chosen_again = appended.first_seq <= before
    return await log.append(session_id, [chosen]) if is_chosen_again else appended
