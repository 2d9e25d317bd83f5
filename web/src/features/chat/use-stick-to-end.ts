/** Keeps the end of a scrolled list in view while the reader is there, and lets go when they scroll up. */

import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

const NEAR_PX = 48;
/** What grows right after something was folded open: the reader wants to stay there. */
const OPENING_MS = 400;
const INPUT_MS = 500;
const INPUTS = ["wheel", "touchmove", "keydown", "pointerdown"] as const;

export interface StickToEnd {
  readonly isAtEnd: boolean;
  readonly isFollowing: () => boolean;
  readonly toEnd: () => void;
  /** The reader is going elsewhere. */
  readonly letGo: () => void;
}

const distanceOf = (frame: HTMLElement): number => frame.scrollHeight - frame.scrollTop - frame.clientHeight;

/** Follow the end of what the frame holds; a new `key` starts at the end. */
export const useStickToEnd = (frame: RefObject<HTMLElement | null>, key: string): StickToEnd => {
  const isStuck = useRef(true);
  const seen = useRef({
    top: 0,
    height: 0,
    click: Number.NEGATIVE_INFINITY,
    input: Number.NEGATIVE_INFINITY,
  });
  const [isAtEnd, setIsAtEnd] = useState(true);

  const toEnd = useCallback(() => {
    isStuck.current = true;
    setIsAtEnd(true);
    frame.current?.scrollTo({ top: frame.current.scrollHeight });
  }, [frame]);

  const letGo = useCallback(() => {
    isStuck.current = false;
    setIsAtEnd(false);
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation starts at its end
  useLayoutEffect(toEnd, [key, toEnd]);

  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const look = (): void => {
      const { top, height, input } = seen.current;
      const isUpward = element.scrollTop < top - 1;
      // Rows that shrink also move the list up; only a reader does so while its height stays, or with a hand on it.
      const isReader = element.scrollHeight === height || performance.now() - input < INPUT_MS;
      seen.current.top = element.scrollTop;
      seen.current.height = element.scrollHeight;
      const distance = distanceOf(element);
      if (distance <= 2) isStuck.current = true;
      else if (isUpward && isReader) isStuck.current = false;
      setIsAtEnd(isStuck.current || distance < NEAR_PX);
    };
    const grow = (): void => {
      if (!isStuck.current) return;
      const isOpening = performance.now() - seen.current.click < OPENING_MS;
      if (isOpening && distanceOf(element) >= NEAR_PX) {
        isStuck.current = false;
        setIsAtEnd(false);
      } else toEnd();
    };
    const click = ({ target }: Event): void => {
      const isFold = target instanceof Element && target.closest("[aria-expanded]") !== null;
      if (isFold) seen.current.click = performance.now();
    };
    const input = (): void => {
      seen.current.input = performance.now();
    };
    element.addEventListener("scroll", look, { passive: true });
    element.addEventListener("click", click, { capture: true });
    for (const name of INPUTS) element.addEventListener(name, input, { passive: true });
    // The frame too: a keyboard or a growing composer hides the end as new rows do.
    const observer = new ResizeObserver(grow);
    observer.observe(element);
    if (element.firstElementChild !== null) observer.observe(element.firstElementChild);
    return () => {
      element.removeEventListener("scroll", look);
      element.removeEventListener("click", click, { capture: true });
      for (const name of INPUTS) element.removeEventListener(name, input);
      observer.disconnect();
    };
  }, [frame, toEnd]);

  return { isAtEnd, isFollowing: () => isStuck.current, toEnd, letGo };
};
