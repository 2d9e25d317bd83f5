/** A table: sorted, filtered and added up here; only the rows in view exist. */

import { useVirtualizer } from "@tanstack/react-virtual";
import clsx from "clsx";
import { useMemo, useRef, useState } from "react";

import type { Column, RecordReference } from "../events";
import { useLocale, useText } from "../lib/i18n";
import { type Cell, cellText, exactSum, isNumeric, type Row, searchText, totalText } from "./cells";
import { RecordLink } from "./record-link";
import { Head } from "./table-head";
import { nextOrder, type Order, useOrder } from "./use-order";

const ROW_HEIGHT = 30;
const MOST_VISIBLE = 12;

export interface DatasetTableProps {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** The rows as they are searched, where they were made before. */
  readonly texts?: readonly string[];
  readonly references: readonly (RecordReference | null)[];
  readonly totals: Readonly<Record<string, Cell>>;
  readonly words: string;
}

/** Sums of what is shown: the server's where that is all, else those of the filtered rows. */
const totalsOf = (
  columns: readonly Column[],
  rows: readonly Row[],
  totals: Readonly<Record<string, Cell>>,
  shown: readonly number[],
): Readonly<Record<string, Cell>> => {
  if (shown.length === rows.length) return totals;
  const added = columns.flatMap((column, place) => {
    if (!(column.name in totals)) return [];
    const sum = exactSum(shown.map((number) => rows[number]?.[place] ?? null));
    return [[column.name, sum] as const];
  });
  return Object.fromEntries(added);
};

export const DatasetTable = (props: DatasetTableProps) => {
  const { columns, rows, references, words, label } = props;
  const locale = useLocale();
  const t = useText();
  const frame = useRef<HTMLElement>(null);
  const [order, setOrder] = useState<Order | null>(null);
  const given = props.texts;
  const texts = useMemo(() => given ?? rows.map(searchText), [given, rows]);
  const { language } = locale;
  const { numbers: shown, isSorting } = useOrder(rows, texts, columns, { words, order, language });
  const { totals: allTotals } = props;
  const totals = useMemo(() => totalsOf(columns, rows, allTotals, shown), [columns, rows, allTotals, shown]);
  const virtualizer = useVirtualizer({
    count: shown.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
  });
  const hasLinks = references.some((reference) => reference !== null);
  const sortBy = (place: number): void => setOrder((before) => nextOrder(before, place));
  const items = virtualizer.getVirtualItems();
  const above = items[0]?.start ?? 0;
  const below = virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <section
      ref={frame}
      aria-label={label}
      tabIndex={0}
      className="overflow-auto outline-offset-[-2px]"
      style={{ maxHeight: (MOST_VISIBLE + 2) * ROW_HEIGHT }}
    >
      <table
        aria-label={label}
        aria-rowcount={shown.length + 1}
        aria-busy={isSorting}
        className="w-full table-fixed text-[0.8125rem]"
      >
        <thead className="bg-sunken sticky top-0 z-10">
          <tr aria-rowindex={1}>
            {columns.map((column, place) => (
              <Head
                key={column.name}
                column={column}
                direction={
                  order?.place === place ? (order.isDescending ? "descending" : "ascending") : "none"
                }
                onSort={() => sortBy(place)}
              />
            ))}
            {hasLinks && (
              <th scope="col" className="w-9">
                <span className="sr-only">{t.datasets.record}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {above > 0 && <Spacer height={above} />}
          {items.map(({ index }) => {
            const number = shown[index] ?? 0;
            return (
              <tr
                key={number}
                aria-rowindex={index + 2}
                className="border-line hover:bg-hover/60 border-t"
                style={{ height: ROW_HEIGHT }}
              >
                {columns.map((column, place) => (
                  <td
                    key={column.name}
                    className={clsx("truncate px-3", isNumeric(column) && "text-right tabular-nums")}
                  >
                    {cellText(rows[number]?.[place] ?? null, column, locale)}
                  </td>
                ))}
                {hasLinks && (
                  <td className="text-center">
                    <RecordLink reference={references[number] ?? null} />
                  </td>
                )}
              </tr>
            );
          })}
          {below > 0 && <Spacer height={below} />}
        </tbody>
        {rows.length > 1 && Object.keys(totals).length > 0 && (
          <tfoot className="bg-sunken border-line sticky bottom-0 border-t font-medium">
            <tr style={{ height: ROW_HEIGHT }}>
              {columns.map((column, place) => (
                <td
                  key={column.name}
                  className={clsx("truncate px-3", place > 0 && "text-right tabular-nums")}
                >
                  {column.name in totals
                    ? totalText(totals[column.name], column, locale)
                    : place === 0
                      ? t.datasets.total
                      : null}
                </td>
              ))}
              {hasLinks && <td />}
            </tr>
          </tfoot>
        )}
      </table>
    </section>
  );
};

/** The height of the rows that are not there. */
const Spacer = ({ height }: { readonly height: number }) => (
  <tr style={{ height }}>
    <td />
  </tr>
);
