/**
 * Addresses: `/` for a new conversation, `/s/<id>` for a session, `/s/<id>#e<number>` for a place in it,
 * `/files`, `/files/<id>`, `/search`, `/approvals`, `/boards` and `/boards/<id>` for the other pages.
 */

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

export type Page =
  | { readonly name: "chat" }
  | { readonly name: "approvals" }
  | { readonly name: "files"; readonly folder: string | null; readonly file: string | null }
  | { readonly name: "search"; readonly words: string; readonly folder: string }
  /** Without a board: the list of them. */
  | { readonly name: "boards"; readonly board: string };

const FILES = /^\/files(?:\/([0-9A-Za-z-]{1,64}))?$/;

const BOARDS = /^\/boards(?:\/([0-9A-Za-z-]{1,64}))?$/;

/** The page that an address names. */
export const pageOf = (path: string, query: string): Page => {
  const given = new URLSearchParams(query);
  if (path === "/search")
    return { name: "search", words: given.get("q") ?? "", folder: given.get("folder") ?? "" };
  if (path === "/approvals") return { name: "approvals" };
  const boards = BOARDS.exec(path);
  if (boards !== null) return { name: "boards", board: boards[1] ?? "" };
  const files = FILES.exec(path);
  return files === null
    ? { name: "chat" }
    : { name: "files", folder: given.get("folder"), file: files[1] ?? null };
};

/** The page in the address bar; renders again when it changes. */
export const usePage = (): Page => {
  const path = useSyncExternalStore(subscribe, () => window.location.pathname);
  const query = useSyncExternalStore(subscribe, () => window.location.search);
  return useMemo(() => pageOf(path, query), [path, query]);
};

/** Go to a page; its place in the history may be taken over, as while a person types. */
export const openPage = (
  path: string,
  query: Readonly<Record<string, string | null>> = {},
  isSame = false,
): void => {
  const given = Object.entries(query).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
  const words = new URLSearchParams(given).toString();
  const address = words === "" ? path : `${path}?${words}`;
  const state = { visit: visitNow() + 1 };
  if (isSame) window.history.replaceState(state, "", address);
  else window.history.pushState(state, "", address);
  window.dispatchEvent(new PopStateEvent("popstate"));
};

/** The address of a board, or of the list of them. */
export const boardPath = (boardId: string): string => (boardId === "" ? "/boards" : `/boards/${boardId}`);

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
export const openSession = (sessionId: string | null, place: number | null = null): void =>
  go(pathOf(sessionId), place);

const go = (path: string, place: number | null): void => {
  if (place === null && path === window.location.pathname) return;
  const visit = visitNow() + 1;
  window.history.pushState({ visit }, "", place === null ? path : `${path}#e${place}`);
  window.dispatchEvent(new PopStateEvent("popstate"));
};
