/** What the browser keeps between visits. A browser that refuses storage forgets, and nothing else happens. */

const shelf = (kind: "local" | "session"): Storage | null => {
  try {
    return kind === "local" ? window.localStorage : window.sessionStorage;
  } catch {
    return null;
  }
};

/** A stored value, or the fallback if there is none that can be read. */
export const recall = <T>(key: string, fallback: T, kind: "local" | "session" = "local"): T => {
  try {
    const text = shelf(kind)?.getItem(key) ?? null;
    return text === null ? fallback : (JSON.parse(text) as T);
  } catch {
    return fallback;
  }
};

/** Keep a value; `null` forgets it. */
export const remember = (key: string, value: unknown, kind: "local" | "session" = "local"): void => {
  try {
    if (value === null) shelf(kind)?.removeItem(key);
    else shelf(kind)?.setItem(key, JSON.stringify(value));
  } catch {
    // A full or forbidden storage costs the convenience, not the work at hand.
  }
};

/** Forget everything under a prefix. */
export const forgetAll = (prefix: string, kind: "local" | "session" = "local"): void => {
  const kept = shelf(kind);
  if (kept === null) return;
  for (const key of Object.keys(kept)) if (key.startsWith(prefix)) kept.removeItem(key);
};
