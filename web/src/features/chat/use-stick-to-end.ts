/** Keeps the end of a scrolled list in view while the reader is there, and lets go when they scroll up. */

import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

const NEAR_PX = 48;
/** What grows right after a click was opened by it: the reader wants to stay there. */
const OPENING_MS = 400;

export interface StickToEnd {
  readonly isAtEnd: boolean;
  readonly toEnd: () => void;
}

/** Follow the end whenever `size` changes; a new `key` starts at the end. */
export const useStickToEnd = (
  frame: RefObject<HTMLElement | null>,
  size: number,
  key: string,
): StickToEnd => {
  const isStuck = useRef(true);
  const lastTop = useRef(0);
  const lastTouch = useRef(0);
  const [isAtEnd, setIsAtEnd] = useState(true);

  const toEnd = useCallback(() => {
    isStuck.current = true;
    setIsAtEnd(true);
    frame.current?.scrollTo({ top: frame.current.scrollHeight });
  }, [frame]);

  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const look = (): void => {
      const distance = element.scrollHeight - element.scrollTop - element.clientHeight;
      const isUpward = element.scrollTop < lastTop.current - 1;
      lastTop.current = element.scrollTop;
      if (distance <= 2 || (distance < NEAR_PX && !isUpward)) isStuck.current = true;
      else if (isUpward) isStuck.current = false;
      setIsAtEnd(isStuck.current || distance < NEAR_PX);
    };
    const touch = (): void => {
      lastTouch.current = performance.now();
    };
    element.addEventListener("scroll", look, { passive: true });
    element.addEventListener("click", touch, { capture: true });
    // A smaller frame (keyboard, a growing composer) hides the end as new rows do.
    const observer = new ResizeObserver(() => isStuck.current && toEnd());
    observer.observe(element);
    return () => {
      element.removeEventListener("scroll", look);
      element.removeEventListener("click", touch, { capture: true });
      observer.disconnect();
    };
  }, [frame, toEnd]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation starts at its end
  useLayoutEffect(toEnd, [key, toEnd]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: growth is what there is to follow
  useLayoutEffect(() => {
    const element = frame.current;
    if (!isStuck.current || element === null) return;
    if (performance.now() - lastTouch.current > OPENING_MS) return toEnd();
    const distance = element.scrollHeight - element.scrollTop - element.clientHeight;
    isStuck.current = distance < NEAR_PX;
    setIsAtEnd(isStuck.current);
  }, [size, toEnd, frame]);

  return { isAtEnd, toEnd };
};
