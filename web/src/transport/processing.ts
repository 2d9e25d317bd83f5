/** Follows the processing of files: as the server tells, and by asking, for what it tells may get lost. */

import { filesApi } from "./files";
import type { FileView } from "./generated-api";
import { asProblem } from "./problem";
import { listen, watchConnection } from "./socket";
import { changeTransfer, useTransfers } from "./transfers";

const POLL_MS = 1_500;

/** Follow a file until it was read, or could not be. */
export const follow = async (id: string): Promise<void> => {
  let wake: () => void = () => undefined;
  const stops = [
    listen("job:changed", (job) => {
      if (job.subject_id !== fileOf(id)) return;
      changeTransfer(id, { progress: percentOf(job.progress) });
      if (job.status !== "queued" && job.status !== "running") wake();
    }),
    watchConnection((isUp) => isUp && wake()),
  ];
  try {
    for (;;) {
      const fileId = fileOf(id);
      if (fileId === null) return;
      const file = await filesApi.one(fileId).catch((error: unknown) => missing(error));
      if (file !== null && file.status !== "processing") return settle(id, file);
      await new Promise<void>((resolve) => {
        const timer = window.setTimeout(resolve, POLL_MS);
        wake = () => {
          window.clearTimeout(timer);
          resolve();
        };
      });
    }
  } catch (error) {
    changeTransfer(id, { state: "failed", reason: { "": asProblem(error).detail } });
  } finally {
    for (const stop of stops) stop();
  }
};

const fileOf = (id: string): string | null =>
  useTransfers.getState().transfers.find((each) => each.id === id)?.file_id ?? null;

/** A server that does not answer is asked again; a file that is gone is an error. */
const missing = (error: unknown): null => {
  if (asProblem(error).status === 404) throw error;
  return null;
};

const settle = (id: string, file: FileView): void => {
  if (file.status === "ready")
    changeTransfer(id, { state: "ready", progress: 100, media_type: file.media_type, name: file.name });
  else changeTransfer(id, { state: "failed", reason: file.explanation });
};

/** `45/100` as a number of a hundred. */
export const percentOf = (progress: string): number => {
  const [done, total] = progress.split("/").map(Number);
  return total ? Math.round((100 * (done ?? 0)) / total) : 0;
};
