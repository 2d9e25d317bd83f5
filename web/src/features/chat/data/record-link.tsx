/** The way from a row to the record it came from. */

import { ExternalLink } from "lucide-react";

import type { RecordReference } from "../../../events";
import { useText } from "../../../lib/i18n";
import { safeUrl } from "../../../lib/safe";

export const RecordLink = ({ reference }: { readonly reference: RecordReference | null }) => {
  const t = useText();
  if (reference === null) return null;
  const record = `${reference.entity} ${reference.key}`;
  const address = safeUrl(reference.url);
  if (address === null)
    return (
      <span className="text-faint text-xs" title={record}>
        <span className="sr-only">{record}</span>
        <span aria-hidden="true">#</span>
      </span>
    );
  const name = t.datasets.openRecord(record);
  return (
    <a href={address} target="_blank" rel="noreferrer" aria-label={name} title={name} className="text-accent">
      <ExternalLink aria-hidden="true" className="inline size-3.5" />
    </a>
  );
};
