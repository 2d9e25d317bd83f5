/** What an agent said, with its sources. */

import { BookOpenText } from "lucide-react";
import { useCallback, useMemo } from "react";

import { Markdown } from "../../../components/markdown/markdown";
import { Notice } from "../../../components/notice";
import type { AssistantMessageItem, Citation, TurnView } from "../../../events";
import { useText } from "../../../lib/i18n";
import { placeOf, withMarks } from "../citations";
import { useChat } from "../context";

export interface AssistantMessageProps {
  readonly item: AssistantMessageItem;
  readonly turn: TurnView;
}

export const AssistantMessage = ({ item, turn }: AssistantMessageProps) => {
  const t = useText();
  const { openSource } = useChat();
  const text = useMemo(() => withMarks(item.content, item.citations), [item]);
  const open = useCallback(
    (number: number) => {
      if (number <= item.citations.length) openSource(item, number - 1, turn);
    },
    [item, turn, openSource],
  );
  return (
    <div className="py-1">
      <Markdown text={text} copyLabels={t.common.copyLabels} onCitation={open} />
      {item.citations.length > 0 && <Sources citations={item.citations} onOpen={open} />}
      {item.stop_reason === "max_tokens" && (
        <div className="mt-3">
          <Notice tone="warn">{t.chat.cutShort}</Notice>
        </div>
      )}
    </div>
  );
};

const Sources = ({ citations, onOpen }: { citations: readonly Citation[]; onOpen: (n: number) => void }) => {
  const t = useText();
  return (
    <nav aria-label={t.chat.sources} className="mt-3 flex flex-wrap items-center gap-1.5">
      <BookOpenText aria-hidden="true" className="text-faint size-3.5" />
      {citations.map((citation, index) => (
        <button
          // biome-ignore lint/suspicious/noArrayIndexKey: the same place may be cited twice, and its number names it
          key={index}
          type="button"
          onClick={() => onOpen(index + 1)}
          className="border-line bg-raised hover:bg-hover shadow-card inline-flex max-w-72 items-center gap-1.5 rounded-lg border px-2 py-1 text-xs transition-colors"
        >
          <span className="text-accent font-semibold tabular-nums">{index + 1}</span>
          <span className="truncate font-medium">
            {citation.title === "" ? citation.source : citation.title}
          </span>
          {placeOf(citation) !== "" && (
            <span className="text-faint max-w-40 truncate">{placeOf(citation)}</span>
          )}
        </button>
      ))}
    </nav>
  );
};
