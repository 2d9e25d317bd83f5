/** The boards: a list of them, or one. */

import { LayoutDashboard, Plus } from "lucide-react";
import { useEffect, useState } from "react";

import { Button } from "../../components/button";
import { EmptyState } from "../../components/empty-state";
import { Skeleton } from "../../components/skeleton";
import { toast } from "../../components/toaster";
import { moment } from "../../lib/format";
import { useLocale, useText } from "../../lib/i18n";
import { api } from "../../transport/api";
import type { Board } from "../../transport/api-types";
import { asProblem } from "../../transport/problem";
import { BoardView } from "./board-view";
import { PageHead } from "./page-head";

export interface BoardsPageProps {
  /** Empty for the list. */
  readonly boardId: string;
  readonly onOpen: (boardId: string) => void;
  /** Shows the sidebar; null while it is there. */
  readonly onSidebar: (() => void) | null;
}

const BoardsPage = (props: BoardsPageProps) =>
  props.boardId === "" ? <BoardList {...props} /> : <BoardView {...props} />;

export default BoardsPage;

const BoardList = ({ onOpen, onSidebar }: BoardsPageProps) => {
  const t = useText();
  const [boards, setBoards] = useState<readonly Board[] | "failed" | null>(null);
  useEffect(() => {
    let isGone = false;
    api
      .boards()
      .then(({ items }) => !isGone && setBoards(items))
      .catch(() => !isGone && setBoards("failed"));
    return () => {
      isGone = true;
    };
  }, []);
  const create = (): void => {
    api.createBoard(t.boards.newTitle).then(
      (board) => onOpen(board.board_id),
      (error: unknown) => toast(asProblem(error).detail, "danger"),
    );
  };
  return (
    <>
      <PageHead title={t.boards.title} onSidebar={onSidebar}>
        <Button size="small" onClick={create}>
          <Plus className="size-3.5" /> {t.boards.new}
        </Button>
      </PageHead>
      <div className="min-h-0 flex-1 overflow-y-auto p-4">
        {boards === null && <Skeleton className="h-24 w-full" />}
        {boards === "failed" && <p className="text-danger text-sm">{t.boards.failed}</p>}
        {boards !== null && boards.length === 0 && (
          <EmptyState
            icon={<LayoutDashboard className="size-8" />}
            title={t.boards.none}
            description={t.boards.noneHint}
          />
        )}
        {boards !== null && boards !== "failed" && boards.length > 0 && (
          <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
            {boards.map((board) => (
              <BoardLink key={board.board_id} board={board} onOpen={onOpen} />
            ))}
          </ul>
        )}
      </div>
    </>
  );
};

const BoardLink = ({
  board,
  onOpen,
}: {
  readonly board: Board;
  readonly onOpen: (boardId: string) => void;
}) => {
  const t = useText();
  const locale = useLocale();
  return (
    <li>
      <a
        href={`/boards/${board.board_id}`}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          onOpen(board.board_id);
        }}
        className="bg-raised border-line hover:bg-hover shadow-card flex flex-col gap-1 rounded-card border px-4 py-3"
      >
        <span className="truncate text-sm font-semibold">{board.title}</span>
        <span className="text-muted text-xs">
          {t.boards.tiles(board.tile_count)} · {moment(board.updated_at, locale)}
        </span>
      </a>
    </li>
  );
};
