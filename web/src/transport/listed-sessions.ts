/** A list of sessions: what pages and news make of it. Pure. */

import type { SessionPage, SessionSummary } from "./api-types";

export interface ListState {
  readonly items: readonly SessionSummary[];
  readonly cursor: string | null;
  readonly status: "loading" | "ready" | "more" | "failed";
  readonly query: string;
  readonly archived: boolean;
}

export const EMPTY_LIST: ListState = {
  items: [],
  cursor: null,
  status: "loading",
  query: "",
  archived: false,
};

const newestFirst = (first: SessionSummary, second: SessionSummary): number =>
  second.updated_at.localeCompare(first.updated_at);

/** The list with a further page; what is already there is not repeated. */
export const extended = (list: ListState, page: SessionPage): ListState => {
  const there = new Set(list.items.map((item) => item.session_id));
  const items = [...list.items, ...page.items.filter((item) => !there.has(item.session_id))];
  return { ...list, items, cursor: page.next_cursor, status: "ready" };
};

/** The list after news of a session: in place, moved, added or gone to the other shelf. */
export const updated = (list: ListState, summary: SessionSummary): ListState => {
  const others = list.items.filter((item) => item.session_id !== summary.session_id);
  const isListed = others.length < list.items.length;
  const belongs = summary.is_archived === list.archived && (isListed || list.query === "");
  return { ...list, items: belongs ? [...others, summary].sort(newestFirst) : others };
};

/** The list without a session. */
export const without = (list: ListState, id: string): ListState => ({
  ...list,
  items: list.items.filter((item) => item.session_id !== id),
});
