/** The sidebar: a new conversation, a search, and the sessions. */

import { Archive, FolderOpen, LayoutDashboard, Search, SquarePen, TextSearch } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";

import { IconButton } from "../../components/icon-button";
import { Logo } from "../../components/logo";
import { useText } from "../../lib/i18n";
import { searchSessions, useSessionList } from "../../transport/session-list";
import { PageLink } from "./page-link";
import { SessionList } from "./session-list";

export const SEARCH_ID = "session-search";
const PAUSE_MS = 200;

export interface SidebarProps {
  readonly currentId: string | null;
  readonly onOpen: (id: string | null, place?: number | null) => void;
  /** The page that is shown, and how to go to another. */
  readonly page: string;
  readonly onPage: (path: string) => void;
  readonly footer: ReactNode;
  /** The way to what waits for a decision. */
  readonly inbox?: ReactNode;
  readonly corner?: ReactNode;
}

export const Sidebar = ({ currentId, onOpen, page, onPage, footer, inbox, corner }: SidebarProps) => {
  const t = useText();
  return (
    <nav aria-label={t.sessions.list} className="bg-side flex h-full min-h-0 flex-col">
      <div className="flex h-14 shrink-0 items-center gap-2.5 pr-2.5 pl-4">
        <Logo className="size-7" />
        <span className="flex-1 text-base font-semibold tracking-[-0.02em]">Batuta</span>
        {corner}
      </div>
      <div className="flex flex-col gap-2 px-3 pb-2">
        <button
          type="button"
          onClick={() => onOpen(null)}
          className="bg-raised border-line hover:bg-hover shadow-card flex h-9 items-center gap-2.5 rounded-[0.625rem] border px-3 text-sm font-medium transition-colors"
        >
          <SquarePen className="text-accent size-4" /> {t.sessions.new}
        </button>
        {inbox}
        <SearchBox />
        <div className="flex flex-col gap-px">
          <PageLink path="/boards" isCurrent={page === "boards"} onPage={onPage}>
            <LayoutDashboard aria-hidden="true" className="size-4" /> {t.boards.title}
          </PageLink>
          <PageLink path="/files" isCurrent={page === "files"} onPage={onPage}>
            <FolderOpen aria-hidden="true" className="size-4" /> {t.sessions.files}
          </PageLink>
          <PageLink path="/search" isCurrent={page === "search"} onPage={onPage}>
            <TextSearch aria-hidden="true" className="size-4" /> {t.sessions.searchPage}
          </PageLink>
        </div>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-2 pt-1 pb-3">
        <SessionList currentId={currentId} onOpen={onOpen} />
      </div>
      <div className="border-line shrink-0 border-t p-2">{footer}</div>
    </nav>
  );
};

const SearchBox = () => {
  const t = useText();
  const shown = useSessionList((state) => state.query);
  const isArchive = useSessionList((state) => state.archived);
  const [words, setWords] = useState(shown);
  useEffect(() => {
    if (words === shown) return;
    const timer = window.setTimeout(() => void searchSessions(words, isArchive), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [words, shown, isArchive]);
  return (
    <div className="flex items-center gap-1">
      <div className="relative min-w-0 flex-1">
        <Search
          aria-hidden="true"
          className="text-faint pointer-events-none absolute top-2.5 left-2.5 size-4"
        />
        <input
          id={SEARCH_ID}
          type="search"
          aria-label={isArchive ? t.sessions.searchArchive : t.sessions.search}
          placeholder={isArchive ? t.sessions.searchArchive : t.sessions.search}
          value={words}
          onChange={(event) => setWords(event.target.value)}
          className="hover:bg-hover focus:bg-canvas h-9 w-full rounded-[0.625rem] bg-transparent pr-2 pl-8.5 text-sm transition-colors"
        />
      </div>
      <IconButton
        label={isArchive ? t.sessions.showActive : t.sessions.showArchive}
        aria-pressed={isArchive}
        onClick={() => void searchSessions(words, !isArchive)}
      >
        <Archive className="size-4" />
      </IconButton>
    </div>
  );
};

export const focusSearch = (): void => document.getElementById(SEARCH_ID)?.focus();
