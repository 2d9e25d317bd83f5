/** What a page is called, at its head and in the title of the tab. */

import { useEffect } from "react";

import { type Dictionary, useText } from "../lib/i18n";
import { useInbox, waitingIn } from "../transport/approvals";
import { useChannel } from "../transport/channel";
import type { Page } from "./router";

/** What a page that is no conversation is called. */
export const titleOf = ({ name }: Page, t: Dictionary): string | null => {
  if (name === "approvals") return t.inbox.title;
  if (name === "files") return t.sessions.files;
  return name === "search" ? t.sessions.searchPage : null;
};

/** What waits is counted in the title, where it is seen from another tab. */
export const useDocumentTitle = (sessionId: string | null, page: Page): void => {
  const t = useText();
  const title = useChannel((state) => (state.session_id === sessionId ? state.view.title : null));
  const waiting = useInbox(waitingIn);
  const shown = page.name === "approvals" ? t.inbox.title : title;
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${shown === null ? "" : `${shown} · `}Batuta`;
  }, [shown, waiting]);
};
