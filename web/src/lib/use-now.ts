/** The time, updated while something on the page depends on it. */

import { useEffect, useState } from "react";

/** The current time in milliseconds, renewed every so often while enabled. */
export const useNow = (every_ms: number, isEnabled = true): number => {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isEnabled) return;
    const timer = window.setInterval(() => setNow(Date.now()), every_ms);
    return () => window.clearInterval(timer);
  }, [every_ms, isEnabled]);
  return now;
};
