/** Something pinned: drawn, with the time of its figures, and what can be done with it. */

import clsx from "clsx";
import { Info, RefreshCw } from "lucide-react";
import { useState } from "react";

import { IconButton } from "../../components/icon-button";
import { count, moment } from "../../lib/format";
import { useLocale, useText } from "../../lib/i18n";
import type { Tile } from "../../transport/api-types";
import { RenameDialog } from "./rename-dialog";
import { TileBody } from "./tile-body";
import { TileMenu } from "./tile-menu";
import type { BoardActions } from "./use-board";

export interface TileCardProps {
  readonly tile: Tile;
  readonly position: number;
  readonly isLast: boolean;
  readonly isBusy: boolean;
  readonly actions: BoardActions;
  readonly onRefresh: () => void;
}

export const TileCard = ({ tile, position, isLast, isBusy, actions, onRefresh }: TileCardProps) => {
  const t = useText();
  const locale = useLocale();
  const [isRenaming, setIsRenaming] = useState(false);
  const { shown } = tile;
  return (
    <section
      aria-label={tile.title}
      aria-busy={isBusy}
      data-tile={shown.kind}
      className="bg-raised border-line shadow-card flex min-w-0 flex-col overflow-hidden rounded-card border"
    >
      <header className="flex items-center gap-1 py-2 pr-2 pl-4">
        <h3 className="min-w-0 flex-1 truncate text-sm font-semibold" title={tile.title}>
          {tile.title}
        </h3>
        <IconButton size="small" label={t.boards.refresh} disabled={isBusy} onClick={onRefresh}>
          <RefreshCw className={clsx("size-3.5", isBusy && "motion-safe:animate-spin")} />
        </IconButton>
        <TileMenu
          tile={tile}
          position={position}
          isLast={isLast}
          actions={actions}
          onRename={() => setIsRenaming(true)}
        />
      </header>
      <div className="min-h-0 flex-1">
        <TileBody tile={tile} />
      </div>
      <footer className="text-muted border-line border-t px-4 py-2 text-xs">
        {tile.problem !== null && (
          <p role="alert" className="text-danger pb-1">
            {t.boards.problem(tile.problem)}
          </p>
        )}
        {shown.notes.map((note) => (
          <p key={note} className="flex items-start gap-1.5 pb-1">
            <Info aria-hidden="true" className="mt-0.5 size-3 shrink-0" />
            {note}
          </p>
        ))}
        <p className="flex flex-wrap gap-x-3">
          <time dateTime={tile.refreshed_at}>{t.boards.asOf(moment(tile.refreshed_at, locale))}</time>
          {shown.provenance.company != null && <span>{shown.provenance.company}</span>}
          {shown.rows.length < shown.row_count && (
            <span>
              {t.boards.firstRows(count(shown.rows.length, locale), count(shown.row_count, locale))}
            </span>
          )}
        </p>
      </footer>
      {isRenaming && (
        <RenameDialog
          title={tile.title}
          onSave={(title) => actions.change(tile.tile_id, { title })}
          onClose={() => setIsRenaming(false)}
        />
      )}
    </section>
  );
};
