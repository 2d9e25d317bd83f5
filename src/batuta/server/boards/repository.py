"""Rows of boards and their tiles: plain functions of a connection."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from batuta.server.boards.recipe import TileRecipe
from batuta.server.boards.snapshot import TileSnapshot
from batuta.server.database.tables import board_tiles, boards


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A board without its tiles."""

    board_id: str
    user_id: str
    workspace_id: str
    title: str
    created_at: datetime
    updated_at: datetime
    tile_count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardTile:
    """Something pinned: how it is computed, and what it showed last."""

    tile_id: str
    board_id: str
    position: int
    title: str
    """What its owner called it; empty: as the snapshot is called."""
    recipe: TileRecipe
    snapshot: TileSnapshot
    problem: str | None
    """Why the last refresh failed; the snapshot is the one before it."""
    refreshed_at: datetime


def add_board(connection: sa.Connection, board: Board) -> None:
    """Keep a new board."""
    columns = ("board_id", "user_id", "workspace_id", "title", "created_at", "updated_at")
    connection.execute(sa.insert(boards).values({name: getattr(board, name) for name in columns}))


def boards_of(connection: sa.Connection, user_id: str) -> list[Board]:
    """The boards of a person, the one changed last first."""
    query = _boards().where(boards.c.user_id == user_id).order_by(boards.c.updated_at.desc(), boards.c.board_id)
    return [_board(row) for row in connection.execute(query)]


def one_board(connection: sa.Connection, board_id: str) -> Board | None:
    """A board by its id."""
    row = connection.execute(_boards().where(boards.c.board_id == board_id)).first()
    return None if row is None else _board(row)


def change_board(connection: sa.Connection, board_id: str, *, now: datetime, title: str | None = None) -> None:
    """Rename a board, or note that something on it changed."""
    values: dict[str, Any] = {"updated_at": now} | ({} if title is None else {"title": title})
    connection.execute(sa.update(boards).where(boards.c.board_id == board_id).values(values))


def remove_board(connection: sa.Connection, board_id: str) -> None:
    """Take a board away with its tiles."""
    connection.execute(sa.delete(board_tiles).where(board_tiles.c.board_id == board_id))
    connection.execute(sa.delete(boards).where(boards.c.board_id == board_id))


def erase_of_user(connection: sa.Connection, user_id: str) -> None:
    """Take all boards of a person away."""
    own = sa.select(boards.c.board_id).where(boards.c.user_id == user_id)
    connection.execute(sa.delete(board_tiles).where(board_tiles.c.board_id.in_(own)))
    connection.execute(sa.delete(boards).where(boards.c.user_id == user_id))


def tiles_of(connection: sa.Connection, board_id: str) -> list[BoardTile]:
    """The tiles of a board, in their order."""
    query = sa.select(board_tiles).where(board_tiles.c.board_id == board_id)
    found = connection.execute(query.order_by(board_tiles.c.position, board_tiles.c.tile_id))
    return [_tile(row) for row in found]


def one_tile(connection: sa.Connection, tile_id: str) -> BoardTile | None:
    """A tile by its id."""
    row = connection.execute(sa.select(board_tiles).where(board_tiles.c.tile_id == tile_id)).first()
    return None if row is None else _tile(row)


def add_tile(connection: sa.Connection, tile: BoardTile) -> None:
    """Keep a new tile."""
    connection.execute(
        sa.insert(board_tiles).values(
            tile_id=tile.tile_id,
            board_id=tile.board_id,
            position=tile.position,
            title=tile.title,
            recipe=tile.recipe.model_dump_json(),
            snapshot=tile.snapshot.model_dump_json(),
            problem=tile.problem,
            refreshed_at=tile.refreshed_at,
        )
    )


def change_tile(connection: sa.Connection, tile_id: str, **values: Any) -> None:
    """Change some fields of a tile."""
    connection.execute(sa.update(board_tiles).where(board_tiles.c.tile_id == tile_id).values(values))


def order_tiles(connection: sa.Connection, tile_ids: Sequence[str]) -> None:
    """Number tiles in this order."""
    for position, tile_id in enumerate(tile_ids):
        change_tile(connection, tile_id, position=position)


def remove_tile(connection: sa.Connection, tile_id: str) -> None:
    """Take a tile away."""
    connection.execute(sa.delete(board_tiles).where(board_tiles.c.tile_id == tile_id))


def _boards() -> sa.Select[Any]:
    count = sa.select(sa.func.count()).where(board_tiles.c.board_id == boards.c.board_id).scalar_subquery()
    return sa.select(boards, count.label("tile_count"))


def _board(row: sa.Row[Any]) -> Board:
    return Board(
        board_id=row.board_id,
        user_id=row.user_id,
        workspace_id=row.workspace_id,
        title=row.title,
        created_at=row.created_at,
        updated_at=row.updated_at,
        tile_count=row.tile_count,
    )


def _tile(row: sa.Row[Any]) -> BoardTile:
    return BoardTile(
        tile_id=row.tile_id,
        board_id=row.board_id,
        position=row.position,
        title=row.title,
        recipe=TileRecipe.model_validate_json(row.recipe),
        snapshot=TileSnapshot.model_validate_json(row.snapshot),
        problem=row.problem,
        refreshed_at=row.refreshed_at,
    )
