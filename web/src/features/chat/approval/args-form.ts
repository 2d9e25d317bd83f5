/** The arguments of a call as fields of a form, and back. Pure. */

export type FieldKind = "text" | "long-text" | "number" | "boolean" | "moment" | "json";

export interface ArgField {
  readonly name: string;
  /** The argument whose member it is, such as the `values` of a record. */
  readonly within: string | null;
  readonly kind: FieldKind;
  /** What the field shows; `true` or `false` for a boolean. */
  readonly value: string;
}

export type Args = Readonly<Record<string, unknown>>;
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly field: string };

const LONG = 60;

const MOMENT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(?::00(?:\.0+)?)?(Z|[+-]\d\d:\d\d)$/;

/** Date and time of a moment on the clock it was written for, and how far that clock is from UTC. */
export const partsOf = (moment: string): { readonly local: string; readonly offset: string } => {
  const [, local = "", offset = ""] = MOMENT.exec(moment) ?? [];
  return { local, offset };
};

/** The moment at another time of the same clock. */
export const momentAt = (local: string, before: string): string =>
  `${local}:00${/(?:Z|[+-]\d\d:\d\d)?$/.exec(before)?.[0] ?? ""}`;

const kindOf = (value: unknown): FieldKind => {
  if (typeof value === "string" && MOMENT.test(value)) return "moment";
  if (typeof value === "string") return value.length > LONG || value.includes("\n") ? "long-text" : "text";
  if (typeof value === "number") return "number";
  return typeof value === "boolean" ? "boolean" : "json";
};

const shown = (value: unknown, kind: FieldKind): string =>
  kind === "json" ? JSON.stringify(value, null, 2) : String(value);

/** An argument, or a member of one. */
export interface ArgMember {
  readonly name: string;
  readonly within: string | null;
  readonly value: unknown;
}

/** Each argument; of one that is an object of plain values each of them. */
export const membersOf = (args: Args): readonly ArgMember[] =>
  Object.entries(args).flatMap(([name, value]): readonly ArgMember[] =>
    isRecord(value)
      ? Object.entries(value).map(([member, each]) => ({ name: member, within: name, value: each }))
      : [{ name, within: null, value }],
  );

/** What some arguments have where others have a member. */
export const valueAt = (args: Args, { name, within }: ArgMember): unknown => {
  if (within === null) return args[name];
  const around = args[within];
  return isRecord(around) ? around[name] : undefined;
};

/** A field for each member. */
export const fieldsOf = (args: Args): readonly ArgField[] =>
  membersOf(args).map(({ name, within, value }) => fieldOf(name, within, value));

const fieldOf = (name: string, within: string | null, value: unknown): ArgField => {
  const kind = kindOf(value);
  return { name, within, kind, value: shown(value, kind) };
};

const isRecord = (value: unknown): value is Args =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).length > 0 &&
  Object.values(value).every((each) => kindOf(each) !== "json");

/** The arguments the fields describe, or the field that cannot be read. */
export const argsOf = (fields: readonly ArgField[]): Parsed<Args> => {
  const args: Record<string, unknown> = {};
  for (const field of fields) {
    const { name, within } = field;
    const value = valueIn(field);
    if (!value.ok) return value;
    args[within ?? name] = within === null ? value.value : { ...(args[within] as Args), [name]: value.value };
  }
  return { ok: true, value: args };
};

const valueIn = ({ name, kind, value }: ArgField): Parsed<unknown> => {
  if (kind === "text" || kind === "long-text") return { ok: true, value };
  if (kind === "moment") return MOMENT.test(value) ? { ok: true, value } : { ok: false, field: name };
  if (kind === "boolean") return { ok: true, value: value === "true" };
  if (kind === "number") {
    const number = Number(value);
    return value.trim() === "" || Number.isNaN(number)
      ? { ok: false, field: name }
      : { ok: true, value: number };
  }
  return parsedJson(value, name);
};

const parsedJson = (text: string, field: string): Parsed<unknown> => {
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch {
    return { ok: false, field };
  }
};

/** All arguments written as one JSON object. */
export const argsOfJson = (text: string): Parsed<Args> => {
  const parsed = parsedJson(text, "");
  if (!parsed.ok) return parsed;
  const isObject = typeof parsed.value === "object" && parsed.value !== null && !Array.isArray(parsed.value);
  return isObject ? { ok: true, value: parsed.value as Args } : { ok: false, field: "" };
};
