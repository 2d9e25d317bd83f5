/** What a page draws: a specification that names its data and reaches nowhere. The server's check is stricter. */

const FORBIDDEN: ReadonlySet<string> = new Set([
  "url",
  "href",
  "expr",
  "signal",
  "signals",
  "transform",
  "params",
  "datasets",
  "values",
  "usermeta",
  "loader",
]);
const MARKS: ReadonlySet<string> = new Set(["bar", "line", "area", "arc", "point", "rect"]);

const isSafe = (value: unknown, depth: number): boolean => {
  if (depth > 8) return false;
  if (typeof value === "string") return value.length <= 400;
  if (Array.isArray(value)) return value.length <= 100 && value.every((one) => isSafe(one, depth + 1));
  if (value === null || typeof value !== "object") return true;
  return Object.entries(value).every(
    ([key, one]) => !FORBIDDEN.has(key) && (key !== "mark" || isMark(one)) && isSafe(one, depth + 1),
  );
};

const isMark = (mark: unknown): boolean =>
  typeof mark === "object" && mark !== null && "type" in mark && MARKS.has(String(mark.type));

/** Whether a specification may be drawn. */
export const isDrawable = (spec: Readonly<Record<string, unknown>>): boolean =>
  JSON.stringify(spec["data"]) === '{"name":"figures"}' &&
  ("mark" in spec || "layer" in spec) &&
  isSafe(spec, 0);
