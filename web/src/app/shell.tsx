/** The frame of the application: sessions at the left, the conversation, and what opens over it. */

import { PanelLeftClose } from "lucide-react";
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from "react";

import { IconButton } from "../components/icon-button";
import { Sheet } from "../components/sheet";
import type { AssistantMessageItem, Attachment, TurnView } from "../events";
import { ChatPage, focusComposer } from "../features/chat";
import { focusSearch, Sidebar } from "../features/sessions";
import { SHORTCUTS, ShortcutsDialog } from "../features/shortcuts";
import { useHotkeys } from "../lib/hotkeys";
import { useText } from "../lib/i18n";
import { recall, remember } from "../lib/storage";
import { useIsDesktop } from "../lib/use-media";
import { stopTurn } from "../transport/sending";
import { addFiles, attachFile } from "../transport/transfers";
import { AccountMenu } from "./account-menu";
import { DropZone } from "./drop-zone";
import { InboxLink } from "./inbox-link";
import { titleOf, useDocumentTitle } from "./page-title";
import { boardPath, openPage, openSession, usePage, usePlace, useRoute } from "./router";
import { TopBar } from "./top-bar";
import { useNotifications } from "./use-notifications";

const SourcePanel = lazy(() => import("../features/sources/source-panel"));
const DocumentPanel = lazy(() => import("../features/sources/document-panel"));
const BoardsPage = lazy(() => import("../features/boards/boards-page"));
const FilesPage = lazy(() => import("../features/files/files-page"));
const SearchPage = lazy(() => import("../features/search/search-page"));
const TimelinePanel = lazy(() => import("../features/timeline/timeline-panel"));
const InboxPage = lazy(() => import("../features/chat/inbox/inbox-page"));
const SettingsDialog = lazy(() => import("../features/settings/settings-dialog"));

type Opened =
  | { readonly what: "settings" | "shortcuts" }
  | { readonly what: "timeline"; readonly turnId: string }
  | {
      readonly what: "source";
      readonly answer: AssistantMessageItem;
      readonly number: number;
      readonly turn: TurnView;
    }
  | {
      readonly what: "document";
      readonly document_id: string;
      readonly name: string;
      readonly start: number | null;
      readonly end: number | null;
    }
  | null;

const SIDEBAR = "batuta.sidebar";

