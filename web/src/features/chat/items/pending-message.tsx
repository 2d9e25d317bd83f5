/** A message on its way: seen by the person, not yet by the log. */

import { CircleAlert } from "lucide-react";

import { Button } from "../../../components/button";
import { Spinner } from "../../../components/spinner";
import { type Dictionary, useText } from "../../../lib/i18n";
import type { PendingMessage } from "../../../transport/outbox";
import type { Problem } from "../../../transport/problem";
import { giveUp, sendAgain } from "../../../transport/sending";
import { useChat } from "../context";
import { UserBubble } from "./user-message";

export const PendingMessageRow = ({ pending }: { readonly pending: PendingMessage }) => {
  const t = useText();
  const { edit } = useChat();
  const id = pending.message.client_message_id;
  const change = (): void => {
    giveUp(id);
    edit(pending.message.text, pending.message.target_agent_id ?? null);
  };
  return (
    <div className="flex flex-col items-end pt-6 pb-3">
      <div className="flex w-full justify-end opacity-70">
        <UserBubble>{pending.message.text}</UserBubble>
      </div>
      {pending.message.attachments.map((file) => (
        <span key={file.file_id} className="text-muted mt-1.5 text-xs">
          {file.name}
        </span>
      ))}
      {pending.state === "refused" ? (
        <div role="alert" className="mt-1.5 flex flex-wrap items-center justify-end gap-2 text-xs">
          <span className="text-danger flex items-center gap-1.5">
            <CircleAlert className="size-3.5 shrink-0" /> {wordsFor(pending.problem, t)}
          </span>
          <Button size="small" onClick={() => sendAgain(id)}>
            {t.chat.tryAgain}
          </Button>
          <Button size="small" onClick={change}>
            {t.approval.edit}
          </Button>
          <Button size="small" look="quiet" onClick={() => giveUp(id)}>
            {t.common.discard}
          </Button>
        </div>
      ) : (
        <p className="text-faint mt-1 flex items-center gap-1.5 text-xs">
          <Spinner className="size-3!" /> {t.chat.sending}
        </p>
      )}
    </div>
  );
};

/** Why the server did not take it, in the words of the reader where there are some. */
const wordsFor = (problem: Problem | null, { chat, common }: Dictionary): string => {
  const known: Readonly<Record<string, string>> = chat.refusals;
  if (problem === null) return common.failed;
  return known[problem.code] ?? (problem.detail || common.failed);
};
