/** A document at a place: its page as a picture, its table or its text, with the quoted words marked (W-9). */

import { useEffect, useState } from "react";

import { Notice } from "../../components/notice";
import { Segmented } from "../../components/segmented";
import { Skeleton } from "../../components/skeleton";
import { useText } from "../../lib/i18n";
import { useFileText } from "../../lib/i18n/files";
import { passageAt } from "../../lib/passage";
import { filesApi } from "../../transport/files";
import type { DocumentView } from "../../transport/generated-api";
import { MarkedText } from "./marked-text";
import { PageView } from "./page-view";
import { TableView } from "./table-view";
import { tablesOf } from "./tables";

export interface DocumentPlace {
  readonly document_id: string;
  /** The span to be marked, in characters of the document. */
  readonly start: number | null;
  readonly end: number | null;
}

type Look = "page" | "table" | "text";

const PDF = "application/pdf";

/** The document as the server has it; null while it is loaded, or a word if it cannot be. */
export const useDocument = ({ document_id, start, end }: DocumentPlace): DocumentView | "missing" | null => {
  const [found, setFound] = useState<DocumentView | "missing" | null>(null);
  useEffect(() => {
    let isWanted = true;
    const show = (next: DocumentView | "missing"): void => {
      if (isWanted) setFound(next);
    };
    setFound(null);
    filesApi.open(document_id, start, end).then(show, () => show("missing"));
    return () => {
      isWanted = false;
    };
  }, [document_id, start, end]);
  return found;
};

export const DocumentBody = ({ place }: { readonly place: DocumentPlace }) => {
  const t = useFileText();
  const common = useText().common;
  const found = useDocument(place);
  if (found === "missing") return <Notice tone="warn">{t.unreadable}</Notice>;
  if (found === null)
    return (
      <div role="status">
        <span className="sr-only">{common.loading}</span>
        <Skeleton className="h-72 w-full" />
      </div>
    );
  return <Looks key={found.document_id} shown={found} />;
};

const Looks = ({ shown }: { readonly shown: DocumentView }) => {
  const t = useFileText();
  const tables = tablesOf(shown);
  const best: Look = shown.media_type === PDF ? "page" : tables.length > 0 ? "table" : "text";
  const [look, setLook] = useState<Look>(best);
  const names = { page: t.pageView, table: t.tableView, text: t.textView };
  const passage =
    shown.start === null || shown.end === null
      ? { before: shown.text, quote: "", after: "" }
      : passageAt(shown.text, shown.start, shown.end);
  return (
    <div className="flex flex-col items-stretch gap-3 *:[[role=radiogroup]]:self-start">
      {best !== "text" && (
        <Segmented
          label={t.views}
          value={look}
          onChange={setLook}
          options={[best, "text" as const].map((value) => ({ value, label: names[value] }))}
        />
      )}
      {shown.is_part && look !== "page" && <p className="text-muted text-xs">{t.part}</p>}
      {look === "page" && (
        <PageView document_id={shown.document_id} first={shown.page ?? 1} words={passage.quote} />
      )}
      {look === "table" && <TableView tables={tables} />}
      {look === "text" && <MarkedText passage={passage} />}
    </div>
  );
};
