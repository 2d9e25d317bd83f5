/** The files that go with what is being written; a message waits for them, and goes when they are ready. One that
 * cannot be used holds it back until it is taken off. */

import { useEffect, useMemo, useState } from "react";

import type { Attachment } from "../../../events";
import {
  addFiles,
  attachFile,
  attachmentOf,
  detachFrom,
  type Transfer,
  useTransfers,
} from "../../../transport/transfers";

export interface Attachments {
  readonly files: readonly Transfer[];
  /** A message that waits for its files. */
  readonly heldText: string | null;
  readonly add: (files: readonly File[]) => void;
  /** Add a file that the server already has. */
  readonly attach: (file: Attachment) => void;
  /** Send with what is attached: at once, or as soon as it is ready. */
  readonly sendWith: (text: string) => void;
  readonly release: () => void;
}

export const useAttachments = (
  sessionId: string | null,
  send: (text: string, attachments: readonly Attachment[]) => void,
): Attachments => {
  const draft = sessionId ?? "new";
  const transfers = useTransfers((state) => state.transfers);
  const files = useMemo(() => transfers.filter((each) => each.draft === draft), [transfers, draft]);
  const [held, setHeld] = useState<{ readonly draft: string; readonly text: string } | null>(null);
  const heldText = held?.draft === draft ? held.text : null;
  const isReady = files.every((file) => file.state === "ready");

  useEffect(() => {
    if (heldText === null || !isReady) return;
    setHeld(null);
    detachFrom(draft);
    send(heldText, files.map(attachmentOf));
  }, [heldText, isReady, files, draft, send]);

  return {
    files,
    heldText,
    add: (chosen) => addFiles(chosen, draft),
    attach: ({ file_id, name, media_type, size_bytes }) =>
      attachFile({ file_id, name, media_type, size_bytes }, draft),
    sendWith: (text) => setHeld({ draft, text }),
    release: () => setHeld(null),
  };
};
