"""Webhooks: subscriptions with their handshake, and notifications some time after the first change.

    notifier = Notifier(store, sender=…, clock=…)
    notifier.note(touched)        # after every write that was kept
    notifier.deliver_due()        # now and then: sends what is due

As in the cloud: the address has to answer the validation token with itself; a subscription lives three days and is
renewed by PATCH; changes are collected for a while and then sent together; over a thousand changes become one
`collection`; an answer that is neither success nor a passing failure ends the subscription.
"""

import json
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final, TypeAlias
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from batuta.sandbox.behaviour import Behaviour
from batuta.sandbox.changes import TouchedRow
from batuta.sandbox.errors import ApplicationError, BadRequestError
from batuta.sandbox.records import Records, SandboxStore
from batuta.sandbox.schema import EntitySet
from batuta.sandbox.values import Row, time_text

MOST_SUBSCRIPTIONS: Final = 200
MOST_CHANGES: Final = 1_000
LONGEST_STATE: Final = 2_048
LIFETIME: Final = timedelta(days=3)
RETRIED_FOR: Final = timedelta(hours=36)
LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
_PASSING: Final = frozenset({0, 408, 429})
_KINDS: Final = {"INSERT": "created", "UPDATE": "updated", "DELETE": "deleted"}

Sender: TypeAlias = Callable[[str, bytes], tuple[int, bytes]]
"""Posts a body to an address; the status (0: not reached) and the body of the answer."""


@dataclass(frozen=True, kw_only=True)
class WebhookSettings:
    delay: timedelta = timedelta(seconds=30)
    hosts: frozenset[str] = LOOPBACK
    """Where notifications may go. Only this machine, unless more is named."""


@dataclass(kw_only=True)
class _Pending:
    due: float
    give_up: float
    since: str
    """When the first of the changes happened."""
    attempts: int = 0
    changes: dict[str, str] = field(default_factory=dict)
    """Address of the record → kind of the change."""


