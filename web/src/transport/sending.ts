/** Sends what the outbox holds: in order, again after a loss, until the server has acknowledged it. */

import { create } from "zustand";

import type { Attachment } from "../events";
import { waitBefore } from "../lib/backoff";
import { newId } from "../lib/ids";
import { api } from "./api";
import type { OutgoingMessage } from "./api-types";
import {
  accepted,
  nextToSend,
  type Outbox,
  posted,
  refused,
  restored,
  revived,
  shelve,
  withdrawn,
} from "./outbox";
import { asProblem, ProblemError } from "./problem";
import { command, isConnected, watchConnection } from "./socket";

const BACKOFF = { first_ms: 500, most_ms: 10_000 };
const RETRYABLE_STATUS: ReadonlySet<number> = new Set([0, 408, 429, 500, 502, 503, 504]);

export const useOutbox = create<{ readonly pendingMessages: Outbox }>(() => ({ pendingMessages: [] }));

let isSending = false;
let failures = 0;
let timer: number | null = null;

/** Change the outbox, keep it for a reload, and send on. */
export const changeOutbox = (change: (outbox: Outbox) => Outbox): void => {
  const before = useOutbox.getState().pendingMessages;
  const pendingMessages = change(before);
  if (pendingMessages === before) return;
  shelve(pendingMessages);
  useOutbox.setState({ pendingMessages });
  void pump();
};

export interface SendOptions {
  readonly target_agent_id: string | null;
  readonly enable_thinking: boolean;
  /** The company of the ERP that it is about: it stays with the message, however often that is sent. */
  readonly company: string | null;
  readonly attachments: readonly Attachment[];
  /** The folder whose documents it is about; nothing for all. */
  readonly folder: string | null;
}

/** Send a message to a session. */
export const sendMessage = (session_id: string, text: string, sendOptions: SendOptions): void => {
  const message: OutgoingMessage = {
    client_message_id: newId(),
    text,
    attachments: sendOptions.attachments,
    ...(sendOptions.target_agent_id === null ? {} : { target_agent_id: sendOptions.target_agent_id }),
    enable_thinking: sendOptions.enable_thinking,
    ...(sendOptions.folder === null ? {} : { folders: [sendOptions.folder] }),
    ...(sendOptions.company === null ? {} : { company: sendOptions.company }),
  };
  changeOutbox((outbox) => posted(outbox, session_id, message));
};

export const sendAgain = (id: string): void => changeOutbox((outbox) => revived(outbox, id));
export const giveUp = (id: string): void => changeOutbox((outbox) => withdrawn(outbox, id));

const pump = async (): Promise<void> => {
  if (isSending || !isConnected()) return;
  const pending = nextToSend(useOutbox.getState().pendingMessages);
  if (pending === null) return;
  isSending = true;
  const id = pending.message.client_message_id;
  try {
    await command("chat:message", { session_id: pending.session_id, ...pending.message });
    failures = 0;
    isSending = false;
    changeOutbox((outbox) => accepted(outbox, id));
  } catch (error) {
    isSending = false;
    if (error instanceof ProblemError && RETRYABLE_STATUS.has(error.problem.status)) pumpLater();
    else if (asProblem(error).status !== 401) changeOutbox((outbox) => refused(outbox, id, asProblem(error)));
  }
};

const pumpLater = (): void => {
  if (timer !== null) window.clearTimeout(timer);
  timer = window.setTimeout(() => void pump(), waitBefore(BACKOFF, failures++, Math.random()));
};

/** Take up what a reload interrupted, and go on whenever the connection is back. */
export const startSending = (): (() => void) => {
  useOutbox.setState({ pendingMessages: restored() });
  void pump();
  return watchConnection((isBack) => {
    if (isBack) void pump();
  });
};

/** Stop what runs in a session: over the socket, or plainly if there is none. */
export const stopTurn = async (session_id: string): Promise<void> => {
  try {
    await command("chat:stop", { session_id });
  } catch (error) {
    if (!(error instanceof ProblemError) || !error.isUnreachable) throw error;
    await api.stop(session_id);
  }
};
