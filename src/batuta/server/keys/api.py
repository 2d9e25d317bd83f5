"""Listing, making and revoking API keys."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import Request, Response
from pydantic import BaseModel, Field

from batuta.kernel.id_fields import UuidStr
from batuta.server.http.dependencies import CurrentCaller, provided
from batuta.server.http.guard import new_router, origin_of
from batuta.server.keys.repository import Key
from batuta.server.keys.service import ApiKeys
from batuta.server.live.connections import LiveConnections

router = new_router(tags=["keys"])

KeysService = Annotated[ApiKeys, provided(ApiKeys)]

ScopeName = Literal["read", "chat", "approve", "metrics"]


class KeyRequest(BaseModel):
    """A key that is wanted."""

    name: str = Field(min_length=1, max_length=100)
    scopes: Annotated[list[ScopeName], Field(max_length=10)] = []


class KeyView(BaseModel):
    """A key, without its secret."""

    key_id: str
    name: str
    scopes: list[str]
    created_at: datetime
    last_used_at: datetime | None


class NewKeyView(KeyView):
    """A key with its secret, shown this once."""

    secret: str


class KeyList(BaseModel):
    """My keys."""

    items: list[KeyView]


@router.get("/api/keys")
async def list_keys(caller: CurrentCaller, keys: KeysService) -> KeyList:
    """My API keys."""
    return KeyList(items=[KeyView(**_fields(key)) for key in await keys.for_caller(caller)])


@router.post("/api/keys", status_code=201)
async def create(body: KeyRequest, caller: CurrentCaller, request: Request, keys: KeysService) -> NewKeyView:
    """Make an API key."""
    made = await keys.create(caller, body.name, body.scopes, origin=origin_of(request))
    return NewKeyView(**_fields(made.key), secret=made.secret)


@router.delete("/api/keys/{key_id}", status_code=204)
async def revoke(
    key_id: UuidStr,
    caller: CurrentCaller,
    request: Request,
    keys: KeysService,
    connections: Annotated[LiveConnections, provided(LiveConnections)],
) -> Response:
    """Revoke an API key, and end what is connected with it."""
    await keys.revoke(caller, key_id, origin=origin_of(request))
    await connections.revalidate()
    return Response(status_code=204)


def _fields(key: Key) -> dict[str, object]:
    return {
        "key_id": key.key_id,
        "name": key.name,
        "scopes": list(key.scopes),
        "created_at": key.created_at,
        "last_used_at": key.last_used_at,
    }
