/** The way from a row to the record it came from: an address where there is one, else the record of the ERP. */

import { ExternalLink, FileText } from "lucide-react";
import { useState } from "react";

import type { RecordReference } from "../events";
import { useText } from "../lib/i18n";
import { safeUrl } from "../lib/safe";
import { RecordDialog } from "./record-dialog";

/** As large as a finger needs, though the picture in it is smaller. */
const TARGET = "text-accent inline-flex size-6 items-center justify-center align-middle";

export const RecordLink = ({ reference }: { readonly reference: RecordReference | null }) => {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  if (reference === null) return null;
  const record = `${reference.entity} ${reference.key}`;
  const name = t.datasets.openRecord(record);
  const address = safeUrl(reference.url);
  if (address !== null)
    return (
      <a href={address} target="_blank" rel="noreferrer" aria-label={name} title={name} className={TARGET}>
        <ExternalLink aria-hidden="true" className="size-3.5" />
      </a>
    );
  return (
    <>
      <button type="button" aria-label={name} title={name} className={TARGET} onClick={() => setOpen(true)}>
        <FileText aria-hidden="true" className="size-3.5" />
      </button>
      {isOpen && <RecordDialog reference={reference} onClose={() => setOpen(false)} />}
    </>
  );
};
