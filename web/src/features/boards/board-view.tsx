/** One board: its tiles, refreshed one by one or all together. */

import { ArrowLeft, LayoutDashboard, PencilLine, RefreshCw, Trash2 } from "lucide-react";
import { useState } from "react";

import { Button } from "../../components/button";
import { ConfirmDialog } from "../../components/confirm-dialog";
import { EmptyState } from "../../components/empty-state";
import { IconButton } from "../../components/icon-button";
import { Skeleton } from "../../components/skeleton";
import { toast } from "../../components/toaster";
import { useText } from "../../lib/i18n";
import { api } from "../../transport/api";
import { asProblem } from "../../transport/problem";
import { PageHead } from "./page-head";
import { RenameDialog } from "./rename-dialog";
import { TileCard } from "./tile-card";
import { useBoard } from "./use-board";

export interface BoardViewProps {
  readonly boardId: string;
  readonly onOpen: (boardId: string) => void;
  /** Shows the sidebar; null while it is there. */
  readonly onSidebar: (() => void) | null;
}

export const BoardView = ({ boardId, onOpen, onSidebar }: BoardViewProps) => {
  const t = useText();
  const { found, actions } = useBoard(boardId);
  const [busy, setBusy] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<"rename" | "delete" | null>(null);
  const fail = (error: unknown): void => toast(asProblem(error).detail, "danger");
  const refresh = async (tileId: string): Promise<boolean> => {
    setBusy((before) => new Set([...before, tileId]));
    try {
      return (await actions.refresh(tileId)).problem === null;
    } catch (error) {
      fail(error);
      return false;
    } finally {
      setBusy((before) => new Set([...before].filter((one) => one !== tileId)));
    }
  };
  const board = found === null || found === "failed" ? null : found;
  const refreshAll = async (): Promise<void> => {
    let isWhole = true;
    for (const tile of board?.tiles ?? []) isWhole = (await refresh(tile.tile_id)) && isWhole;
    if (isWhole) toast(t.boards.refreshed);
  };
  return (
    <>
      <PageHead title={board?.board.title ?? t.boards.title} onSidebar={onSidebar}>
        <IconButton label={t.boards.all} onClick={() => onOpen("")}>
          <ArrowLeft className="size-4" />
        </IconButton>
        {board !== null && (
          <>
            <IconButton label={t.boards.rename} onClick={() => setAsked("rename")}>
              <PencilLine className="size-4" />
            </IconButton>
            <IconButton label={t.boards.delete} onClick={() => setAsked("delete")}>
              <Trash2 className="size-4" />
            </IconButton>
            <Button
              size="small"
              aria-label={t.boards.refreshAll}
              isBusy={busy.size > 0}
              disabled={board.tiles.length === 0}
              onClick={() => void refreshAll()}
            >
              <RefreshCw className="size-3.5" />
              <span className="hidden sm:inline">{t.boards.refreshAll}</span>
            </Button>
          </>
        )}
      </PageHead>
      <div className="min-h-0 flex-1 overflow-y-auto p-4">
        {found === null && <Skeleton className="h-64 w-full" />}
        {found === "failed" && <p className="text-danger text-sm">{t.boards.failed}</p>}
        {board !== null && board.tiles.length === 0 && (
          <EmptyState
            icon={<LayoutDashboard className="size-8" />}
            title={t.boards.empty}
            description={t.boards.noneHint}
          />
        )}
        <div className="grid items-start gap-4 lg:grid-cols-2 2xl:grid-cols-3">
          {board?.tiles.map((tile, position) => (
            <TileCard
              key={tile.tile_id}
              tile={tile}
              position={position}
              isLast={position === board.tiles.length - 1}
              isBusy={busy.has(tile.tile_id)}
              actions={actions}
              onRefresh={() => void refresh(tile.tile_id)}
            />
          ))}
        </div>
      </div>
      {asked === "rename" && board !== null && (
        <RenameDialog title={board.board.title} onSave={actions.rename} onClose={() => setAsked(null)} />
      )}
      <ConfirmDialog
        isOpen={asked === "delete"}
        title={t.boards.deleteTitle}
        description={t.boards.deleteHint(board?.board.title ?? "")}
        confirmLabel={t.boards.delete}
        cancelLabel={t.common.cancel}
        onConfirm={() => void api.deleteBoard(boardId).then(() => onOpen(""), fail)}
        onCancel={() => setAsked(null)}
      />
    </>
  );
};
