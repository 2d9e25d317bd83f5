/** A record of the ERP, as it is now: its fields and its lines. */

import { useEffect, useState } from "react";

import { Dialog } from "../components/dialog";
import type { RecordReference } from "../events";
import { useText } from "../lib/i18n";
import { inWords } from "../lib/words";
import { api } from "../transport/api";
import type { ErpRecord } from "../transport/api-types";
import { asProblem } from "../transport/problem";
import { type Field, RecordLines } from "./record-lines";

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
          <RecordLines lines={record.lines} />
        </section>
      )}
    </Dialog>
  );
};
