/** A record of the ERP, as it is now: its fields and its lines. */

import { useEffect, useState } from "react";

import { Dialog } from "../components/dialog";
import type { RecordReference } from "../events";
import { useText } from "../lib/i18n";
import { inWords } from "../lib/words";
import { api } from "../transport/api";
import type { ErpRecord } from "../transport/api-types";
import { asProblem } from "../transport/problem";

type Field = ErpRecord["fields"][number];

const Fields = ({ fields }: { readonly fields: readonly Field[] }) => (
  <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
    {fields.map((field) => (
      <div key={field.name} className="contents">
        <dt className="text-muted">{field.label}</dt>
        <dd className="min-w-0 break-words">{field.text}</dd>
      </div>
    ))}
  </dl>
);

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

const Lines = ({ lines }: { readonly lines: readonly (readonly Field[])[] }) => {
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

export const RecordDialog = ({
  reference,
  onClose,
}: {
  readonly reference: RecordReference;
  readonly onClose: () => void;
}) => {
  const t = useText();
  const [record, setRecord] = useState<ErpRecord | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const { entity, key, company } = reference;
  useEffect(() => {
    let isGone = false;
    api
      .erpRecord(entity, key, company)
      .then((found) => !isGone && setRecord(found))
      .catch((error: unknown) => {
        // A refusal says which right is missing; whatever else went wrong, there is nothing to show.
        const { status, detail } = asProblem(error);
        if (!isGone) setFailure(status === 403 ? detail : t.datasets.notFound);
      });
    return () => {
      isGone = true;
    };
  }, [entity, key, company, t]);
  const title = record === null ? inWords(entity) : `${record.title} ${record.number} ${record.name}`.trim();
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      description={record?.company.name}
      closeLabel={t.common.close}
      className="max-w-xl"
    >
      {failure !== null && <p className="text-danger text-sm">{failure}</p>}
      {record !== null && <Fields fields={record.fields} />}
      {record !== null && record.lines.length > 0 && (
        <section aria-label={t.datasets.lines} className="mt-4">
          <h3 className="mb-2 text-sm font-semibold">{t.datasets.lines}</h3>
          <Lines lines={record.lines} />
        </section>
      )}
    </Dialog>
  );
};