export const Shell = () => {
  const t = useText();
  const sessionId = useRoute();
  const page = usePage();
  const place = usePlace();
  const isDesktop = useIsDesktop();
  const [isSidebarShown, setIsSidebarShown] = useState(() => recall(SIDEBAR, true));
  const [isDrawerOpen, setIsDrawerOpen] = useState(false);
  const [opened, setOpened] = useState<Opened>(null);

  const toggleSidebar = useCallback(() => {
    if (!isDesktop) return setIsDrawerOpen((isOpen) => !isOpen);
    setIsSidebarShown((isShown) => {
      remember(SIDEBAR, !isShown);
      return !isShown;
    });
  }, [isDesktop]);
  const open = useCallback(
    (id: string | null, place: number | null = null) => {
      setIsDrawerOpen(false);
      openSession(id, place);
      // On a phone the focus would bring up the keyboard over what was just opened.
      if (isDesktop && place === null) window.requestAnimationFrame(focusComposer);
    },
    [isDesktop],
  );
  const openTimeline = useCallback((turnId: string) => setOpened({ what: "timeline", turnId }), []);
  const openSource = useCallback(
    (answer: AssistantMessageItem, number: number, turn: TurnView) =>
      setOpened({ what: "source", answer, number, turn }),
    [],
  );
  const openFile = useCallback(
    (document_id: string, name: string) =>
      setOpened({ what: "document", document_id, name, start: null, end: null }),
    [],
  );
  const askAbout = useCallback(
    (file: Attachment) => {
      const { file_id, name, media_type, size_bytes } = file;
      setOpened(null);
      attachFile(
        { file_id, name, media_type, size_bytes },
        page.name === "chat" ? (sessionId ?? "new") : "new",
      );
      if (page.name !== "chat") open(null);
      window.requestAnimationFrame(focusComposer);
    },
    [open, page.name, sessionId],
  );
  const takeFiles = (files: readonly File[]): void => {
    if (page.name === "files") addFiles(files, null, page.folder ?? "");
    else addFiles(files, page.name === "chat" ? (sessionId ?? "new") : null);
  };
  const close = useCallback(() => setOpened(null), []);
  const search = useCallback(
    (words: string, folder: string) =>
      openPage("/search", { q: words === "" ? null : words, folder: folder === "" ? null : folder }, true),
    [],
  );
  const linked = page.name === "files" ? page.file : null;
  useEffect(() => {
    if (linked !== null) openFile(linked, "");
  }, [linked, openFile]);

  useHotkeys(
    useMemo(
      () => ({
        [SHORTCUTS.newSession]: () => open(null),
        [SHORTCUTS.search]: () => {
          if (isDesktop) setIsSidebarShown(true);
          else setIsDrawerOpen(true);
          focusSearch();
          window.requestAnimationFrame(focusSearch);
        },
        [SHORTCUTS.composer]: focusComposer,
        [SHORTCUTS.stop]: () => void (sessionId !== null && stopTurn(sessionId).catch(() => undefined)),
        [SHORTCUTS.sidebar]: toggleSidebar,
        [SHORTCUTS.settings]: () => setOpened({ what: "settings" }),
        [SHORTCUTS.shortcuts]: () => setOpened({ what: "shortcuts" }),
      }),
      [open, toggleSidebar, sessionId, isDesktop],
    ),
  );
  useDocumentTitle(sessionId, page);
  useNotifications(open);
  const toPage = (path: string): void => {
    setIsDrawerOpen(false);
    openPage(path);
  };
  const sidebar = (
    <Sidebar
      currentId={sessionId}
      onOpen={open}
      page={page.name}
      onPage={toPage}
      inbox={<InboxLink isCurrent={page.name === "approvals"} onPage={toPage} />}
      corner={
        <IconButton label={t.sessions.hide} size="small" onClick={toggleSidebar}>
          <PanelLeftClose className="size-4" />
        </IconButton>
      }
      footer={
        <AccountMenu
          onSettings={() => setOpened({ what: "settings" })}
          onShortcuts={() => setOpened({ what: "shortcuts" })}
        />
      }
    />
  );
  return (
    <div className="flex h-full">
      <button
        type="button"
        onClick={focusComposer}
        className="bg-accent text-on-accent sr-only z-50 rounded-lg px-4 py-2 font-medium focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
      >
        {t.common.skip}
      </button>
      {isDesktop ? (
        isSidebarShown && <div className="border-line w-[17.5rem] shrink-0 border-r">{sidebar}</div>
      ) : (
        <Sheet
          side="left"
          isOpen={isDrawerOpen}
          onClose={() => setIsDrawerOpen(false)}
          title={t.sessions.list}
          closeLabel={t.common.close}
          isTitleHidden
          className="max-w-[20rem]"
        >
          {sidebar}
        </Sheet>
      )}
      <main className="flex min-w-0 flex-1 flex-col">
        {page.name !== "boards" && (
          <TopBar
            sessionId={sessionId}
            title={titleOf(page, t)}
            onSidebar={isDesktop && isSidebarShown ? null : toggleSidebar}
          />
        )}
        {page.name === "chat" && (
          <ChatPage
            sessionId={sessionId}
            place={place}
            onOpenSession={open}
            onOpenTimeline={openTimeline}
            onOpenSource={openSource}
            onOpenFile={openFile}
          />
        )}
        <Suspense>
          {page.name === "files" && (
            <FilesPage
              folder={page.folder}
              onFolder={(folder) => openPage("/files", { folder })}
              onOpen={(file) => openFile(file.file_id, file.name)}
              onAsk={askAbout}
              onSearch={(folder) => openPage("/search", { folder })}
            />
          )}
          {page.name === "approvals" && <InboxPage onOpenSession={open} />}
          {page.name === "search" && (
            <SearchPage
              words={page.words}
              folder={page.folder}
              onSearch={search}
              onOpenDocument={(passage) => setOpened({ what: "document", ...passage })}
              onOpenSession={open}
            />
          )}
          {page.name === "boards" && (
            <BoardsPage
              boardId={page.board}
              onOpen={(board) => openPage(boardPath(board))}
              onSidebar={isDesktop && isSidebarShown ? null : toggleSidebar}
            />
          )}
        </Suspense>
      </main>
      <DropZone onFiles={takeFiles} />
      <Suspense>
        {opened?.what === "timeline" && sessionId !== null && (
          <TimelinePanel sessionId={sessionId} turnId={opened.turnId} onClose={close} />
        )}
        {opened?.what === "settings" && <SettingsDialog onClose={close} />}
        {opened?.what === "source" && sessionId !== null && (
          <SourcePanel {...opened} sessionId={sessionId} onClose={close} />
        )}
        {opened?.what === "document" && <DocumentPanel {...opened} onAsk={askAbout} onClose={close} />}
      </Suspense>
      {opened?.what === "shortcuts" && <ShortcutsDialog onClose={close} />}
    </div>
  );
};
