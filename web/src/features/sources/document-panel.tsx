/** A file or document, opened beside the page: what it says, and what can be done with it. */

import { Download, MessageCircleQuestion } from "lucide-react";
import { useEffect, useState } from "react";

import { Button } from "../../components/button";
import { IconButton } from "../../components/icon-button";
import { Notice } from "../../components/notice";
import { Sheet } from "../../components/sheet";
import type { Attachment } from "../../events";
import { useLocale, useText } from "../../lib/i18n";
import { useFileText } from "../../lib/i18n/files";
import { filesApi } from "../../transport/files";
import type { FileView } from "../../transport/generated-api";
import { DocumentBody, type DocumentPlace } from "./document-body";

export interface DocumentPanelProps extends DocumentPlace {
  readonly name: string;
  readonly onAsk: (file: Attachment) => void;
  readonly onClose: () => void;
}

const DocumentPanel = ({ name, onAsk, onClose, ...place }: DocumentPanelProps) => {
  const t = useFileText();
  const common = useText().common;
  const { language } = useLocale();
  const [file, setFile] = useState<FileView | null>(null);
  useEffect(() => {
    setFile(null);
    filesApi.one(place.document_id).then(setFile, () => undefined);
  }, [place.document_id]);
  return (
    <Sheet
      isOpen
      onClose={onClose}
      title={file?.name ?? name}
      closeLabel={common.close}
      className="max-w-2xl"
      actions={
        file !== null && (
          <>
            {file.status === "ready" && (
              <Button size="small" onClick={() => onAsk(file)}>
                <MessageCircleQuestion className="size-4" /> {t.ask}
              </Button>
            )}
            <IconButton
              label={t.download}
              size="small"
              onClick={() => window.open(filesApi.content(file.file_id), "_blank", "noopener")}
            >
              <Download className="size-4" />
            </IconButton>
          </>
        )
      }
    >
      <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">
        {file?.status === "failed" ? (
          <Notice tone="warn">{file.explanation?.[language] ?? t.failed}</Notice>
        ) : (
          <DocumentBody place={place} />
        )}
      </div>
    </Sheet>
  );
};

export default DocumentPanel;
