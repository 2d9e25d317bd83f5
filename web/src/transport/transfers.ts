/** Files on their way to the server or attached to what is being written. The engine that moves them is loaded when needed. */

import { create } from "zustand";

import type { Attachment } from "../events";
import { recall, remember } from "../lib/storage";

export type TransferState = "sending" | "processing" | "ready" | "failed" | "lost";

export interface Transfer {
  /** Of this browser: a file has an id of the server only once it was announced. */
  readonly id: string;
  readonly file_id: string | null;
  /** The draft it belongs to: a session, `new`, or null for a file that goes into its folder only. */
  readonly draft: string | null;
  readonly folder: string;
  readonly name: string;
  readonly size_bytes: number;
  readonly media_type: string;
  readonly state: TransferState;
  readonly sent_bytes: number;
  /** Of the processing, in percent. */
  readonly progress: number;
  /** Why it failed, by language, or in the words of the server. */
  readonly reason: Readonly<Record<string, string>> | null;
}

const KEY = "batuta.transfers";

export const useTransfers = create<{ readonly transfers: readonly Transfer[] }>(() => ({ transfers: [] }));

/** Change what is on its way, and keep it for a reload of this tab. */
export const changeTransfers = (change: (transfers: readonly Transfer[]) => readonly Transfer[]): void => {
  const transfers = change(useTransfers.getState().transfers);
  useTransfers.setState({ transfers });
  remember(KEY, transfers.length === 0 ? null : transfers, "session");
};

export const changeTransfer = (id: string, change: Partial<Transfer>): void =>
  changeTransfers((all) => all.map((each) => (each.id === id ? { ...each, ...change } : each)));

const engine = () => import("./uploading");

/** Send files; a draft that is named gets them attached. */
export const addFiles = (files: readonly File[], draft: string | null, folder = ""): void => {
  if (files.length > 0) void engine().then(({ upload }) => upload(files, draft, folder));
};

/** Attach a file that the server already has. */
export const attachFile = (file: Attachment, draft: string): void =>
  changeTransfers((all) =>
    all.some((each) => each.draft === draft && each.file_id === file.file_id)
      ? all
      : [
          ...all,
          {
            ...file,
            id: `${draft}-${file.file_id}`,
            draft,
            folder: "",
            state: "ready",
            sent_bytes: file.size_bytes,
            progress: 100,
            reason: null,
          },
        ],
  );

/** Take a file off a draft, or stop sending it. */
export const removeTransfer = (id: string): void => {
  const transfer = useTransfers.getState().transfers.find((each) => each.id === id);
  changeTransfers((all) => all.filter((each) => each.id !== id));
  if (transfer !== undefined && transfer.state !== "ready")
    void engine().then(({ cancel }) => cancel(transfer));
};

/** What was sent with a message is no longer attached to the draft. */
export const detachFrom = (draft: string): void =>
  changeTransfers((all) => all.filter((each) => each.draft !== draft));

/** The bytes of a file that was lost in a reload, chosen again. */
export const resumeWith = (id: string, file: File): void =>
  void engine().then(({ resume }) => resume(id, file));

/** Take up what a reload interrupted. */
export const restoreTransfers = (): void => {
  const transfers = recall<readonly Transfer[]>(KEY, [], "session");
  if (transfers.length === 0) return;
  useTransfers.setState({ transfers });
  void engine().then(({ restore }) => restore());
};

/** Stop everything and forget it, when another person signs in. */
export const forgetTransfers = (): void => {
  if (useTransfers.getState().transfers.length === 0) return;
  changeTransfers(() => []);
  void engine().then(({ forget }) => forget());
};

export const attachmentOf = ({ file_id, name, media_type, size_bytes }: Transfer): Attachment => ({
  file_id: file_id ?? "",
  name,
  media_type,
  size_bytes,
});
