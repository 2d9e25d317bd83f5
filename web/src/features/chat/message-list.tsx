/** The conversation. Only the rows in view exist, so that long sessions scroll as short ones do. */

import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown } from "lucide-react";
import { useRef } from "react";

import { Button } from "../../components/button";
import { useText } from "../../lib/i18n";
import { RowView } from "./row-view";
import type { Row } from "./rows";
import { useStickToEnd } from "./use-stick-to-end";

/** Guesses until a row is measured. */
const HEIGHTS: Readonly<Record<string, number>> = { item: 96, stream: 120, working: 44, end: 52, parcel: 96 };

export const MessageList = ({
  rows,
  sessionId,
}: {
  readonly rows: readonly Row[];
  readonly sessionId: string;
}) => {
  const t = useText();
  const frame = useRef<HTMLElement>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: (index) => HEIGHTS[rows[index]?.kind ?? "item"] ?? 96,
    getItemKey: (index) => rows[index]?.key ?? index,
    rangeExtractor: (range) => withOpenDecisions(range, rows),
    overscan: 8,
    paddingStart: 8,
    paddingEnd: 24,
  });
  const { isAtEnd, toEnd } = useStickToEnd(frame, virtualizer.getTotalSize(), sessionId);
  const items = virtualizer.getVirtualItems();

  return (
    <div className="relative min-h-0 flex-1">
      <section
        ref={frame}
        aria-label={t.chat.conversation}
        tabIndex={0}
        className="h-full overflow-y-auto overscroll-contain px-4 outline-offset-[-2px] [overflow-anchor:none] [scrollbar-gutter:stable_both-edges]"
      >
        <div className="relative mx-auto w-full max-w-3xl" style={{ height: virtualizer.getTotalSize() }}>
          {items.map(({ index, key, start }) => {
            const row = rows[index];
            return row === undefined ? null : (
              <div
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                data-row={row.kind}
                className="absolute inset-x-0 top-0 flow-root"
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

/** The rows in view, and those a person may be filling in: what is typed there must not be lost by scrolling. */
const withOpenDecisions = (range: Range, rows: readonly Row[]): number[] => {
  const open = rows.flatMap((row, index) =>
    row.kind === "item" && row.item.kind === "approval" && row.item.state === "pending" ? [index] : [],
  );
  return [...new Set([...open, ...defaultRangeExtractor(range)])].sort((first, second) => first - second);
};
