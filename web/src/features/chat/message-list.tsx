/** The conversation. Only the rows in view exist, so that long sessions scroll as short ones do. */

import { ArrowDown } from "lucide-react";
import { useRef } from "react";

import { Button } from "../../components/button";
import { useText } from "../../lib/i18n";
import { RowView } from "./row-view";
import type { Row } from "./rows";
import { useConversationScroll } from "./use-conversation-scroll";
import type { Place } from "./use-place";

export interface MessageListProps {
  readonly rows: readonly Row[];
  readonly sessionId: string;
  readonly place: Place | null;
}

export const MessageList = ({ rows, sessionId, place }: MessageListProps) => {
  const t = useText();
  const frame = useRef<HTMLElement>(null);
  const { virtualizer, isAtEnd, toEnd, found } = useConversationScroll(frame, rows, sessionId, place);
  return (
    <div className="relative min-h-0 flex-1">
      <section
        ref={frame}
        aria-label={t.chat.conversation}
        tabIndex={0}
        className="h-full overflow-y-auto overscroll-contain px-4 outline-offset-[-2px] [overflow-anchor:none] [scrollbar-gutter:stable_both-edges]"
      >
        <div className="relative mx-auto w-full max-w-3xl" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, key, start }) => {
            const row = rows[index];
            return row === undefined ? null : (
              <div
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                data-row={row.kind}
                data-found={index === found || undefined}
                className="data-found:bg-warn-soft/60 absolute inset-x-0 top-0 flow-root rounded-lg"
                style={{ transform: `translateY(${start}px)` }}
              >
                <RowView row={row} />
              </div>
            );
          })}
        </div>
      </section>
      {!isAtEnd && (
        <Button
          size="small"
          onClick={toEnd}
          className="animate-rise absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full! shadow-float"
        >
          <ArrowDown className="size-3.5" /> {t.chat.toLatest}
        </Button>
      )}
    </div>
  );
};
