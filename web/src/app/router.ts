/** Addresses: `/` for a new conversation, `/s/<id>` for a session, `/s/<id>#e<number>` for a place in it. */

import { useMemo, useSyncExternalStore } from "react";

import type { Place } from "../features/chat";

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

const PLACE = /^#e(\d{1,15})$/;

/** The place an address names, and the how-manieth visit it is. */
export const placeOf = (hash: string, visit: number): Place | null => {
  const number = PLACE.exec(hash)?.[1];
  return number === undefined ? null : { number: Number(number), visit };
};

const visitNow = (): number => (window.history.state as { readonly visit?: number } | null)?.visit ?? 0;

/** The place in the address bar; renders again when it is gone to. */
export const usePlace = (): Place | null => {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash);
  const visit = useSyncExternalStore(subscribe, visitNow);
  return useMemo(() => placeOf(hash, visit), [hash, visit]);
};

/** Go to a session, or to a place in it, or to a new conversation. */
export const openSession = (sessionId: string | null, place: number | null = null): void => {
  const path = pathOf(sessionId);
  if (place === null && path === window.location.pathname) return;
  const visit = visitNow() + 1;
  window.history.pushState({ visit }, "", place === null ? path : `${path}#e${place}`);
  window.dispatchEvent(new PopStateEvent("popstate"));
};
