/** The head of a column: its title sorts by it. */

import clsx from "clsx";
import { ArrowDown, ArrowUp } from "lucide-react";

import type { Column } from "../events";
import { useText } from "../lib/i18n";
import { headOf, isNumeric } from "./cells";

export const Head = ({
  column,
  direction,
  onSort,
}: {
  readonly column: Column;
  readonly direction: "ascending" | "descending" | "none";
  readonly onSort: () => void;
}) => {
  const t = useText();
  const Arrow = direction === "descending" ? ArrowDown : ArrowUp;
  return (
    <th scope="col" aria-sort={direction} className={isNumeric(column) ? "w-28 sm:w-36" : "w-32 sm:w-48"}>
      <button
        type="button"
        onClick={onSort}
        title={t.datasets.sort}
        className={clsx(
          "text-muted hover:text-ink flex h-8 w-full items-center gap-1 px-3 text-xs font-medium",
          isNumeric(column) && "justify-end",
        )}
      >
        <span className="truncate">{headOf(column)}</span>
        {direction !== "none" && <Arrow aria-hidden="true" className="size-3 shrink-0" />}
      </button>
    </th>
  );
};
