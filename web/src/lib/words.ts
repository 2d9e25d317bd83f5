/** Names and texts that programs write, as people read them. Pure. */

/** `create_order` as `Create order`. */
export const inWords = (name: string): string => {
  const words = name
    .replace(/[_\-.]+/g, " ")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** A name as the dictionary says it, else in its own words. */
export const named = (name: string, known: Readonly<Record<string, string>>): string =>
  (Object.hasOwn(known, name) ? known[name] : undefined) ?? inWords(name);

/** Whether an argument says which version of which record is meant: it is read elsewhere, and not to be changed. */
export const isRecordKey = (name: string): boolean => name === "record_id" || name === "etag";

/** Markdown without its marks, for one line of preview. */
export const plainText = (markdown: string): string =>
  markdown
    .replace(/```[\s\S]*?(```|$)/g, " ")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/^\[\^[\w-]+\]:.*$/gm, "")
    .replace(/\[\^?\w{1,3}\]/g, "")
    .replace(/^\s*(?:>+|[-+*]\s|\d+[.)]\s)/gm, "")
    .replace(/(?<!\s)\*+|\*+(?!\s)|(?<!\w)_+|_+(?!\w)|[`~#|]+|\$\$/g, "")
    .replace(/\s+/g, " ")
    .trim();
