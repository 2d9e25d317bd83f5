/** The lines of a document of the ERP, as a table. */

import type { ErpRecord } from "../transport/api-types";

export type Field = ErpRecord["fields"][number];

/** What is looked at of a line; of one that has none of it, everything. */
const LINE_FIELDS = [
  "lineObjectNumber",
  "description",
  "quantity",
  "unitPrice",
  "directUnitCost",
  "discountPercent",
  "taxPercent",
  "netAmount",
];

const columnsOf = (lines: readonly (readonly Field[])[]): readonly Field[] => {
  const all = new Map(lines.flat().map((field) => [field.name, field]));
  const usual = LINE_FIELDS.flatMap((name) => all.get(name) ?? []);
  return usual.length > 0 ? usual : [...all.values()];
};

export const RecordLines = ({ lines }: { readonly lines: readonly (readonly Field[])[] }) => {
  const columns = columnsOf(lines);
  const side = (column: Field): string => (column.type === "Decimal" ? "text-right" : "text-left");
  return (
    <div className="overflow-x-auto" tabIndex={0}>
      <table className="w-full text-sm tabular-nums">
        <thead className="text-muted">
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" className={`py-1 pr-3 font-medium ${side(column)}`}>
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map((line, number) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
            <tr key={number} className="border-line border-t">
              {columns.map((column) => (
                <td key={column.name} className={`py-1 pr-3 ${side(column)}`}>
                  {line.find((field) => field.name === column.name)?.text}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
