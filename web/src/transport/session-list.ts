/** The list of sessions: pages as they are scrolled to, changes as they are announced. */

import { create } from "zustand";

import { api } from "./api";
import type { SessionSummary } from "./api-types";
import { EMPTY_LIST, extended, type ListState, updated, without } from "./listed-sessions";
import { listen, watchConnection } from "./socket";

export const useSessionList = create<ListState>(() => EMPTY_LIST);

const change = (after: (list: ListState) => ListState): void => useSessionList.setState(after, true);

/** Show the sessions that match, from the first page on. */
export const searchSessions = async (query: string, archived: boolean): Promise<void> => {
  change((list) => ({ ...list, query, archived, status: "loading", cursor: null }));
  try {
    const page = await api.sessions({ cursor: null, query, archived });
    if (isAsked(query, archived)) change((list) => extended({ ...list, items: [] }, page));
  } catch {
    if (isAsked(query, archived)) change((list) => ({ ...list, status: "failed" }));
  }
};

/** Another search may have begun in the meantime. */
const isAsked = (query: string, archived: boolean): boolean => {
  const now = useSessionList.getState();
  return now.query === query && now.archived === archived;
};

/** The next page, if there is one and it is not on its way. */
export const loadMoreSessions = async (): Promise<void> => {
  const { cursor, status, query, archived } = useSessionList.getState();
  if (cursor === null || status !== "ready") return;
  change((list) => ({ ...list, status: "more" }));
  try {
    const page = await api.sessions({ cursor, query, archived });
    if (isAsked(query, archived)) change((list) => extended(list, page));
  } catch {
    if (isAsked(query, archived)) change((list) => ({ ...list, status: "ready" }));
  }
};

export const createSession = async (): Promise<SessionSummary> => {
  const summary = await api.createSession();
  change((list) => updated(list, summary));
  return summary;
};

export const changeSession = async (
  id: string,
  wish: { readonly title?: string; readonly is_archived?: boolean },
): Promise<void> => {
  const summary = await api.changeSession(id, wish);
  change((list) => updated(list, summary));
};

export const deleteSession = async (id: string): Promise<void> => {
  await api.deleteSession(id);
  change((list) => without(list, id));
};

type News = (list: ListState) => ListState;

/** Keep the list in step with the server's news, and look again after a time without any. */
export const followSessions = (): (() => void) => {
  const reloads = new Set<News[]>();
  const tell = (news: News): void => {
    for (const meanwhile of reloads) meanwhile.push(news);
    change(news);
  };
  let wasLost = false;
  const stops = [
    listen("session:changed", (summary) => tell((list) => updated(list, summary))),
    listen("session:deleted", ({ session_id }) => tell((list) => without(list, session_id))),
    watchConnection((isConnected) => {
      if (isConnected && wasLost) void reload(reloads);
      wasLost = !isConnected;
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
};

/** The first page again; the list stays as it is until the page is there, with what was announced meanwhile. */
const reload = async (reloads: Set<News[]>): Promise<void> => {
  const { query, archived } = useSessionList.getState();
  const meanwhile: News[] = [];
  reloads.add(meanwhile);
  try {
    const page = await api.sessions({ cursor: null, query, archived });
    if (!isAsked(query, archived)) return;
    change((list) => meanwhile.reduce((after, news) => news(after), extended({ ...list, items: [] }, page)));
  } catch {
    // Still no connection, or none again: the next one looks.
  } finally {
    reloads.delete(meanwhile);
  }
};
