/** The rows of a table: the first ones from its event, the rest from the server, page by page. */

import { useEffect, useState } from "react";

import type { RecordReference } from "../events";
import { api } from "../transport/api";
import { type Row, searchText } from "./cells";

export const MOST_ROWS = 100_000;
const PAGE = 5_000;

export interface LoadedRows {
  readonly rows: readonly Row[];
  readonly references: readonly (RecordReference | null)[];
  readonly isComplete: boolean;
  readonly hasFailed: boolean;
}

export interface SearchableRows extends LoadedRows {
  /** The rows as they are searched. */
  readonly texts: readonly string[];
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
): SearchableRows => {
  const [loaded, setLoaded] = useState<SearchableRows>(() => ({
    ...first,
    texts: first.rows.map(searchText),
  }));
  useEffect(() => {
    if (!isWanted || first.isComplete) return;
    let isGone = false;
    const load = async (): Promise<void> => {
      const rows: Row[] = [];
      const texts: string[] = [];
      const references: (RecordReference | null)[] = [];
      const most = Math.min(rowCount, MOST_ROWS);
      while (rows.length < most && !isGone) {
        const page = await api.datasetRows(sessionId, datasetId, rows.length, PAGE);
        if (page.rows.length === 0) break;
        rows.push(...page.rows);
        texts.push(...page.rows.map(searchText));
        references.push(...page.references);
        const isComplete = rows.length >= most;
        // The first page is shown at once, the others together: a table that grows would be sorted each time.
        if (!isGone && (isComplete || rows.length === page.rows.length))
          setLoaded({
            rows: [...rows],
            texts: [...texts],
            references: [...references],
            isComplete,
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
