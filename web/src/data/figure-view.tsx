/** One figure, large, with what it was before. */

import clsx from "clsx";
import { TrendingDown, TrendingUp } from "lucide-react";

import type { ChartItem, Column } from "../events";
import type { Locale } from "../lib/format";
import { useLocale, useText } from "../lib/i18n";
import { type Cell, cellText, type Row } from "./cells";

interface FigureSpec {
  readonly value: string;
  readonly previous?: string;
  readonly change?: string;
  readonly label?: string;
}

const amount = (value: Cell, column: Column, locale: Locale): string => {
  if (value === null) return "–";
  if (column.currency === null)
    return `${cellText(value, column, locale)}${column.unit === null ? "" : ` ${column.unit}`}`;
  return Number(value).toLocaleString(locale.language, {
    style: "currency",
    currency: column.currency,
    useGrouping: true,
  });
};

export const FigureView = ({
  item,
  columns,
  row,
}: {
  readonly item: Pick<ChartItem, "spec">;
  readonly columns: readonly Column[];
  readonly row: Row;
}) => {
  const t = useText();
  const locale = useLocale();
  const spec = item.spec["figure"] as FigureSpec | undefined;
  const at = (name: string | undefined): Cell =>
    row[columns.findIndex((column) => column.name === name)] ?? null;
  const column = columns.find((one) => one.name === spec?.value);
  if (spec === undefined || column === undefined) return null;
  const change = at(spec.change);
  const previous = at(spec.previous);
  const Trend = Number(change) < 0 ? TrendingDown : TrendingUp;
  const share =
    previous === null || Number(previous) === 0 ? null : Number(change) / Math.abs(Number(previous));
  return (
    <div className="py-3">
      <p className="text-3xl font-semibold tabular-nums">{amount(at(spec.value), column, locale)}</p>
      {spec.label !== undefined && <p className="text-faint text-sm">{String(at(spec.label) ?? "")}</p>}
      {change !== null && (
        <p
          className={clsx(
            "mt-1 flex items-center gap-1.5 text-sm",
            Number(change) < 0 ? "text-danger" : "text-ok",
          )}
        >
          <Trend aria-hidden="true" className="size-4" />
          {amount(change, column, locale)}
          {share !== null &&
            ` (${share.toLocaleString(locale.language, { style: "percent", maximumFractionDigits: 1 })})`}
          <span className="text-faint">{t.datasets.before(amount(previous, column, locale))}</span>
        </p>
      )}
    </div>
  );
};
