/** What the person said. */

import { FileText } from "lucide-react";

import type { UserMessageItem } from "../../../events";
import { clock } from "../../../lib/format";
import { useLocale, useText } from "../../../lib/i18n";
import { useFace } from "./agent-badge";

export const UserBubble = ({ children }: { readonly children: React.ReactNode }) => (
  <div className="bg-sunken border-line max-w-[85%] rounded-2xl rounded-br-md border px-4 py-2.5 break-words whitespace-pre-wrap">
    {children}
  </div>
);

export const UserMessage = ({ item }: { readonly item: UserMessageItem }) => {
  const t = useText();
  const locale = useLocale();
  return (
    <div className="group flex flex-col items-end pt-6 pb-3">
      <span className="sr-only">{t.chat.you}</span>
      <UserBubble>{item.content}</UserBubble>
      {item.attachments.map((file) => (
        <span key={file.file_id} className="text-muted mt-1.5 inline-flex items-center gap-1.5 text-xs">
          <FileText className="size-3.5" /> {file.name}
        </span>
      ))}
      <p className="text-faint mt-1 flex gap-1.5 text-xs">
        {item.target_agent_id !== null && <Target id={item.target_agent_id} />}
        <time dateTime={item.timestamp}>{clock(item.timestamp, locale)}</time>
      </p>
    </div>
  );
};

const Target = ({ id }: { readonly id: string }) => {
  const t = useText();
  const face = useFace(id);
  return <span>{t.chat.askedDirectly(face.name)} ·</span>;
};
