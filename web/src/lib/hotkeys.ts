/** Keyboard shortcuts: written `mod+shift+o`, where `mod` is Command on a Mac and Control elsewhere. */

import { useEffect } from "react";

export type Hotkeys = Readonly<Record<string, () => void>>;

export interface Stroke {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
}

export const isMac = (): boolean => /mac|iphone|ipad/i.test(navigator.userAgent);

/** Whether a stroke is the written combination. */
export const isStroke = (combination: string, stroke: Stroke, onMac: boolean): boolean => {
  const parts = combination.split("+");
  const key = parts.at(-1) ?? "";
  const mod = onMac ? stroke.metaKey : stroke.ctrlKey;
  const other = onMac ? stroke.ctrlKey : stroke.metaKey;
  return (
    stroke.key.toLowerCase() === key &&
    mod === parts.includes("mod") &&
    !other &&
    stroke.shiftKey === parts.includes("shift") &&
    stroke.altKey === parts.includes("alt")
  );
};

/** Listen for shortcuts while mounted. */
export const useHotkeys = (hotkeys: Hotkeys): void => {
  useEffect(() => {
    const onMac = isMac();
    const listen = (event: KeyboardEvent): void => {
      const found = Object.entries(hotkeys).find(([combination]) => isStroke(combination, event, onMac));
      if (found === undefined) return;
      event.preventDefault();
      found[1]();
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, [hotkeys]);
};

const GLYPHS: Readonly<Record<string, string>> = {
  escape: "Esc",
  enter: "Enter",
  arrowup: "↑",
  arrowdown: "↓",
};

/** The keys of a combination as a keyboard shows them. */
export const keysOf = (combination: string, onMac: boolean): readonly string[] =>
  combination.split("+").map((part) => {
    if (part === "mod") return onMac ? "⌘" : "Ctrl";
    if (part === "shift") return onMac ? "⇧" : "Shift";
    if (part === "alt") return onMac ? "⌥" : "Alt";
    return GLYPHS[part] ?? part.toUpperCase();
  });
