/** The figures of a chart, from the server. */

import { useEffect, useState } from "react";

import type { Column } from "../events";
import { api } from "../transport/api";
import type { Cell } from "./cells";
import type { LoadedRows } from "./use-rows";

export interface Figures {
  readonly columns: readonly Column[];
  readonly totals: Readonly<Record<string, Cell>>;
  readonly loaded: LoadedRows;
}

const MOST_FIGURES = 5_000;

/** Null while they are on their way. */
export const useFigures = (sessionId: string, datasetId: string): Figures | "failed" | null => {
  const [figures, setFigures] = useState<Figures | "failed" | null>(null);
  useEffect(() => {
    let isGone = false;
    const load = async (): Promise<void> => {
      const [head, page] = await Promise.all([
        api.dataset(sessionId, datasetId),
        api.datasetRows(sessionId, datasetId, 0, MOST_FIGURES),
      ]);
      const loaded = { rows: page.rows, references: page.references, isComplete: true, hasFailed: false };
      if (!isGone) setFigures({ columns: head.columns, totals: head.totals, loaded });
    };
    load().catch(() => !isGone && setFigures("failed"));
    return () => {
      isGone = true;
    };
  }, [sessionId, datasetId]);
  return figures;
};
