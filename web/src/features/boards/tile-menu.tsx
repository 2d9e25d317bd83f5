/** What can be done with a tile besides refreshing it. */

import { ArrowDown, ArrowUp, EllipsisVertical, PencilLine, Trash2 } from "lucide-react";

import { Button } from "../../components/button";
import { Menu, MenuItem, MenuSeparator } from "../../components/menu";
import { toast } from "../../components/toaster";
import { useText } from "../../lib/i18n";
import type { Tile } from "../../transport/api-types";
import { asProblem } from "../../transport/problem";
import type { BoardActions } from "./use-board";

export interface TileMenuProps {
  readonly tile: Tile;
  readonly position: number;
  readonly isLast: boolean;
  readonly actions: BoardActions;
  readonly onRename: () => void;
}

export const TileMenu = ({ tile, position, isLast, actions, onRename }: TileMenuProps) => {
  const t = useText();
  const act = (work: Promise<unknown>): void =>
    void work.catch((error: unknown) => toast(asProblem(error).detail, "danger"));
  return (
    <Menu
      label={t.boards.actions(tile.title)}
      trigger={
        <Button size="small" look="quiet" aria-label={t.boards.actions(tile.title)} className="px-2">
          <EllipsisVertical className="size-3.5" />
        </Button>
      }
    >
      {position > 0 && (
        <MenuItem
          icon={<ArrowUp className="size-4" />}
          onSelect={() => act(actions.change(tile.tile_id, { position: position - 1 }))}
        >
          {t.boards.earlier}
        </MenuItem>
      )}
      {!isLast && (
        <MenuItem
          icon={<ArrowDown className="size-4" />}
          onSelect={() => act(actions.change(tile.tile_id, { position: position + 1 }))}
        >
          {t.boards.later}
        </MenuItem>
      )}
      <MenuItem icon={<PencilLine className="size-4" />} onSelect={onRename}>
        {t.boards.rename}
      </MenuItem>
      <MenuSeparator />
      <MenuItem
        isDanger
        icon={<Trash2 className="size-4" />}
        onSelect={() => act(actions.remove(tile.tile_id))}
      >
        {t.boards.remove}
      </MenuItem>
    </Menu>
  );
};
