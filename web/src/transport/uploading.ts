/** Moves files: sends them, follows their processing, and takes both up again after a loss or a reload. */

import { newId } from "../lib/ids";
import { useAccount } from "./account";
import { http } from "./api";
import { filesApi } from "./files";
import { forgetBytes, keepBytes, keptBytes } from "./kept-bytes";
import { asProblem, problemOf } from "./problem";
import { follow } from "./processing";
import { changeTransfer, changeTransfers, type Transfer, useTransfers } from "./transfers";
import { type Answer, type Exchange, sendFile, UploadRefusedError } from "./tus";
import { exchangeOver } from "./xhr";

/** Files that are sent at the same time. */
const LANES = 3;

const requests = new Map<string, XMLHttpRequest>();
const waiting: (() => Promise<void>)[] = [];
let running = 0;

const transferOf = (id: string): Transfer | undefined =>
  useTransfers.getState().transfers.find((each) => each.id === id);

/** Send files, and attach them to a draft if there is one. */
export const upload = (files: readonly File[], draft: string | null, folder: string): void => {
  for (const file of files) {
    const id = newId();
    changeTransfers((all) => [
      ...all,
      {
        id,
        file_id: null,
        draft,
        folder,
        name: file.name,
        size_bytes: file.size,
        media_type: file.type === "" ? "application/octet-stream" : file.type,
        state: "sending",
        sent_bytes: 0,
        progress: 0,
        reason: null,
      },
    ]);
    void keepBytes(id, file);
    enqueue(() => send(id, file));
  }
};

/** Go on with a file that was chosen again after its bytes were lost. */
export const resume = (id: string, file: File): void => {
  const transfer = transferOf(id);
  if (transfer === undefined) return;
  const isSame = file.name === transfer.name && file.size === transfer.size_bytes;
  changeTransfer(id, {
    state: "sending",
    ...(isSame ? {} : { file_id: null, name: file.name, size_bytes: file.size }),
  });
  void keepBytes(id, file);
  enqueue(() => send(id, file));
};

/** After a reload: send on what the browser kept, and look how far the server is with the rest. */
export const restore = (): void => {
  for (const { id, state } of useTransfers.getState().transfers) {
    if (state === "sending")
      void keptBytes(id).then((file) =>
        file === null ? changeTransfer(id, { state: "lost" }) : enqueue(() => send(id, file)),
      );
    if (state === "processing") void follow(id);
  }
};

/** Stop sending a file, and delete what the server has of it. */
export const cancel = ({ id, file_id, state }: Transfer): void => {
  requests.get(id)?.abort();
  void forgetBytes(id);
  if (file_id !== null && state !== "processing") filesApi.remove(file_id).catch(() => undefined);
};

export const forget = (): void => {
  for (const [id, request] of requests) {
    request.abort();
    void forgetBytes(id);
  }
};

const enqueue = (work: () => Promise<void>): void => {
  waiting.push(work);
  pump();
};

const pump = (): void => {
  const work = running < LANES ? waiting.shift() : undefined;
  if (work === undefined) return;
  running += 1;
  void work().finally(() => {
    running -= 1;
    pump();
  });
};

const send = async (id: string, file: File): Promise<void> => {
  const transfer = transferOf(id);
  if (transfer === undefined) return;
  try {
    const sent = await sendFile(file, transfer.folder, transfer.file_id, {
      exchange: (request) => exchange(id, request),
      wait: pause,
      isStopped: () => transferOf(id) === undefined,
      onAnnounced: (file_id) => changeTransfer(id, { file_id }),
      onSent: (sent_bytes) => changeTransfer(id, { sent_bytes: Math.min(sent_bytes, file.size) }),
    });
    if (sent === null) return;
    changeTransfer(id, { state: "processing", sent_bytes: file.size });
    void follow(id);
  } catch (error) {
    changeTransfer(id, { state: "failed", reason: reasonOf(error) });
  } finally {
    requests.delete(id);
    void forgetBytes(id);
  }
};

/** Ask the server; a session that another tab renewed is asked for its token before the next attempt. */
const exchange = async (id: string, request: Exchange): Promise<Answer> => {
  const ask = exchangeOver(http.sessionHeaders, (started) => requests.set(id, started));
  const answer = await ask(request);
  if (answer.status === 403) await http.renew().catch(() => undefined);
  if (answer.status === 401) useAccount.getState().expire();
  return answer;
};

const reasonOf = (error: unknown): Readonly<Record<string, string>> => {
  const problem =
    error instanceof UploadRefusedError
      ? problemOf(error.answer.status, error.answer.body)
      : asProblem(error);
  return { "": problem.detail || problem.title };
};

/** Wait; the return of the network ends the wait early. */
const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      window.clearTimeout(timer);
      window.removeEventListener("online", end);
      resolve();
    };
    const timer = window.setTimeout(end, milliseconds);
    window.addEventListener("online", end);
  });
