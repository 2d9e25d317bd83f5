/** Going to a place of the conversation, such as a message that was found. */

import type { Virtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect } from "react";

import type { Row } from "./rows";

/** An event, by its number; one that is gone to again is another visit. */
export interface Place {
  readonly number: number;
  readonly visit: number;
}

/** The row that shows an event, or -1. */
export const rowAt = (rows: readonly Row[], place: Place | null): number =>
  place === null
    ? -1
    : rows.findIndex((row) => row.kind === "item" && row.item.sequence_number === place.number);

/** Bring a place into view once its row is there, and the focus with it, so that one reads on from there. */
export const usePlace = (
  frame: RefObject<HTMLElement | null>,
  virtualizer: Virtualizer<HTMLElement, Element>,
  index: number,
  place: Place | null,
  letGo: () => void,
): void => {
  const isThere = index >= 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows that come later do not move the reader again
  useEffect(() => {
    if (!isThere) return;
    letGo();
    virtualizer.scrollToIndex(index, { align: "center" });
    frame.current?.focus({ preventScroll: true });
  }, [isThere, place]);
};
