/** The rows in view, with the end kept in view while the reader is there. */

import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect } from "react";

import type { Row } from "./rows";
import { type Place, rowAt, usePlace } from "./use-place";
import { useStickToEnd } from "./use-stick-to-end";

/** Guesses until a row is measured. */
const HEIGHTS: Readonly<Record<Row["kind"], number>> = {
  item: 96,
  stream: 120,
  working: 44,
  end: 52,
  pending: 96,
};

export const useConversationScroll = (
  frame: RefObject<HTMLElement | null>,
  rows: readonly Row[],
  sessionId: string,
  place: Place | null,
) => {
  const { isAtEnd, isFollowing, toEnd, letGo } = useStickToEnd(frame, sessionId);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: (index) => HEIGHTS[rows[index]?.kind ?? "item"],
    getItemKey: (index) => rows[index]?.key ?? index,
    rangeExtractor: (range) => withOpenDecisions(range, rows),
    overscan: 8,
    paddingStart: 8,
    paddingEnd: 24,
  });
  // Who follows the end is moved there; who reads further up stays with what they read.
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = (item, _delta, { scrollOffset }) =>
    !isFollowing() && item.start < (scrollOffset ?? 0);
  useOwnMessage(rows, toEnd);
  const found = rowAt(rows, place);
  usePlace(frame, virtualizer, found, place, letGo);
  return { virtualizer, isAtEnd, toEnd, found };
};

/** A sender wants to see their message. */
const useOwnMessage = (rows: readonly Row[], toEnd: () => void): void => {
  const last = rows.at(-1);
  const key = last?.kind === "pending" ? last.key : null;
  useEffect(() => {
    if (key !== null) toEnd();
  }, [key, toEnd]);
};

/** The rows in view, and those a person may be filling in: what is typed there must not be lost by scrolling. */
const withOpenDecisions = (range: Range, rows: readonly Row[]): number[] => {
  const open = rows.flatMap((row, index) =>
    row.kind === "item" && row.item.kind === "approval" && row.item.state === "pending" ? [index] : [],
  );
  return [...new Set([...open, ...defaultRangeExtractor(range)])].sort((first, second) => first - second);
};