class Notifier:
    """Keeps subscriptions honest and sends their notifications."""

    def __init__(
        self, store: SandboxStore, settings: WebhookSettings, *, sender: Sender, clock: Callable[[], float]
    ) -> None:
        self._store = store
        self._settings = settings
        self._sender = sender
        self._clock = clock
        self._pending: dict[str, _Pending] = {}

    def register(self, behaviour: Behaviour) -> None:
        """Plug the rules of subscriptions into a behaviour."""
        behaviour.on_insert("subscriptions")(self._subscribed)
        behaviour.on_update("subscriptions")(self._renewed)

    def has_subscriptions(self) -> bool:
        return bool(self._store.connection.execute("SELECT 1 FROM subscriptions LIMIT 1").fetchone())

    def note(self, touched: Iterable[TouchedRow]) -> None:
        """Remember changes for the subscriptions that want them."""
        wanted = self._wanted()
        for row in touched:
            for subscription in wanted.get(_resource_of(row), ()):
                self._remember(subscription, row)

    def deliver_due(self) -> int:
        """Send the notifications whose time has come; how many were sent. The store is free while one is under way."""
        with self._store.lock:
            now = self._clock()
            due = {name: self._pending.pop(name) for name in [*self._pending] if self._pending[name].due <= now}
        for name, pending in due.items():
            with self._store.lock:
                subscription = self._store.records("").get("subscriptions", name)
            if subscription is None or not pending.changes:
                continue
            body = json.dumps({"value": self._notifications(subscription, pending)}).encode()
            status, _ = self._sender(str(subscription["notificationUrl"]), body)
            with self._store.lock:
                self._settle(name, pending, status)
        return len(due)

    def _subscribed(self, records: Records, values: Row) -> Row:
        if len(records.find("subscriptions")) >= MOST_SUBSCRIPTIONS:
            raise ApplicationError(f"There are {MOST_SUBSCRIPTIONS} subscriptions already.")
        url, resource = str(values.get("notificationUrl", "")), str(values.get("resource", ""))
        if len(str(values.get("clientState", ""))) > LONGEST_STATE:
            raise BadRequestError(f"'clientState' has at most {LONGEST_STATE} characters.")
        self._resource(resource)
        self._shake_hands(url)
        return {
            **values,
            "subscriptionId": secrets.token_hex(16),
            "resource": _normal(resource),
            "expirationDateTime": self._store.now() + LIFETIME,
        }

    def _renewed(self, _: Records, row: Row, changes: Row) -> Row:
        self._shake_hands(str(changes.get("notificationUrl", row["notificationUrl"])))
        if "resource" in changes:
            self._resource(str(changes["resource"]))
        return {**changes, "expirationDateTime": self._store.now() + LIFETIME}

    def _resource(self, text: str) -> EntitySet:
        name = _normal(text).rpartition("/")[2]
        entity = self._store.schema.sets.get(name)
        if entity is None or not entity.has_webhooks or not _normal(text).startswith("companies("):
            raise ApplicationError(f"'{text[:100]}' does not support webhooks.")
        return entity

    def _shake_hands(self, url: str) -> None:
        """Ask the address to repeat a token: only who wants notifications gets them. A rehearsal calls no one."""
        try:
            parts = urlsplit(url)
            is_allowed = parts.scheme in ("http", "https") and (parts.hostname or "") in self._settings.hosts
        except ValueError:
            parts, is_allowed = urlsplit(""), False
        if not is_allowed:
            hosts = ", ".join(sorted(self._settings.hosts))
            raise BadRequestError(f"Notifications go to these hosts only: {hosts}.")
        if self._store.is_rehearsing:
            return
        token = secrets.token_urlsafe(24)
        mark = "&" if parts.query else "?"
        status, body = self._sender(f"{url}{mark}validationToken={quote(token)}", b"")
        if status != 200 or body.decode("utf-8", "replace").strip() != token:
            raise BadRequestError("The notification URL did not answer with the validation token.")

    def _wanted(self) -> dict[tuple[str, str], list[Row]]:
        """The live subscriptions by the company and set they name."""
        wanted: dict[tuple[str, str], list[Row]] = {}
        now = self._store.now()
        for row in self._store.records("").find("subscriptions"):
            expires = row["expirationDateTime"]
            company, _, name = str(row["resource"]).removeprefix("companies(").partition(")/")
            if not isinstance(expires, type(now)) or expires > now:
                wanted.setdefault((company.lower(), name), []).append(row)
        return wanted

    def _remember(self, subscription: Row, row: TouchedRow) -> None:
        now = self._clock()
        name = str(subscription["subscriptionId"])
        pending = self._pending.setdefault(
            name,
            _Pending(
                due=now + self._settings.delay.total_seconds(),
                give_up=now + RETRIED_FOR.total_seconds(),
                since=time_text(self._store.now()),
            ),
        )
        place = f"api/v2.0/{subscription['resource']}({row.key[-1]})"
        before = pending.changes.get(place)
        kind = _KINDS[row.events[-1]] if row.events[0] != "INSERT" or row.events[-1] == "DELETE" else "created"
        if before == "created" and kind == "deleted":
            del pending.changes[place]
        elif before != "created":
            pending.changes[place] = kind

    def _settle(self, name: str, pending: _Pending, status: int) -> None:
        """After success nothing is left to do; a passing failure is tried again, any other ends the subscription."""
        if 200 <= status < 300:
            return
        if (status in _PASSING or status >= 500) and self._clock() < pending.give_up:
            pending.attempts += 1
            pending.due = self._clock() + min(30.0 * 2**pending.attempts, 3600.0)
            later = self._pending.get(name)
            if later is not None:
                pending.changes.update(later.changes)
            self._pending[name] = pending
            return
        with self._store.transaction():
            self._store.records("").delete("subscriptions", name)

    def _notifications(self, subscription: Row, pending: _Pending) -> list[dict[str, Any]]:
        now = time_text(self._store.now())
        shared = {
            "subscriptionId": subscription["subscriptionId"],
            "clientState": subscription["clientState"],
            "expirationDateTime": time_text(subscription["expirationDateTime"]),  # type: ignore[arg-type]
        }
        if len(pending.changes) > MOST_CHANGES:
            place = f"api/v2.0/{subscription['resource']}?$filter=lastModifiedDateTime%20ge%20{pending.since}"
            return [{**shared, "resource": place, "changeType": "collection", "lastModifiedDateTime": now}]
        return [
            {**shared, "resource": place, "changeType": kind, "lastModifiedDateTime": now}
            for place, kind in pending.changes.items()
        ]


def post_over_http(url: str, body: bytes) -> tuple[int, bytes]:
    """Send with the standard library: five seconds, no redirects, a bounded answer."""
    request = Request(url, data=body, headers={"Content-Type": "application/json"}, method="POST")  # noqa: S310 - checked
    try:
        with build_opener(_NoRedirects).open(request, timeout=5) as answer:
            return answer.status, answer.read(10_000)
    except HTTPError as error:
        return error.code, b""
    except (URLError, OSError, ValueError):
        return 0, b""


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _normal(resource: str) -> str:
    """`companies(…)/customers`, however the address was written."""
    text = urlsplit(resource).path if "://" in resource else resource
    place = text.find("companies(")
    return text[place:].strip("/") if place >= 0 else text.strip("/")


def _resource_of(row: TouchedRow) -> tuple[str, str]:
    return str(row.key[0]).lower(), row.table
