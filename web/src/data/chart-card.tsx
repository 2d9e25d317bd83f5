/** A chart in the conversation: drawn, described, with its figures as a table and as files. */

import { ChartColumn, Download, History, Info, Table2 } from "lucide-react";
import { useState } from "react";

import { Button } from "../components/button";
import { IconButton } from "../components/icon-button";
import { Menu, MenuItem, MenuLink } from "../components/menu";
import { Skeleton } from "../components/skeleton";
import type { ChartItem } from "../events";
import { useText } from "../lib/i18n";
import { api } from "../transport/api";
import { DatasetTable } from "./dataset-table";
import { DrawnChart } from "./drawn-chart";
import { type DrawPicture, savePicture } from "./pictures";
import { PinMenu } from "./pin-menu";
import { useFigures } from "./use-figures";

const ChartCard = ({ item, sessionId }: { readonly item: ChartItem; readonly sessionId: string }) => {
  const t = useText();
  const figures = useFigures(sessionId, item.dataset_id);
  const [drawing, setDrawing] = useState<{ readonly draw: DrawPicture } | null>(null);
  const file = { name: item.dataset_name, title: item.title };
  const [isTable, setIsTable] = useState(item.chart_kind === "table");
  return (
    <section
      id={`chart-${item.chart_id}`}
      aria-label={t.datasets.chart(item.title)}
      className="bg-raised border-line shadow-card my-2 overflow-hidden rounded-card border"
      data-chart={item.chart_kind}
    >
      <header className="flex flex-wrap items-center gap-2 px-4 pt-2.5 pb-1">
        <ChartColumn aria-hidden="true" className="text-accent size-4 shrink-0" />
        <h3 className="min-w-[60%] flex-1 text-sm font-semibold break-words">{item.title}</h3>
        <div className="ml-auto flex items-center gap-2">
          {item.changes_chart_id !== null && (
            <IconButton
              size="small"
              label={t.datasets.changedFrom}
              onClick={() =>
                document.getElementById(`chart-${item.changes_chart_id}`)?.scrollIntoView({ block: "center" })
              }
            >
              <History className="size-3.5" />
            </IconButton>
          )}
          <IconButton
            size="small"
            label={t.datasets.showTable}
            aria-pressed={isTable}
            onClick={() => setIsTable((before) => !before)}
          >
            <Table2 className="size-3.5" />
          </IconButton>
          <PinMenu sessionId={sessionId} datasetId={item.dataset_id} />
          <Menu
            label={t.datasets.download}
            trigger={
              <Button size="small" look="quiet" aria-label={t.datasets.download}>
                <Download className="size-3.5" />
              </Button>
            }
          >
            {drawing !== null && (
              <>
                <MenuItem onSelect={() => void savePicture(drawing.draw, "png", file)}>PNG</MenuItem>
                <MenuItem onSelect={() => void savePicture(drawing.draw, "svg", file)}>SVG</MenuItem>
              </>
            )}
            <MenuLink href={api.datasetFile(sessionId, item.dataset_id, "csv")}>CSV</MenuLink>
            <MenuLink href={api.datasetFile(sessionId, item.dataset_id, "xlsx")}>XLSX</MenuLink>
          </Menu>
        </div>
      </header>
      <div className="px-4 pb-3">
        {figures === null && <Skeleton className="h-64 w-full" />}
        {figures === "failed" && <p className="text-danger py-6 text-sm">{t.datasets.notLoaded}</p>}
        {figures !== null && figures !== "failed" && (
          <DrawnChart
            item={item}
            columns={figures.columns}
            rows={figures.loaded}
            onReady={(draw) => setDrawing(draw === null ? null : { draw })}
          />
        )}
      </div>
      {figures !== null && figures !== "failed" && isTable && (
        <div className="border-line border-t">
          <DatasetTable
            label={item.title}
            columns={figures.columns}
            rows={figures.loaded.rows}
            references={figures.loaded.references}
            totals={figures.totals}
            words=""
          />
        </div>
      )}
      {item.notes.length > 0 && (
        <ul className="text-muted border-line border-t px-4 py-2 text-xs">
          {item.notes.map((note) => (
            <li key={note} className="flex items-start gap-1.5 py-0.5">
              <Info aria-hidden="true" className="mt-0.5 size-3 shrink-0" />
              {note}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
};

export default ChartCard;
