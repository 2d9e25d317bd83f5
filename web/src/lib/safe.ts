/** What may come from outside into an address or a style. */

const PROTOCOLS: ReadonlySet<string> = new Set(["http:", "https:", "mailto:", "tel:"]);

/** An address that may be opened, or null. */
export const safeUrl = (url: string | null | undefined): string | null => {
  if (url === null || url === undefined) return null;
  try {
    const parsed = new URL(url, window.location.origin);
    return PROTOCOLS.has(parsed.protocol) ? parsed.href : null;
  } catch {
    return null;
  }
};

/** A hex colour, or null. */
export const safeColor = (color: string | null | undefined): string | null =>
  color !== null && color !== undefined && /^#[0-9a-f]{3,8}$/i.test(color) ? color : null;
