/** The files of a person: pages as they are asked for, progress as the server tells it. */

import { useCallback, useEffect, useRef, useState } from "react";

import { filesApi } from "../../transport/files";
import type { FileList } from "../../transport/generated-api";
import { percentOf } from "../../transport/processing";
import { listen, watchConnection } from "../../transport/socket";
import { useTransfers } from "../../transport/transfers";

export interface ListedFiles {
  readonly status: "loading" | "ready" | "failed";
  readonly list: FileList | null;
  /** How far the processing of a file is, in percent, by its id. */
  readonly progress: Readonly<Record<string, number>>;
  readonly reload: () => void;
  readonly more: () => void;
}

const AGAIN_MS = 300;

/** Files of a folder, or all of them. */
export const useFiles = (folder: string | null): ListedFiles => {
  const [list, setList] = useState<FileList | null>(null);
  const [status, setStatus] = useState<ListedFiles["status"]>("loading");
  const [progress, setProgress] = useState<Readonly<Record<string, number>>>({});
  // An upload that was announced or has ended is a row of the list.
  const known = useTransfers((state) =>
    state.transfers.map(({ file_id, state: at }) => `${file_id}${at}`).join(),
  );

  const shown = useRef(folder);
  const reload = useCallback(() => {
    const isShown = (): boolean => shown.current === folder;
    filesApi.page(folder, null).then(
      (page) => {
        if (!isShown()) return;
        setList(page);
        setStatus("ready");
      },
      () => isShown() && setStatus((before) => (before === "loading" ? "failed" : before)),
    );
  }, [folder]);
  useEffect(() => {
    shown.current = folder;
    setList(null);
    setStatus("loading");
  }, [folder]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is known of uploads changes the list
  useEffect(() => {
    const timer = window.setTimeout(reload, list === null ? 0 : AGAIN_MS);
    return () => window.clearTimeout(timer);
  }, [reload, known]);
  useEffect(() => {
    const stops = [
      listen("job:changed", (job) => {
        setProgress((before) => ({ ...before, [job.subject_id]: percentOf(job.progress) }));
        if (job.status !== "queued" && job.status !== "running") reload();
      }),
      watchConnection((isUp) => isUp && reload()),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [reload]);

  const more = useCallback(() => {
    if (list?.next_cursor == null) return;
    filesApi.page(folder, list.next_cursor).then(
      (page) => setList({ ...page, items: [...list.items, ...page.items] }),
      () => undefined,
    );
  }, [folder, list]);
  return { status, list, progress, reload, more };
};
