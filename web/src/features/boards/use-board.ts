/** A board as the server has it. Every change is the server's answer: what is seen is what a reload shows. */

import { useCallback, useEffect, useState } from "react";

import { api } from "../../transport/api";
import type { BoardWithTiles, Tile } from "../../transport/api-types";

export interface BoardActions {
  readonly refresh: (tileId: string) => Promise<Tile>;
  readonly change: (tileId: string, change: { title?: string; position?: number }) => Promise<void>;
  readonly remove: (tileId: string) => Promise<void>;
  readonly rename: (title: string) => Promise<void>;
}

export interface LoadedBoard {
  readonly found: BoardWithTiles | "failed" | null;
  readonly actions: BoardActions;
}

/** Null while it is on its way. */
export const useBoard = (boardId: string): LoadedBoard => {
  const [found, setFound] = useState<LoadedBoard["found"]>(null);
  const load = useCallback(async (): Promise<void> => setFound(await api.board(boardId)), [boardId]);
  useEffect(() => {
    let isGone = false;
    setFound(null);
    api
      .board(boardId)
      .then((board) => !isGone && setFound(board))
      .catch(() => !isGone && setFound("failed"));
    return () => {
      isGone = true;
    };
  }, [boardId]);
  const [actions, setActions] = useState<BoardActions>(() => actionsOf(boardId, load, setFound));
  useEffect(() => setActions(actionsOf(boardId, load, setFound)), [boardId, load]);
  return { found, actions };
};

type SetFound = (change: (before: LoadedBoard["found"]) => LoadedBoard["found"]) => void;

const actionsOf = (boardId: string, load: () => Promise<void>, setFound: SetFound): BoardActions => ({
  refresh: async (tileId) => {
    const tile = await api.refreshTile(boardId, tileId);
    setFound((before) =>
      before === null || before === "failed"
        ? before
        : { ...before, tiles: before.tiles.map((one) => (one.tile_id === tileId ? tile : one)) },
    );
    return tile;
  },
  change: async (tileId, change) => {
    await api.changeTile(boardId, tileId, change);
    await load();
  },
  remove: async (tileId) => {
    await api.removeTile(boardId, tileId);
    await load();
  },
  rename: async (title) => {
    await api.renameBoard(boardId, title);
    await load();
  },
});
