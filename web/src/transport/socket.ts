/** The socket: one connection for the page, WebSocket only, back again by itself after a loss. */

import { io, type Socket } from "socket.io-client";
import { create } from "zustand";

import type { WireEvent } from "../events";
import { useAccount } from "./account";
import type { OutgoingMessage, SessionSummary } from "./api-types";
import type { JobView } from "./generated-api";
import { type Problem, ProblemError, problemOf, UNREACHABLE } from "./problem";
import { RECONNECTION, waitAfterRefusal } from "./reconnection";

type Ack<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly problem: Problem };

export interface JoinAck {
  readonly epoch: number;
  readonly last_sequence: number;
  readonly resync: boolean;
}

interface Position {
  readonly epoch?: number;
  readonly last_sequence?: number;
}

/** How far long work is. */
export type JobChange = Pick<JobView, "job_id" | "kind" | "subject_id" | "status" | "progress" | "error">;

interface ServerEvents {
  "agent:event": (event: WireEvent) => void;
  "session:resync": (message: { readonly session_id: string; readonly epoch: number }) => void;
  "session:changed": (summary: SessionSummary) => void;
  "session:deleted": (message: { readonly session_id: string }) => void;
  "job:changed": (job: JobChange) => void;
  "approvals:changed": (message: object) => void;
}

interface ClientCommands {
  "session:join": { readonly session_id: string } & Position;
  "session:leave": { readonly session_id: string };
  "chat:message": { readonly session_id: string } & OutgoingMessage;
  "chat:stop": { readonly session_id: string };
}

export type ConnectionStatus = "connecting" | "online" | "offline";

/** Whether the page is in touch with the server. */
export const useConnection = create<{ readonly status: ConnectionStatus; readonly attempt: number }>(() => ({
  status: "connecting",
  attempt: 0,
}));

const ACK_TIMEOUT_MS = 8_000;

const socket: Socket<ServerEvents> = io({
  autoConnect: false,
  transports: ["websocket"],
  ...RECONNECTION,
});

socket.on("connect", () => useConnection.setState({ status: "online", attempt: 0 }));
socket.on("disconnect", (reason) => {
  useConnection.setState({ status: "offline" });
  // A server that ends the connection itself does so when the login is over, or to be asked again.
  if (reason === "io server disconnect" && useAccount.getState().status === "signed-in") socket.connect();
});
socket.on("connect_error", (error) => {
  useConnection.setState({ status: "offline" });
  if (isUnauthorized(error)) useAccount.getState().expire();
  else if (!socket.active) window.setTimeout(() => socket.connect(), waitAfterRefusal(Math.random()));
});
socket.io.on("reconnect_attempt", (attempt) => useConnection.setState({ status: "connecting", attempt }));
window.addEventListener("online", () => {
  if (socket.active && !socket.connected) socket.disconnect().connect();
});

const isUnauthorized = (error: Error & { data?: { status?: number } }): boolean =>
  error.data?.status === 401 || /unauthori[sz]ed|authenticat|401/i.test(error.message);

/** Send a command and wait for its acknowledgement. Throws `ProblemError` when refused or unanswered. */
export const command = async <Name extends keyof ClientCommands, Answer = object>(
  name: Name,
  content: ClientCommands[Name],
): Promise<Answer> => {
  if (!socket.connected) throw new ProblemError(UNREACHABLE);
  const ack = await acknowledged<Answer>(name, content);
  if (ack.ok) return ack;
  const problem = problemOf(ack.problem.status, ack.problem);
  if (problem.status === 401) useAccount.getState().expire();
  throw new ProblemError(problem);
};

const acknowledged = async <Answer>(name: string, content: object): Promise<Ack<Answer>> => {
  const open = socket as unknown as Socket;
  try {
    return (await open.timeout(ACK_TIMEOUT_MS).emitWithAck(name, content)) as Ack<Answer>;
  } catch {
    throw new ProblemError(UNREACHABLE);
  }
};

export const connect = (): void => {
  useConnection.setState({ status: "connecting", attempt: 0 });
  socket.connect();
};

export const disconnect = (): void => {
  socket.disconnect();
};

/** Listen to the server; the answer stops listening. */
export const listen = <Name extends keyof ServerEvents>(
  name: Name,
  listener: ServerEvents[Name],
): (() => void) => {
  const open = socket as unknown as Socket;
  const heard = listener as (message: unknown) => void;
  open.on(name as string, heard);
  return () => {
    open.off(name as string, heard);
  };
};

/** Hear of connection and loss; the answer stops listening. */
export const watchConnection = (onChange: (isConnected: boolean) => void): (() => void) => {
  const up = (): void => onChange(true);
  const down = (): void => onChange(false);
  socket.on("connect", up).on("disconnect", down);
  return () => {
    socket.off("connect", up).off("disconnect", down);
  };
};

export const isConnected = (): boolean => socket.connected;
