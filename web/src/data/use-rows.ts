/** The rows of a table: the first ones from its event, the rest from the server, page by page. */

import { useEffect, useState } from "react";

import type { RecordReference } from "../events";
import { api } from "../transport/api";
import type { Row } from "./cells";

export const MOST_ROWS = 100_000;
const PAGE = 5_000;

export interface LoadedRows {
  readonly rows: readonly Row[];
  readonly references: readonly (RecordReference | null)[];
  readonly isComplete: boolean;
  readonly hasFailed: boolean;
}

export interface RowsSource {
  readonly sessionId: string;
  readonly datasetId: string;
  readonly rowCount: number;
  readonly first: LoadedRows;
}

/** All rows that a page shows, as far as they are here. Nothing is fetched where the first ones are all. */
export const useRows = (
  { sessionId, datasetId, rowCount, first }: RowsSource,
  isWanted: boolean,
): LoadedRows => {
  const [loaded, setLoaded] = useState<LoadedRows>(first);
  useEffect(() => {
    if (!isWanted || first.isComplete) return;
    let isGone = false;
    const load = async (): Promise<void> => {
      const rows: Row[] = [];
      const references: (RecordReference | null)[] = [];
      const most = Math.min(rowCount, MOST_ROWS);
      while (rows.length < most && !isGone) {
        const page = await api.datasetRows(sessionId, datasetId, rows.length, PAGE);
        if (page.rows.length === 0) break;
        rows.push(...page.rows);
        references.push(...page.references);
        if (!isGone)
          setLoaded({
            rows: [...rows],
            references: [...references],
            isComplete: rows.length >= most,
            hasFailed: false,
          });
      }
    };
    load().catch(() => !isGone && setLoaded((before) => ({ ...before, hasFailed: true })));
    return () => {
      isGone = true;
    };
  }, [sessionId, datasetId, rowCount, isWanted, first.isComplete]);
  return loaded;
};
