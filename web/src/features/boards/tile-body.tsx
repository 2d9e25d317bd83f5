/** What a tile shows: a table, a figure or a drawing. */

import { DatasetTable } from "../../data/dataset-table";
import { DrawnChart } from "../../data/drawn-chart";
import type { Tile } from "../../transport/api-types";

const ignore = (): void => undefined;

export const TileBody = ({ tile: { shown, title } }: { readonly tile: Tile }) => {
  if (shown.kind === "table")
    return (
      <DatasetTable
        label={title}
        columns={shown.columns}
        rows={shown.rows}
        references={shown.references}
        totals={shown.totals}
        words=""
      />
    );
  const loaded = { rows: shown.rows, references: shown.references, isComplete: true, hasFailed: false };
  return (
    <div className="px-4 pb-3">
      <DrawnChart
        item={{ ...shown, chart_kind: shown.kind }}
        columns={shown.columns}
        rows={loaded}
        onReady={ignore}
      />
    </div>
  );
};
