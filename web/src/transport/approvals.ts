/** The inbox: approvals this person may decide, kept in step with the server. */

import { create } from "zustand";

import { api } from "./api";
import type { Approval } from "./api-types";
import { listen, watchConnection } from "./socket";

export interface Inbox {
  readonly status: "loading" | "ready" | "failed";
  readonly items: readonly Approval[];
}

export const EMPTY_INBOX: Inbox = { status: "loading", items: [] };

export const useInbox = create<Inbox>(() => EMPTY_INBOX);

let newest = 0;

/** Read the inbox; of two that overlap the later one counts. */
export const loadInbox = async (): Promise<void> => {
  newest += 1;
  const mine = newest;
  try {
    const { items } = await api.approvals();
    if (mine === newest) useInbox.setState({ status: "ready", items });
  } catch {
    if (mine === newest) useInbox.setState((before) => ({ ...before, status: "failed" }));
  }
};

/** Read it now, whenever something begins or ceases to wait, and after a loss of connection. */
export const followInbox = (): (() => void) => {
  void loadInbox();
  const stops = [
    listen("approvals:changed", () => void loadInbox()),
    watchConnection((isConnected) => {
      if (isConnected) void loadInbox();
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
};

/** How many wait. */
export const waitingIn = (inbox: Inbox): number =>
  inbox.items.filter((item) => item.state === "pending").length;
