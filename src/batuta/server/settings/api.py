"""Reading and changing preferences."""

from typing import Annotated

from batuta.server.http.dependencies import CurrentCaller, provided
from batuta.server.http.guard import new_router
from batuta.server.security.preferences import Preferences
from batuta.server.settings.service import PreferenceChange, UserPreferences

router = new_router(tags=["settings"])

PreferencesService = Annotated[UserPreferences, provided(UserPreferences)]


@router.get("/api/settings")
async def read(caller: CurrentCaller, preferences: PreferencesService) -> Preferences:
    """My preferences."""
    return await preferences.get(caller.user_id)


@router.patch("/api/settings")
async def change(body: PreferenceChange, caller: CurrentCaller, preferences: PreferencesService) -> Preferences:
    """Change some of my preferences."""
    return await preferences.change(caller.user_id, caller.workspace_id, body)
