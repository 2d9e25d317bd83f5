/** Who is signed in, what the server offers, and how the person likes it. */

import { create } from "zustand";

import type { Me, Meta, Settings } from "./api-types";

export type AccountStatus = "loading" | "unreachable" | "anonymous" | "signed-in" | "expired";

export interface AccountState {
  readonly status: AccountStatus;
  readonly meta: Meta | null;
  readonly me: Me | null;
  readonly welcome: (meta: Meta, me: Me | null) => void;
  readonly enter: (me: Me) => void;
  readonly leave: () => void;
  /** The login ran out: what is on the page stays, so that nothing typed is lost. */
  readonly expire: () => void;
  readonly fail: () => void;
  readonly setSettings: (settings: Settings) => void;
}

export const useAccount = create<AccountState>((set, get) => ({
  status: "loading",
  meta: null,
  me: null,
  welcome: (meta, me) => set({ meta, me, status: me === null ? "anonymous" : "signed-in" }),
  enter: (me) => {
    const { meta } = get();
    set({ me, status: "signed-in", meta: meta === null ? null : { ...meta, needs_setup: false } });
  },
  leave: () => set({ me: null, status: "anonymous" }),
  expire: () => {
    if (get().status === "signed-in") set({ status: "expired" });
  },
  fail: () => set({ status: "unreachable" }),
  setSettings: (settings) => {
    const { me } = get();
    if (me !== null) set({ me: { ...me, settings } });
  },
}));
