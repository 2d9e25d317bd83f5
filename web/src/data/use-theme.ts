/** Whether the page is light or dark now. */

import { useSyncExternalStore } from "react";

import { useMedia } from "../lib/use-media";
import type { ChartTheme } from "./vega-locale";

const chosen = (): string => document.documentElement.dataset["theme"] ?? "system";

const watch = (notify: () => void): (() => void) => {
  const observer = new MutationObserver(notify);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
};

/** The theme that charts are drawn in; changes with the page's. */
export const useChartTheme = (): ChartTheme => {
  const isSystemDark = useMedia("(prefers-color-scheme: dark)");
  const theme = useSyncExternalStore(watch, chosen);
  const isDark = theme === "dark" || (theme === "system" && isSystemDark);
  return isDark ? "dark" : "light";
};
