"""Notifications between the parts of the platform, in one process or many: hints that may get lost.

    appended   a session's log grew                 -> its followers take or read the new events
    live       a transient event of a running turn  -> its followers show it
    followed   a session has a new follower         -> the worker of its turn publishes the text so far again
    changed    a session's row changed, not its log -> session lists show it
    deleted    a session was deleted                -> its followers end, session lists drop it
    user       something to show a user             -> every socket of that user, in every process
    stop       a turn is to be stopped              -> its worker looks before its next heartbeat
    work       there may be work                    -> an idle worker looks at the queue

The log and the queue hold what counts, and both are also looked at by time. Every append of a process is announced
once, by `announcing_growth`; within the process the notification carries the events, to others only their position.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Literal, NamedTuple, Protocol, get_args

from batuta.events.envelope import Event
from batuta.events.log import EventLog, Grown, Position

log = logging.getLogger("batuta.server")

NotificationKind = Literal["appended", "live", "followed", "changed", "deleted", "user", "stop", "work"]
KINDS: frozenset[str] = frozenset(get_args(NotificationKind))


class Notification(NamedTuple):
    """A hint that something happened."""

    kind: NotificationKind
    subject: str = ""
    """The id of the session, turn or user it is about."""
    position: Position | None = None
    """`appended`: how far the log goes now, where that is known."""
    event: Event | None = None
    """`live`: the event."""
    name: str = ""
    content: Mapping[str, Any] | None = None
    """`user`: the name of the socket event and what it says."""
    grown: Grown | None = None
    """`appended`: what this process stored. It never leaves the process."""


NotificationHandler = Callable[[Notification], None]
NotificationHandlers = Mapping[NotificationKind, NotificationHandler]


class NotificationBus(Protocol):
    """Passes notifications on, at once and without waiting."""

    def publish(self, notification: Notification) -> None:
        """Notify all subscribers, in this process and in others."""
        ...

    def subscribed(self, handlers: NotificationHandlers) -> AbstractContextManager[None]:
        """Call these handlers within the block. A handler is quick and raises nothing."""
        ...


class LocalNotificationBus:
    """A `NotificationBus` within this process."""

    def __init__(self) -> None:
        self._handlers: defaultdict[NotificationKind, tuple[NotificationHandler, ...]] = defaultdict(tuple)

    def publish(self, notification: Notification) -> None:
        """See `NotificationBus.publish`."""
        for handler in self._handlers[notification.kind]:
            try:
                handler(notification)
            except Exception:
                log.exception("a handler failed on a notification of kind %s", notification.kind)

    @contextmanager
    def subscribed(self, handlers: NotificationHandlers) -> Iterator[None]:
        """See `NotificationBus.subscribed`."""
        for kind, handler in handlers.items():
            self._handlers[kind] += (handler,)
        try:
            yield
        finally:
            for kind, handler in handlers.items():
                self._handlers[kind] = tuple(each for each in self._handlers[kind] if each != handler)


@contextmanager
def announcing_growth(event_log: EventLog, bus: NotificationBus) -> Iterator[None]:
    """Publish one notification for each append of this process, within the block."""

    def announce(grown: Grown) -> None:
        position = None if grown.appended is None else grown.appended.position
        bus.publish(Notification("appended", grown.session_id, position=position, grown=grown))

    with event_log.listening(announce):
        yield
