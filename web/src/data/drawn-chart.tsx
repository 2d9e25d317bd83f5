/** What a chart shows: a figure, or a drawing that is loaded when it is needed. */

import { lazy, Suspense } from "react";

import { ErrorBoundary } from "../components/error-boundary";
import { Skeleton } from "../components/skeleton";
import type { ChartItem, Column } from "../events";
import { useText } from "../lib/i18n";
import { isDrawable } from "./drawable";
import { FigureView } from "./figure-view";
import type { DrawPicture } from "./pictures";
import type { LoadedRows } from "./use-rows";
import { useChartTheme } from "./use-theme";

const VegaChart = lazy(() => import("./vega-chart"));

/** What a drawing is made of, wherever it is shown. */
export type Drawing = Pick<ChartItem, "chart_kind" | "spec" | "language" | "description">;

export const DrawnChart = ({
  item,
  columns,
  rows,
  onReady,
}: {
  readonly item: Drawing;
  readonly columns: readonly Column[];
  readonly rows: LoadedRows;
  readonly onReady: (draw: DrawPicture | null) => void;
}) => {
  const t = useText();
  const theme = useChartTheme();
  if (item.chart_kind === "kpi") return <FigureView item={item} columns={columns} row={rows.rows[0] ?? []} />;
  if (item.chart_kind === "table") return null;
  const failed = <p className="text-danger py-6 text-sm">{t.datasets.notDrawn}</p>;
  if (!isDrawable(item.spec)) return failed;
  return (
    <ErrorBoundary fallback={() => failed}>
      <Suspense fallback={<Skeleton className="h-64 w-full" />}>
        <VegaChart
          spec={item.spec}
          columns={columns}
          rows={rows.rows}
          language={item.language}
          theme={theme}
          description={item.description}
          onReady={onReady}
        />
      </Suspense>
    </ErrorBoundary>
  );
};
