/** A table that a tool brought, in the conversation. */

import { Download, Table2 } from "lucide-react";
import { useState } from "react";

import { Button } from "../components/button";
import { CopyButton } from "../components/copy-button";
import { Menu, MenuLink } from "../components/menu";
import type { DatasetItem } from "../events";
import { withDays } from "../lib/days";
import { count } from "../lib/format";
import { useLocale, useText } from "../lib/i18n";
import { api } from "../transport/api";
import { asTabs, filtered } from "./cells";
import { DatasetTable } from "./dataset-table";
import { PinMenu } from "./pin-menu";
import { RecordTable } from "./record-table";
import { MOST_ROWS, type RowsSource, useRows } from "./use-rows";

export const rowsOf = (item: DatasetItem, sessionId: string): RowsSource => ({
  sessionId,
  datasetId: item.dataset_id,
  rowCount: item.row_count,
  first: {
    rows: item.first_rows,
    references: item.first_references,
    isComplete: item.row_count <= item.first_rows.length,
    hasFailed: false,
  },
});

const TableCard = ({ item, sessionId }: { readonly item: DatasetItem; readonly sessionId: string }) => {
  const t = useText();
  const locale = useLocale();
  const [words, setWords] = useState("");
  const [opened, setOpened] = useState<string | null>(null);
  const loaded = useRows(rowsOf(item, sessionId), true);
  const title = withDays(item.title || item.name, locale);
  const file = (format: "csv" | "xlsx"): string => api.datasetFile(sessionId, item.dataset_id, format);
  return (
    <section
      aria-label={t.datasets.table(title)}
      className="bg-raised border-line shadow-card my-2 overflow-hidden rounded-card border"
      data-dataset={item.name}
    >
      <header className="flex flex-wrap items-center gap-2 px-4 py-2.5">
        <Table2 aria-hidden="true" className="text-accent size-4 shrink-0" />
        <h3 className="min-w-[50%] flex-1 text-sm font-semibold break-words">{title}</h3>
        <input
          type="search"
          value={words}
          onChange={(event) => setWords(event.target.value)}
          aria-label={t.datasets.filter}
          placeholder={t.datasets.filter}
          className="bg-sunken border-line h-7 w-36 rounded-lg border px-2 text-xs"
        />
        <CopyButton
          value={() =>
            asTabs(
              item.columns,
              filtered(loaded.texts, words).map((number) => loaded.rows[number] ?? []),
            )
          }
          label={t.common.copy}
          doneLabel={t.common.copied}
        />
        <PinMenu sessionId={sessionId} datasetId={item.dataset_id} />
        <Menu
          label={t.datasets.download}
          trigger={
            <Button size="small" look="quiet" aria-label={t.datasets.download}>
              <Download className="size-3.5" />
            </Button>
          }
        >
          <MenuLink href={file("csv")}>CSV</MenuLink>
          <MenuLink href={file("xlsx")}>XLSX</MenuLink>
        </Menu>
      </header>
      <DatasetTable
        label={title}
        columns={item.columns}
        rows={loaded.rows}
        texts={loaded.texts}
        references={loaded.references}
        totals={item.totals}
        words={words}
      />
      <footer className="text-faint border-line flex flex-wrap gap-x-3 border-t px-4 py-2 text-xs">
        <span>{t.datasets.rows(count(item.row_count, locale))}</span>
        {item.row_count > MOST_ROWS && (
          <span className="text-warn">{t.datasets.onlyFirst(count(MOST_ROWS, locale))}</span>
        )}
        {item.provenance.company !== null && <span>{item.provenance.company}</span>}
        {item.provenance.sources.map((name) => (
          <button
            key={name}
            type="button"
            className="text-accent underline-offset-2 hover:underline"
            aria-expanded={opened === name}
            title={t.datasets.from(name)}
            onClick={() => setOpened(opened === name ? null : name)}
          >
            {t.datasets.showRecords}
          </button>
        ))}
        {item.provenance.is_cut_short && (
          <span className="text-warn">
            {t.datasets.cutShort(count(item.provenance.record_count, locale))}
          </span>
        )}
        {loaded.hasFailed && <span className="text-danger">{t.datasets.notLoaded}</span>}
      </footer>
      {opened !== null && <RecordTable name={opened} sessionId={sessionId} />}
    </section>
  );
};

export default TableCard;
