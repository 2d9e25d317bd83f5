/** The records that figures are the sum of: fetched when they are asked for, by the name of their table. */

import { useEffect, useState } from "react";

import { useText } from "../lib/i18n";
import { api } from "../transport/api";
import type { DatasetHead } from "../transport/api-types";
import { DatasetTable } from "./dataset-table";
import { useRows } from "./use-rows";

const NOTHING = { rows: [], references: [], isComplete: false, hasFailed: false };

const Rows = ({ head, sessionId }: { readonly head: DatasetHead; readonly sessionId: string }) => {
  const source = { sessionId, datasetId: head.dataset_id, rowCount: head.row_count, first: NOTHING };
  const loaded = useRows(source, true);
  return (
    <DatasetTable
      label={head.title || head.name}
      columns={head.columns}
      rows={loaded.rows}
      references={loaded.references}
      totals={head.totals}
      words=""
    />
  );
};

export const RecordTable = ({ name, sessionId }: { readonly name: string; readonly sessionId: string }) => {
  const t = useText();
  const [head, setHead] = useState<DatasetHead | null>(null);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    let isGone = false;
    api
      .datasets(sessionId)
      .then((found) => {
        const own = found.items.find((item) => item.name === name) ?? null;
        if (!isGone) own === null ? setFailed(true) : setHead(own);
      })
      .catch(() => !isGone && setFailed(true));
    return () => {
      isGone = true;
    };
  }, [name, sessionId]);
  if (hasFailed) return <p className="text-danger px-4 py-2 text-xs">{t.datasets.notLoaded}</p>;
  return head === null ? null : <Rows head={head} sessionId={sessionId} />;
};
