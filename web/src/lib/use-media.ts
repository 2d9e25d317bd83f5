/** Whether a media query holds. */

import { useSyncExternalStore } from "react";

/** Whether a media query holds now; renders again when that changes. */
export const useMedia = (query: string): boolean =>
  useSyncExternalStore(
    (notify) => {
      const media = window.matchMedia(query);
      media.addEventListener("change", notify);
      return () => media.removeEventListener("change", notify);
    },
    () => window.matchMedia(query).matches,
  );

/** Whether there is room for a sidebar beside the conversation. */
export const useIsDesktop = (): boolean => useMedia("(min-width: 48rem)");
