/** A session in the list: title, state, and what can be done with it. */

import clsx from "clsx";
import { Archive, ArchiveRestore, Download, Ellipsis, FileJson, Pencil, Trash2 } from "lucide-react";

import { Menu, MenuItem, MenuLink, MenuSeparator } from "../../components/menu";
import type { Tone } from "../../components/pill";
import { StatusDot } from "../../components/status-dot";
import { shortAgo } from "../../lib/format";
import { useLocale, useText } from "../../lib/i18n";
import { plainText } from "../../lib/words";
import { api } from "../../transport/api";
import type { SessionStatus, SessionSummary } from "../../transport/api-types";

const TONES: Readonly<Record<Exclude<SessionStatus, "idle">, Tone>> = {
  running: "accent",
  queued: "neutral",
  waiting: "warn",
};

export interface SessionRowProps {
  readonly session: SessionSummary;
  readonly isCurrent: boolean;
  readonly isTabStop: boolean;
  readonly now: number;
  readonly onOpen: () => void;
  readonly onRename: () => void;
  readonly onArchive: () => void;
  readonly onDelete: () => void;
}

export const SessionRow = (props: SessionRowProps) => {
  const { session, isCurrent, isTabStop, now, onOpen } = props;
  const t = useText();
  const locale = useLocale();
  const title = session.title ?? t.sessions.untitled;
  return (
    <li
      className={clsx(
        "group relative flex items-center rounded-lg transition-colors",
        isCurrent ? "bg-hover" : "hover:bg-hover/70",
      )}
    >
      <a
        href={`/s/${session.session_id}`}
        data-roving=""
        tabIndex={isTabStop ? 0 : -1}
        aria-current={isCurrent ? "page" : undefined}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          onOpen();
        }}
        className="min-w-0 flex-1 rounded-lg px-2.5 py-2 pointer-coarse:pr-9"
      >
        <span className="mr-6.5 flex items-center gap-2 pointer-coarse:mr-0">
          {session.status !== "idle" && (
            <StatusDot
              tone={TONES[session.status]}
              label={t.sessions.statuses[session.status]}
              isLive={session.status === "running"}
            />
          )}
          <span className={clsx("min-w-0 flex-1 truncate text-sm", isCurrent && "font-medium")}>{title}</span>
        </span>
        <span className="text-faint flex items-center gap-2 text-xs">
          <span className="min-w-0 flex-1 truncate">{plainText(session.preview ?? "")}</span>
          <time
            dateTime={session.updated_at}
            className="shrink-0 tabular-nums group-focus-within:invisible group-hover:invisible pointer-coarse:visible!"
          >
            {shortAgo(session.updated_at, now, locale) ?? t.sessions.now}
          </time>
        </span>
      </a>
      <RowMenu {...props} title={title} />
    </li>
  );
};

const RowMenu = ({
  session,
  title,
  onRename,
  onArchive,
  onDelete,
}: SessionRowProps & { readonly title: string }) => {
  const t = useText();
  const Shelf = session.is_archived ? ArchiveRestore : Archive;
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={t.sessions.actions(title)}
          className="text-muted hover:bg-line hover:text-ink absolute top-3 right-1.5 grid size-7 place-items-center rounded-md opacity-0 transition-opacity group-focus-within:opacity-100 group-hover:opacity-100 data-[state=open]:opacity-100 pointer-coarse:opacity-100"
        >
          <Ellipsis className="size-4" />
        </button>
      }
    >
      <MenuItem icon={<Pencil className="size-4" />} onSelect={onRename}>
        {t.sessions.rename}
      </MenuItem>
      <MenuItem icon={<Shelf className="size-4" />} onSelect={onArchive}>
        {session.is_archived ? t.sessions.unarchive : t.sessions.archive}
      </MenuItem>
      <MenuLink
        icon={<Download className="size-4" />}
        href={api.exportAddress(session.session_id, "markdown")}
      >
        {t.sessions.exportMarkdown}
      </MenuLink>
      <MenuLink icon={<FileJson className="size-4" />} href={api.exportAddress(session.session_id, "json")}>
        {t.sessions.exportJson}
      </MenuLink>
      <MenuSeparator />
      <MenuItem icon={<Trash2 className="size-4" />} isDanger onSelect={onDelete}>
        {t.sessions.delete}
      </MenuItem>
    </Menu>
  );
};
