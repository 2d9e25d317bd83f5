"""The rights of people in the ERP: the roles they hold now, and what the settings give these roles.

rights = ErpRightsSource(database, erp_policy(settings))
rights.of(workspace_id)        the `ErpRights` of a turn, a request, the refresh of a tile
"""

import json
from dataclasses import dataclass

import sqlalchemy as sa

from batuta.agents.erp.rights import ErpPermission, ErpPolicy
from batuta.server.config import Settings
from batuta.server.database.engines import Database
from batuta.server.database.tables import users


def erp_policy(settings: Settings) -> ErpPolicy:
    """The permissions that the settings name."""
    roles = {
        role: ErpPermission(may=frozenset(given.may), companies=given.companies)
        for role, given in settings.erp_roles.items()
    }
    return ErpPolicy(roles=roles, amount_limit=settings.erp_amount_limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceErpRights:
    """The `ErpRights` of a turn: roles are read whenever they are asked for, in the workspace of the turn alone."""

    database: Database
    """One that shows all users: the approver is another user."""
    workspace_id: str
    policy: ErpPolicy

    async def roles_of(self, user_id: str) -> frozenset[str]:
        """The roles of a user who is not disabled."""
        query = sa.select(users.c.roles).where(
            users.c.user_id == user_id, users.c.workspace_id == self.workspace_id, users.c.is_disabled.is_(False)
        )
        stored = await self.database.read(lambda connection: connection.execute(query).scalar())
        return frozenset(json.loads(stored)) if stored else frozenset()


@dataclass(frozen=True, slots=True)
class ErpRightsSource:
    """Makes the rights that hold in a workspace: one source for turns, HTTP, boards and tables."""

    database: Database
    """One that shows all users."""
    policy: ErpPolicy

    def of(self, workspace_id: str) -> WorkspaceErpRights:
        """The rights in a workspace."""
        return WorkspaceErpRights(database=self.database, workspace_id=workspace_id, policy=self.policy)
