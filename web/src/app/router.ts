/** Addresses: `/` for a new conversation, `/s/<id>` for a session. */

import { useSyncExternalStore } from "react";

const SESSION = /^\/s\/([0-9A-Za-z-]{1,64})$/;

/** The session an address names. */
export const sessionOf = (path: string): string | null => SESSION.exec(path)?.[1] ?? null;

/** The address of a session. */
export const pathOf = (sessionId: string | null): string => (sessionId === null ? "/" : `/s/${sessionId}`);

const subscribe = (notify: () => void): (() => void) => {
  window.addEventListener("popstate", notify);
  return () => window.removeEventListener("popstate", notify);
};

/** The session in the address bar; renders again when it changes. */
export const useRoute = (): string | null =>
  sessionOf(useSyncExternalStore(subscribe, () => window.location.pathname));

/** Go to a session, or to a new conversation. */
export const openSession = (sessionId: string | null): void => {
  const path = pathOf(sessionId);
  if (path === window.location.pathname) return;
  window.history.pushState(null, "", path);
  window.dispatchEvent(new PopStateEvent("popstate"));
};
