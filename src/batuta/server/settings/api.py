"""Reading and changing preferences."""

from fastapi import Request

from batuta.server.http.guard import CurrentCaller, new_router
from batuta.server.security.preferences import Preferences
from batuta.server.settings.service import PreferenceBook, PreferenceChange

router = new_router(tags=["settings"])


@router.get("/api/settings")
async def read(caller: CurrentCaller, request: Request) -> Preferences:
    """My preferences."""
    return await _book(request).of(caller.user_id)


@router.patch("/api/settings")
async def change(body: PreferenceChange, caller: CurrentCaller, request: Request) -> Preferences:
    """Change some of my preferences."""
    return await _book(request).change(caller.user_id, caller.workspace_id, body)


def _book(request: Request) -> PreferenceBook:
    book: PreferenceBook = request.app.state.platform.preferences
    return book
