/** Tables of a document, with the row that is cited marked and in view. */

import clsx from "clsx";
import { useEffect, useRef } from "react";

import type { Table } from "./tables";

const MOST_ROWS = 500;

export const TableView = ({ tables }: { readonly tables: readonly Table[] }) => {
  const marked = useRef<HTMLTableRowElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: in another table the row stands elsewhere
  useEffect(() => {
    void marked.current?.scrollIntoView({ block: "center" });
  }, [tables]);
  return (
    <>
      {tables.map(({ name, columns, rows }) => {
        const at = Math.max(0, rows.findIndex((row) => row.isMarked) - MOST_ROWS / 2);
        return (
          <div key={name} className="mb-4">
            {name !== "" && <h4 className="text-muted mb-1.5 text-xs font-medium">{name}</h4>}
            <section tabIndex={0} aria-label={name} className="border-line overflow-x-auto rounded-xl border">
              <table className="w-full border-collapse text-xs tabular-nums">
                {columns.length > 0 && (
                  <thead className="bg-sunken">
                    <tr>
                      {columns.map((column) => (
                        <th key={column} scope="col" className="px-2.5 py-1.5 text-left font-semibold">
                          {column}
                        </th>
                      ))}
                    </tr>
                  </thead>
                )}
                <tbody>
                  {rows.slice(at, at + MOST_ROWS).map((row) => (
                    <tr
                      key={row.place}
                      ref={row.isMarked ? marked : undefined}
                      data-marked={row.isMarked || undefined}
                      className={clsx("border-line border-t", row.isMarked && "bg-warn-soft font-medium")}
                    >
                      {row.cells.map((cell, index) => (
                        // biome-ignore lint/suspicious/noArrayIndexKey: a cell is named by its column
                        <td key={index} className="px-2.5 py-1.5 align-top break-words">
                          {row.isMarked && cell !== "" ? (
                            <mark className="bg-transparent text-ink">{cell}</mark>
                          ) : (
                            cell
                          )}
                        </td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </section>
          </div>
        );
      })}
    </>
  );
};
