/** What the person said. */

import { FileText, PencilLine } from "lucide-react";

import { CopyButton } from "../../../components/copy-button";
import { IconButton } from "../../../components/icon-button";
import type { UserMessageItem } from "../../../events";
import { clock } from "../../../lib/format";
import { useLocale, useText } from "../../../lib/i18n";
import { useChat } from "../context";
import { useFace } from "./agent-badge";

export const UserBubble = ({ children }: { readonly children: React.ReactNode }) => (
  <div className="bg-sunken border-line max-w-[85%] rounded-2xl rounded-br-md border px-4 py-2.5 break-words whitespace-pre-wrap">
    {children}
  </div>
);

export const UserMessage = ({ item }: { readonly item: UserMessageItem }) => {
  const t = useText();
  const locale = useLocale();
  const { edit, openFile } = useChat();
  return (
    <div className="group flex flex-col items-end pt-6 pb-3">
      <span className="sr-only">{t.chat.you}</span>
      <UserBubble>{item.content}</UserBubble>
      {item.attachments.map((file) => (
        <button
          key={file.file_id}
          type="button"
          onClick={() => openFile(file.file_id, file.name)}
          className="text-muted hover:text-ink mt-1.5 inline-flex max-w-[85%] items-center gap-1.5 text-xs hover:underline"
        >
          <FileText aria-hidden="true" className="size-3.5 shrink-0" />
          <span className="truncate">{file.name}</span>
        </button>
      ))}
      <div className="text-faint mt-1 flex min-h-7 items-center gap-1.5 text-xs">
        <span className="flex opacity-0 transition-opacity group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
          <CopyButton value={item.content} label={t.chat.copyQuestion} doneLabel={t.common.copied} />
          <IconButton
            label={t.chat.editQuestion}
            size="small"
            onClick={() => edit(item.content, item.target_agent_id)}
          >
            <PencilLine className="size-3.5" />
          </IconButton>
        </span>
        {item.target_agent_id !== null && <Target id={item.target_agent_id} />}
        <time dateTime={item.timestamp}>{clock(item.timestamp, locale)}</time>
      </div>
    </div>
  );
};

const Target = ({ id }: { readonly id: string }) => {
  const t = useText();
  const face = useFace(id);
  return <span>{t.chat.askedDirectly(face.name)} ·</span>;
};
