/** Light, dark, or as the system says. */

import { recall, remember } from "./storage";

export const THEMES = ["light", "dark", "system"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "batuta.theme";

/** Show a theme and keep it for the next visit, so that the page opens in it before anyone is signed in. */
export const applyTheme = (theme: Theme): void => {
  remember(KEY, theme);
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
};

/** The theme of the last visit. */
export const rememberedTheme = (): Theme => {
  const theme = recall<string>(KEY, "system");
  return THEMES.find((known) => known === theme) ?? "system";
};
