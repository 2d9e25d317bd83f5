/**
 * A client of the tus protocol: announces a file, sends it in parts, and goes on where the server stands after a loss.
 *
 * The network is a function that is handed in; what is written here is the order of things.
 */

import { type Backoff, waitBefore } from "../lib/backoff";
import { newId } from "../lib/ids";

export interface Exchange {
  readonly method: "POST" | "HEAD" | "PATCH" | "DELETE";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Blob;
  /** Called with the bytes of the body that have left. */
  readonly onSent?: (bytes: number) => void;
}

export interface Answer {
  /** 0 without an answer. */
  readonly status: number;
  readonly header: (name: string) => string | null;
  readonly body: unknown;
}

export interface TusOptions {
  readonly exchange: (request: Exchange) => Promise<Answer>;
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly isStopped: () => boolean;
  readonly onAnnounced: (fileId: string) => void;
  readonly onSent: (bytes: number) => void;
}

/** The server said no, and will say so again. */
export class UploadRefusedError extends Error {
  constructor(readonly answer: Answer) {
    super(`The upload was refused with ${answer.status}`);
    this.name = "UploadRefusedError";
  }
}

const PART_BYTES = 4 * 1024 * 1024;
const BACKOFF: Backoff = { first_ms: 400, most_ms: 8_000 };
const VERSION = { "Tus-Resumable": "1.0.0" };
/** No answer, too much at once, another request still writes, or the login is being renewed. */
const PASSING: ReadonlySet<number> = new Set([0, 401, 403, 408, 423, 425, 429, 500, 502, 503, 504]);

/** `name base64`: any characters of any language. */
export const metadataOf = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name} ${btoa(String.fromCharCode(...new TextEncoder().encode(value)))}`)
    .join(",");

/** Send a file until the server has it whole: its id. Throws `UploadRefusedError`; ends quietly when stopped. */
export const sendFile = async (
  file: File,
  folder: string,
  fileId: string | null,
  options: TusOptions,
): Promise<string | null> => {
  let failures = 0;
  let id = fileId;
  const key = newId(); // an announcement whose answer was lost is sent again and is still the same file
  let offset: number | null = fileId === null ? null : await offsetOf(fileId, options);
  while (!options.isStopped()) {
    if (id !== null && offset !== null && offset >= file.size) return id;
    const answer: Answer =
      id === null ? await announce(file, folder, key, options) : await next(file, id, offset, options);
    if (answer.status >= 200 && answer.status < 300) {
      failures = 0;
      if (id === null) {
        id = (answer.body as { readonly file_id: string }).file_id;
        options.onAnnounced(id);
        offset = 0;
      } else offset = offsetIn(answer) ?? offset;
      options.onSent(offset ?? 0);
      continue;
    }
    const isBehind = answer.status === 409 && id !== null;
    if (!PASSING.has(answer.status) && !isBehind) throw new UploadRefusedError(answer);
    await options.wait(waitBefore(BACKOFF, failures++, Math.random()));
    offset = null;
  }
  return null;
};

const announce = (file: File, folder: string, key: string, { exchange }: TusOptions): Promise<Answer> =>
  exchange({
    method: "POST",
    path: "/api/files",
    headers: {
      ...VERSION,
      "Idempotency-Key": key,
      "Upload-Length": String(file.size),
      "Upload-Metadata": metadataOf({ filename: file.name, folder }),
    },
  });

/** The next part, or the question where to go on. */
const next = (file: File, id: string, offset: number | null, options: TusOptions): Promise<Answer> => {
  const path = `/api/files/${id}/upload`;
  if (offset === null) return options.exchange({ method: "HEAD", path, headers: VERSION });
  return options.exchange({
    method: "PATCH",
    path,
    headers: {
      ...VERSION,
      "Upload-Offset": String(offset),
      "Content-Type": "application/offset+octet-stream",
    },
    body: file.slice(offset, offset + PART_BYTES),
    onSent: (bytes) => options.onSent(offset + bytes),
  });
};

const offsetOf = async (id: string, { exchange }: TusOptions): Promise<number | null> => {
  const answer = await exchange({ method: "HEAD", path: `/api/files/${id}/upload`, headers: VERSION });
  if (answer.status === 404) throw new UploadRefusedError(answer);
  return answer.status === 200 ? offsetIn(answer) : null;
};

const offsetIn = (answer: Answer): number | null => {
  const written = answer.header("Upload-Offset");
  return written === null ? null : Number(written);
};
