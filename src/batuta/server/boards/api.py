"""Boards over HTTP: validate, delegate, nothing else."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Self

from fastapi import Depends, Response
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from batuta.kernel.id_fields import UuidStr
from batuta.server.boards.repository import Board, BoardTile
from batuta.server.boards.service import MAX_TILES, Boards
from batuta.server.boards.snapshot import TileSnapshot
from batuta.server.http.dependencies import CurrentCaller, provided
from batuta.server.http.guard import new_router
from batuta.server.problems import ForbiddenProblem
from batuta.server.security.source_rights import SourceRights

router = new_router(tags=["boards"])

BoardsService = Annotated[Boards, provided(Boards)]
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


class BoardTitle(BaseModel):
    """What a board is called."""

    model_config = ConfigDict(extra="forbid")

    title: Title


class TileChange(BaseModel):
    """A new title or place of a tile; one of them at least."""

    model_config = ConfigDict(extra="forbid")

    title: Title | None = None
    position: int | None = Field(default=None, ge=0, lt=MAX_TILES)

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if self.title is None and self.position is None:
            raise ValueError("name a title or a position")
        return self


class BoardView(BaseModel):
    """A board without its tiles."""

    board_id: UuidStr
    title: str
    tile_count: int
    created_at: datetime
    updated_at: datetime


class TileView(BaseModel):
    """Something pinned, as it was computed last."""

    tile_id: UuidStr
    title: str
    shown: TileSnapshot
    problem: str | None
    """Why the last refresh failed; what is shown is older then."""
    refreshed_at: datetime


@dataclass(frozen=True, slots=True)
class TileViews:
    """Tiles as the caller may see them now: without what was read with a right that is gone."""

    caller: CurrentCaller
    rights: Annotated[SourceRights, provided(SourceRights)]

    async def view(self, tile: BoardTile) -> TileView:
        """A tile as it was computed last; one whose sources may not be read shows why instead."""
        shown, problem = tile.snapshot, tile.problem
        try:
            await self.rights.check_sources(self.caller, shown.sources or (shown.provenance,))
        except ForbiddenProblem as refused:
            shown, problem = shown.withheld(), str(refused)
        return TileView(
            tile_id=tile.tile_id,
            title=tile.title or shown.title,
            shown=shown,
            problem=problem,
            refreshed_at=tile.refreshed_at,
        )


ShownTiles = Annotated[TileViews, Depends()]


class BoardWithTiles(BaseModel):
    """A board with its tiles, in their order."""

    board: BoardView
    tiles: list[TileView]


class BoardList(BaseModel):
    """My boards, the one changed last first."""

    items: list[BoardView]


@router.get("/api/boards")
async def list_boards(caller: CurrentCaller, boards: BoardsService) -> BoardList:
    """My boards."""
    return BoardList(items=[_board(one) for one in await boards.of_person(caller)])


@router.post("/api/boards", status_code=201)
async def create_board(body: BoardTitle, caller: CurrentCaller, boards: BoardsService) -> BoardView:
    """A new board."""
    return _board(await boards.create(caller, body.title))


@router.get("/api/boards/{board_id}")
async def read_board(board_id: UuidStr, shown: ShownTiles, boards: BoardsService) -> BoardWithTiles:
    """A board with its tiles."""
    board, tiles = await boards.get(board_id)
    return BoardWithTiles(board=_board(board), tiles=[await shown.view(one) for one in tiles])


@router.patch("/api/boards/{board_id}")
async def rename_board(board_id: UuidStr, body: BoardTitle, boards: BoardsService) -> BoardView:
    """Give a board another title."""
    return _board(await boards.rename(board_id, body.title))


@router.delete("/api/boards/{board_id}", status_code=204)
async def delete_board(board_id: UuidStr, boards: BoardsService) -> Response:
    """Delete a board and its tiles."""
    await boards.delete(board_id)
    return Response(status_code=204)


@router.post("/api/boards/{board_id}/pins/{session_id}/{dataset_id}", status_code=201)
async def pin(
    board_id: UuidStr, session_id: UuidStr, dataset_id: UuidStr, shown: ShownTiles, boards: BoardsService
) -> TileView:
    """Pin a table or the chart of its figures."""
    return await shown.view(await boards.pin(board_id, session_id, dataset_id))


@router.patch("/api/boards/{board_id}/tiles/{tile_id}")
async def change_tile(
    board_id: UuidStr, tile_id: UuidStr, body: TileChange, shown: ShownTiles, boards: BoardsService
) -> TileView:
    """Rename or move a tile."""
    return await shown.view(await boards.change_tile(tile_id, title=body.title, position=body.position))


@router.delete("/api/boards/{board_id}/tiles/{tile_id}", status_code=204)
async def remove_tile(board_id: UuidStr, tile_id: UuidStr, boards: BoardsService) -> Response:
    """Take a tile off its board."""
    await boards.remove_tile(tile_id)
    return Response(status_code=204)


@router.post("/api/boards/{board_id}/tiles/{tile_id}/refresh")
async def refresh_tile(
    board_id: UuidStr, tile_id: UuidStr, caller: CurrentCaller, shown: ShownTiles, boards: BoardsService
) -> TileView:
    """Compute a tile again from its sources."""
    return await shown.view(await boards.refresh(caller, tile_id))


def _board(board: Board) -> BoardView:
    return BoardView(
        board_id=board.board_id,
        title=board.title,
        tile_count=board.tile_count,
        created_at=board.created_at,
        updated_at=board.updated_at,
    )
