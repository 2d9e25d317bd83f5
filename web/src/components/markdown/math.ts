/** Whether a text holds formulas; the renderer for them is heavy and fetched only then. */

/** `$$…$$`, or `$…$` on one line that does not look like two prices. */
export const hasMath = (text: string): boolean =>
  /\$\$[\s\S]+?\$\$/.test(text) || /(^|[^\\$\w])\$(?![\s\d])[^$\n]*[^\s$\\]\$(?!\w)/.test(text);
