/** The frame of the application: sessions at the left, the conversation, and what opens over it. */

import { PanelLeftClose } from "lucide-react";
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from "react";

import { IconButton } from "../components/icon-button";
import { Sheet } from "../components/sheet";
import type { AssistantMessageItem, TurnView } from "../events";
import { ChatPage, focusComposer } from "../features/chat";
import { focusSearch, Sidebar } from "../features/sessions";
import { SHORTCUTS, ShortcutsDialog } from "../features/shortcuts";
import { SourcePanel } from "../features/sources";
import { useHotkeys } from "../lib/hotkeys";
import { useText } from "../lib/i18n";
import { recall, remember } from "../lib/storage";
import { useIsDesktop } from "../lib/use-media";
import { useChannel } from "../transport/channel";
import { stopTurn } from "../transport/sending";
import { AccountMenu } from "./account-menu";
import { openSession, usePlace, useRoute } from "./router";
import { TopBar } from "./top-bar";
import { useNotifications } from "./use-notifications";

const TimelinePanel = lazy(() => import("../features/timeline/timeline-panel"));
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
  | null;

const SIDEBAR = "batuta.sidebar";

export const Shell = () => {
  const t = useText();
  const sessionId = useRoute();
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
  const close = useCallback(() => setOpened(null), []);

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
  useDocumentTitle(sessionId);
  useNotifications(open);

  const sidebar = (
    <Sidebar
      currentId={sessionId}
      onOpen={open}
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
        <TopBar sessionId={sessionId} onSidebar={isDesktop && isSidebarShown ? null : toggleSidebar} />
        <ChatPage
          sessionId={sessionId}
          place={place}
          onOpenSession={open}
          onOpenTimeline={openTimeline}
          onOpenSource={openSource}
        />
      </main>
      <Suspense>
        {opened?.what === "timeline" && sessionId !== null && (
          <TimelinePanel sessionId={sessionId} turnId={opened.turnId} onClose={close} />
        )}
        {opened?.what === "settings" && <SettingsDialog onClose={close} />}
      </Suspense>
      {opened?.what === "source" && sessionId !== null && (
        <SourcePanel {...opened} sessionId={sessionId} onClose={close} />
      )}
      {opened?.what === "shortcuts" && <ShortcutsDialog onClose={close} />}
    </div>
  );
};

const useDocumentTitle = (sessionId: string | null): void => {
  const title = useChannel((state) => (state.session_id === sessionId ? state.view.title : null));
  useEffect(() => {
    document.title = title === null ? "Batuta" : `${title} · Batuta`;
  }, [title]);
};
