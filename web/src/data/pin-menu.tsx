/** Pins a table or a chart to a board: one that there is, or a new one. */

import { LayoutDashboard, Pin, Plus } from "lucide-react";
import { useEffect, useState } from "react";

import { Button } from "../components/button";
import { Menu, MenuItem, MenuSeparator } from "../components/menu";
import { toast } from "../components/toaster";
import { useText } from "../lib/i18n";
import { api } from "../transport/api";
import type { Board } from "../transport/api-types";
import { asProblem } from "../transport/problem";

interface Pinned {
  readonly sessionId: string;
  readonly datasetId: string;
}

export const PinMenu = (pinned: Pinned) => {
  const t = useText();
  return (
    <Menu
      label={t.boards.pin}
      trigger={
        <Button size="small" look="quiet" aria-label={t.boards.pin}>
          <Pin className="size-3.5" />
        </Button>
      }
    >
      <Choices {...pinned} />
    </Menu>
  );
};

/** The boards, asked for when the menu opens. */
const Choices = ({ sessionId, datasetId }: Pinned) => {
  const t = useText();
  const [boards, setBoards] = useState<readonly Board[]>([]);
  useEffect(() => {
    let isGone = false;
    api
      .boards()
      .then(({ items }) => !isGone && setBoards(items))
      .catch(() => undefined);
    return () => {
      isGone = true;
    };
  }, []);
  const pinTo = async (chosen: Board | null): Promise<void> => {
    try {
      const board = chosen ?? (await api.createBoard(t.boards.newTitle));
      await api.pin(board.board_id, sessionId, datasetId);
      toast(t.boards.pinned(board.title));
    } catch (error) {
      toast(asProblem(error).detail, "danger");
    }
  };
  return (
    <>
      {boards.map((board) => (
        <MenuItem
          key={board.board_id}
          icon={<LayoutDashboard className="size-4" />}
          onSelect={() => void pinTo(board)}
        >
          {board.title}
        </MenuItem>
      ))}
      {boards.length > 0 && <MenuSeparator />}
      <MenuItem icon={<Plus className="size-4" />} onSelect={() => void pinTo(null)}>
        {t.boards.new}
      </MenuItem>
    </>
  );
};
