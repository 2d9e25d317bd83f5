/** What an agent said, with its sources. */

import { useCallback, useMemo } from "react";

import { Markdown } from "../../../components/markdown/markdown";
import { Notice } from "../../../components/notice";
import { SourceLinks } from "../../../components/source-links";
import {
  type AssistantMessageItem,
  namedSource,
  type TurnView,
  withMarks,
  withTables,
} from "../../../events";
import { useText } from "../../../lib/i18n";
import { useNamings } from "../../../transport/directory";
import { useChat } from "../context";

export interface AssistantMessageProps {
  readonly item: AssistantMessageItem;
  readonly turn: TurnView;
}

export const AssistantMessage = ({ item, turn }: AssistantMessageProps) => {
  const t = useText();
  const { agents, tables, openSource, openPlace } = useChat();
  const namings = useNamings(agents);
  const text = useMemo(
    () => withTables(withMarks(item.content, item.citations), [...tables, ...turn.items]),
    [item, tables, turn.items],
  );
  const quotes = useMemo(() => item.citations.map(({ quote }) => quote), [item]);
  const open = useCallback(
    (number: number) => {
      if (number <= item.citations.length) openSource(item, number - 1, turn);
    },
    [item, turn, openSource],
  );
  return (
    <div className="py-1">
      <Markdown
        text={text}
        copyLabels={t.common.copyLabels}
        onCitation={open}
        onPlace={openPlace}
        quotes={quotes}
      />
      {item.citations.length > 0 && (
        <SourceLinks
          label={t.chat.sources}
          sources={item.citations.map((citation) => ({
            ...namedSource(citation, turn, namings),
            quote: citation.quote,
          }))}
          onOpen={open}
        />
      )}
      {item.stop_reason === "max_tokens" && (
        <div className="mt-3">
          <Notice tone="warn">{t.chat.cutShort}</Notice>
        </div>
      )}
    </div>
  );
};
