/** Arrow keys through a list: one stop for Tab, arrows, Home and End inside. */

import { type KeyboardEvent, useCallback } from "react";

const MOVES: Readonly<Record<string, (index: number, last: number) => number>> = {
  ArrowDown: (index, last) => Math.min(index + 1, last),
  ArrowUp: (index) => Math.max(index - 1, 0),
  Home: () => 0,
  End: (_, last) => last,
};

/** A key handler for a list whose members carry `data-roving`. */
export const useRoving = () =>
  useCallback((event: KeyboardEvent<HTMLElement>) => {
    const move = MOVES[event.key];
    if (move === undefined) return;
    const members = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-roving]")];
    const index = members.indexOf(document.activeElement as HTMLElement);
    if (index < 0) return;
    event.preventDefault();
    members[move(index, members.length - 1)]?.focus();
  }, []);
