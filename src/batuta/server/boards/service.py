"""What a person does with boards: pin, look, refresh, rename, order, take away (W-8, A-21)."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

import sqlalchemy as sa

from batuta.datasets.library import DatasetLibrary
from batuta.datasets.store import DatasetOwner, DatasetStore
from batuta.events.envelope import Event
from batuta.events.log import EventLog
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import BatutaError
from batuta.kernel.ids import new_id
from batuta.server.boards import repository
from batuta.server.boards.recipe import TileRecipe, recipe_of, recorded_calls
from batuta.server.boards.refreshing import TileRefresher, TileViewer
from batuta.server.boards.repository import Board, BoardTile
from batuta.server.boards.snapshot import TileSnapshot, snapshot_of
from batuta.server.database.engines import Database, SystemDatabase
from batuta.server.problems import ConflictProblem, NotFoundProblem, TooLargeProblem
from batuta.server.security.ownership import Caller
from batuta.server.security.preferences import PreferenceReader
from batuta.tools.context import ToolUser

MAX_BOARDS = 50
"""Of one person."""
MAX_TILES = 40
"""Of one board."""
MAX_SNAPSHOT_BYTES = 2 * 1024 * 1024
MAX_PROBLEM_CHARS = 500
PAGE = 1_000

RunServicesOf = Callable[[Caller], Awaitable[Mapping[str, object]]]
"""The services that the domains' tools find in a user's run."""


class Boards:
    """The boards of all users. Whether ids are the caller's was asked before."""

    def __init__(
        self,
        database: Database,
        log: EventLog,
        datasets: DatasetStore,
        preferences: PreferenceReader,
        refresher: TileRefresher,
        *,
        services_of: RunServicesOf | None = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._database = database
        self._system = SystemDatabase(database)
        self._log = log
        self._datasets = datasets
        self._preferences = preferences
        self._refresher = refresher
        self._services_of = services_of
        self._clock = clock

    async def of_person(self, caller: Caller) -> Sequence[Board]:
        """The boards of the caller, the one changed last first."""
        return await self._database.read(lambda connection: repository.boards_of(connection, caller.user_id))

    async def create(self, caller: Caller, title: str) -> Board:
        """A new board."""
        now = self._clock.now()
        board = Board(
            board_id=new_id(),
            user_id=caller.user_id,
            workspace_id=caller.workspace_id,
            title=title,
            created_at=now,
            updated_at=now,
        )

        def write(connection: sa.Connection) -> None:
            if len(repository.boards_of(connection, caller.user_id)) >= MAX_BOARDS:
                raise ConflictProblem(f"You have {MAX_BOARDS} boards. Delete one that you do not need any more.")
            repository.add_board(connection, board)

        await self._system.write(write)
        return board

    async def get(self, board_id: str) -> tuple[Board, Sequence[BoardTile]]:
        """A board with its tiles, as they were computed last."""

        def read(connection: sa.Connection) -> tuple[Board | None, Sequence[BoardTile]]:
            return repository.one_board(connection, board_id), repository.tiles_of(connection, board_id)

        board, tiles = await self._database.read(read)
        if board is None:
            raise NotFoundProblem
        return board, tiles

    async def rename(self, board_id: str, title: str) -> Board:
        """Give a board another title."""
        now = self._clock.now()
        await self._system.write(lambda c: repository.change_board(c, board_id, now=now, title=title))
        return (await self.get(board_id))[0]

    async def delete(self, board_id: str) -> None:
        """Take a board away with its tiles."""
        await self._system.write(lambda connection: repository.remove_board(connection, board_id))

    async def pin(self, board_id: str, session_id: str, dataset_id: str) -> BoardTile:
        """Put a chart, a table or a figure of a conversation on a board, as it is shown there."""
        owner = DatasetOwner(session_id=session_id)
        info = await self._datasets.find(owner, dataset_id)
        if info is None:
            raise NotFoundProblem
        kept = await self._datasets.list(owner)
        recipe = recipe_of(info, kept, recorded_calls(await self._events(session_id)))
        library = DatasetLibrary(store=self._datasets, owner=owner, clock=self._clock)
        snapshot = await snapshot_of(library, recipe.dataset, recipe.chart)
        return await self._add(board_id, recipe, _checked_size(snapshot))

    async def change_tile(self, tile_id: str, *, title: str | None, position: int | None) -> BoardTile:
        """Rename a tile, or move it to another place."""

        def write(connection: sa.Connection) -> BoardTile | None:
            tile = repository.one_tile(connection, tile_id)
            if tile is None:
                return None
            if title is not None:
                repository.change_tile(connection, tile_id, title=title)
            if position is not None:
                ids = [one.tile_id for one in repository.tiles_of(connection, tile.board_id) if one.tile_id != tile_id]
                ids.insert(min(position, len(ids)), tile_id)
                repository.order_tiles(connection, ids)
            repository.change_board(connection, tile.board_id, now=self._clock.now())
            return repository.one_tile(connection, tile_id)

        return _found(await self._system.write(write))

    async def remove_tile(self, tile_id: str) -> None:
        """Take a tile off its board."""
        await self._system.write(lambda connection: repository.remove_tile(connection, tile_id))

    async def refresh(self, caller: Caller, tile_id: str) -> BoardTile:
        """Compute a tile again, with the rights of the caller. One that cannot be computed keeps what it showed."""
        tile = _found(await self._database.read(lambda connection: repository.one_tile(connection, tile_id)))
        preferences = await self._preferences.get(caller.user_id)
        viewer = TileViewer(
            user=ToolUser(id=caller.user_id, roles=caller.roles),
            language=preferences.language,
            timezone=preferences.timezone,
            services={} if self._services_of is None else await self._services_of(caller),
        )
        values: dict[str, object]
        try:
            snapshot = _checked_size(await self._refresher.snapshot(tile.recipe, viewer))
            values = {
                "snapshot": snapshot.model_dump_json(), "problem": None, "refreshed_at": self._clock.now(),
            }  # fmt: skip
        except BatutaError as error:
            values = {"problem": str(error)[:MAX_PROBLEM_CHARS]}

        def write(connection: sa.Connection) -> BoardTile | None:
            repository.change_tile(connection, tile_id, **values)
            return repository.one_tile(connection, tile_id)

        return _found(await self._system.write(write))

    async def _add(self, board_id: str, recipe: TileRecipe, snapshot: TileSnapshot) -> BoardTile:
        now = self._clock.now()

        def write(connection: sa.Connection) -> BoardTile:
            tiles = repository.tiles_of(connection, board_id)
            if len(tiles) >= MAX_TILES:
                raise ConflictProblem(f"This board has {MAX_TILES} tiles. Remove one, or use another board.")
            tile = BoardTile(
                tile_id=new_id(),
                board_id=board_id,
                position=len(tiles),
                title="",
                recipe=recipe,
                snapshot=snapshot,
                problem=None,
                refreshed_at=snapshot.provenance.retrieved_at,
            )
            repository.add_tile(connection, tile)
            repository.change_board(connection, board_id, now=now)
            return tile

        return await self._system.write(write)

    async def _events(self, session_id: str) -> list[Event]:
        found: list[Event] = []
        after = 0
        while True:
            page = await self._log.read(session_id, after=after, limit=PAGE)
            found += page.events
            if page.is_last:
                return found
            after = page.records[-1].seq


def _found(tile: BoardTile | None) -> BoardTile:
    if tile is None:
        raise NotFoundProblem
    return tile


def _checked_size(snapshot: TileSnapshot) -> TileSnapshot:
    if len(snapshot.model_dump_json()) > MAX_SNAPSHOT_BYTES:
        raise TooLargeProblem("This is too much for a tile. Pin a smaller table, or a chart of it.")
    return snapshot
