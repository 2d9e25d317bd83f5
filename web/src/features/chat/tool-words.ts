/** Tool calls in words. Pure. */

/** `create_order` as `Create order`. */
export const inWords = (name: string): string => {
  const words = name
    .replace(/[_\-.]+/g, " ")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** The arguments on one line. */
export const summaryOf = (args: Readonly<Record<string, unknown>>): string =>
  Object.entries(args)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" · ");
