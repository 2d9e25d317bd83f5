/** Passages of documents that were found. */

import { FileText } from "lucide-react";

import { Pill } from "../../components/pill";
import { useFileText } from "../../lib/i18n/files";
import type { FoundPassage } from "../../transport/generated-api";
import { Group, Hit, Marked } from "./hit";

export const FoundDocuments = ({
  passages,
  onOpen,
}: {
  readonly passages: readonly FoundPassage[];
  readonly onOpen: (passage: FoundPassage) => void;
}) => {
  const t = useFileText();
  if (passages.length === 0) return null;
  return (
    <Group title={t.documents}>
      {passages.map((passage) => (
        <Hit
          key={`${passage.document_id}-${passage.start}`}
          onOpen={() => onOpen(passage)}
          head={
            <>
              <FileText aria-hidden="true" className="text-accent size-4 shrink-0" />
              <span className="text-ink min-w-0 truncate font-medium">{passage.name}</span>
              <span className="min-w-0 truncate">{passage.place}</span>
              {!passage.is_own && <Pill>{t.shared}</Pill>}
            </>
          }
        >
          <Marked text={passage.text} highlights={passage.highlights} />
        </Hit>
      ))}
    </Group>
  );
};
