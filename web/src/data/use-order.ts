/** The rows of a table as they are shown: filtered at once, sorted in slices. The order before stays until it is there. */

import { useDeferredValue, useEffect, useMemo, useState } from "react";

import type { Column } from "../events";
import { comparing, filtered, type Row } from "./cells";
import { SLICE, slicedSort } from "./sliced-sort";

export interface Order {
  readonly place: number;
  readonly isDescending: boolean;
}

export interface Shown {
  readonly numbers: readonly number[];
  readonly isSorting: boolean;
}

interface Sorted {
  readonly of: readonly number[];
  readonly order: Order;
  readonly numbers: readonly number[];
}

/** Up, down, and as the rows came. */
export const nextOrder = (before: Order | null, place: number): Order | null => {
  if (before?.place !== place) return { place, isDescending: false };
  return before.isDescending ? null : { place, isDescending: true };
};

/** How long the page waits for a part of a sort: half a frame. */
const BUDGET_MS = 8;

/** Let the page breathe: what waits is done first. */
const pause = (): Promise<void> => new Promise((resolve) => window.setTimeout(resolve, 0));

export const useOrder = (
  rows: readonly Row[],
  texts: readonly string[],
  columns: readonly Column[],
  { words, order, language }: { words: string; order: Order | null; language: string },
): Shown => {
  const wanted = useDeferredValue(words);
  const kept = useMemo(() => filtered(texts, wanted), [texts, wanted]);
  const [sorted, setSorted] = useState<Sorted | null>(null);
  const column = order === null ? undefined : columns[order.place];
  const atOnce = useMemo(() => {
    if (order === null || column === undefined || kept.length > SLICE) return null;
    return [...kept].sort(comparing(rows, order.place, column, order.isDescending, language));
  }, [rows, kept, order, column, language]);
  useEffect(() => {
    if (order === null || column === undefined || kept.length <= SLICE) return;
    let isGone = false;
    const sort = async (): Promise<void> => {
      const work = slicedSort(kept, comparing(rows, order.place, column, order.isDescending, language));
      let until = performance.now() + BUDGET_MS;
      for (let step = work.next(); !isGone; step = work.next()) {
        if (step.done) return setSorted({ of: kept, order, numbers: step.value });
        if (performance.now() < until) continue;
        await pause();
        until = performance.now() + BUDGET_MS;
      }
    };
    void sort();
    return () => {
      isGone = true;
    };
  }, [rows, kept, order, column, language]);
  if (order === null) return { numbers: kept, isSorting: false };
  if (atOnce !== null) return { numbers: atOnce, isSorting: false };
  const isReady = sorted !== null && sorted.of === kept && sorted.order === order;
  return { numbers: isReady ? sorted.numbers : kept, isSorting: !isReady };
};
