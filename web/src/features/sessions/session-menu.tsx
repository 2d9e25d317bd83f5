/** What can be done with a session in the list. */

import { Archive, ArchiveRestore, Download, Ellipsis, FileJson, Pencil, Trash2 } from "lucide-react";

import { Menu, MenuItem, MenuLink, MenuSeparator } from "../../components/menu";
import { useText } from "../../lib/i18n";
import { api } from "../../transport/api";
import type { SessionSummary } from "../../transport/api-types";

export interface SessionMenuProps {
  readonly session: SessionSummary;
  readonly title: string;
  readonly onRename: () => void;
  readonly onArchive: () => void;
  readonly onDelete: () => void;
}

export const SessionMenu = ({ session, title, onRename, onArchive, onDelete }: SessionMenuProps) => {
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
