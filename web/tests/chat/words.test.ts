/** W-1, W-3: citations, tool calls, slash commands and edited arguments, as pure functions. */

import { describe, expect, test } from "vitest";

import {
  type Citation,
  type DatasetItem,
  placeOf,
  type SessionView,
  tablesOf,
  withMarks,
  withTables,
} from "../../src/events";
import { argsOf, argsOfJson, fieldsOf, momentAt, partsOf } from "../../src/features/chat/approval/args-form";
import { commandsOf, completionsOf, moved } from "../../src/features/chat/composer/completion";
import { summaryOf } from "../../src/features/chat/tool-words";
import { es } from "../../src/lib/i18n/es";
import { passageAt, passageIn, textsOf } from "../../src/lib/passage";
import { inWords, named } from "../../src/lib/words";
import type { Agent } from "../../src/transport/api-types";

const SPANISH = { language: "es", timezone: null };
const NONE = { fields: {}, figures: {}, choices: {}, entities: {} };

const cited = (end: number | null): Citation => ({
  source: "a.md",
  document_id: null,
  title: "A",
  place: "p. 1",
  quote: "q",
  url: null,
  start: null,
  end,
  raw: null,
});

describe("tables that an answer names", () => {
  const table = { kind: "dataset", name: "sales_month", title: "Sales by month · 2026", sequence_number: 12 };
  const items = [table as unknown as DatasetItem];

  test.each([
    ["as a reference", "Sales: **7** (dataset `sales_month`)", "Sales: **7** [Sales by month](#e12)"],
    ["in a sentence", "the chart of `sales_month`: x", "the chart of [Sales by month](#e12): x"],
  ])("lead to it %s", (_where, text, linked) => {
    expect(withTables(text, items)).toBe(linked);
  });

  test.each([
    ["another name", "see `sales_item`"],
    ["a block of code", "```\n`sales_month`\n```"],
    ["plain words", "sales_month"],
  ])("%s stays as it is", (_what, text) => {
    expect(withTables(text, items)).toBe(text);
  });

  test("those of earlier turns are known, and the latest of a name is meant", () => {
    const later = { ...table, sequence_number: 40 };
    const turns = [{ items: [table] }, { items: [{ kind: "user_message" }] }, { items: [later] }];
    const view = { turns } as unknown as SessionView;
    expect(withTables("`sales_month`", tablesOf(view))).toBe("[Sales by month](#e40)");
  });

  test("a title is no markup", () => {
    const odd = { ...table, title: "[x](javascript:1)" } as unknown as DatasetItem;
    expect(withTables("`sales_month`", [odd])).toBe("[\\[x\\](javascript:1)](#e12)");
  });
});

describe("citations", () => {
  test("each is marked where it ends, in the order of the text", () => {
    expect(withMarks("One. Two.", [cited(9), cited(4)])).toBe("One.[2](#cite-2) Two.[1](#cite-1)");
  });

  test.each([
    ["Vacaciones, l. 18", "Vacaciones, línea 18"],
    ["l. 3", "línea 3"],
    ["p. 1", "p. 1"],
    ["Teil. 3", "Teil. 3"],
    ["[2]", ""],
  ])("the place %s is told as %s", (place, words) => {
    expect(placeOf({ ...cited(null), place }, (line) => `línea ${line}`)).toBe(words);
  });

  test("one without a place in the text leaves it as it is", () => {
    expect(withMarks("One.", [cited(null)])).toBe("One.");
  });

  test.each([
    ["inside code", "run `make test` now", 9],
    ["inside a word", "contract", 3],
    ["beyond the end", "One.", 40],
  ])("none is marked %s", (_where, text, end) => {
    expect(withMarks(text, [cited(end)])).toBe(text);
  });

  test("a number the answer wrote itself becomes a mark only if there is such a citation", () => {
    expect(withMarks("So [1] and [7].", [cited(null)])).toBe("So [1](#cite-1) and [7].");
  });
});

describe("passages", () => {
  test("quoted words are found over line breaks, with what stands around them", () => {
    expect(passageIn("a. Paid up\nto 140 euros. b", "paid up to 140 euros.")).toEqual({
      before: "a. ",
      quote: "Paid up\nto 140 euros.",
      after: " b",
    });
  });

  test("of a list of passages only the text of the source is looked at", () => {
    const result = JSON.stringify({
      passages: [
        { file: "a.md", text: "A\nb" },
        { file: "b.md", text: "C" },
      ],
    });
    expect([textsOf(result, "a.md"), textsOf(result, "z.md"), textsOf("plain {", "a.md")]).toEqual([
      ["A\nb"],
      ["A\nb", "C"],
      ["plain {"],
    ]);
  });

  test("places count characters, however wide they are", () => {
    expect(passageAt("🧭 north", 2, 4)).toEqual({ before: "🧭 ", quote: "no", after: "rth" });
  });

  test("words that look like a pattern are taken as they are", () => {
    expect(passageIn("cost (a+b)* here", "(a+b)*")?.quote).toBe("(a+b)*");
  });

  test("words that are not there, or none, give nothing", () => {
    expect([passageIn("abc", "xyz"), passageIn("abc", "  ")]).toEqual([null, null]);
  });
});

test("footnotes of an answer are its marks, and their texts are left to the sources", () => {
  const text = 'Up to 45.[^b] And 30.[^a]\n\n[^a]: x.md: "30"\n[^b]: y.md: "45"\n';
  expect(withMarks(text, [cited(3), cited(4)])).toBe("Up to 45.[1](#cite-1) And 30.[2](#cite-2)");
});

test("footnotes that are no citations stay footnotes", () => {
  expect(withMarks("One.[^1]\n\n[^1]: a note", [])).toBe("One.[^1]\n\n[^1]: a note");
});

test("a name the dictionary knows is said as there, and nothing else of the dictionary is", () => {
  expect([named("zone", { zone: "Zona horaria" }), named("to_string", {}), named("constructor", {})]).toEqual(
    ["Zona horaria", "To string", "Constructor"],
  );
});

test("tool names and arguments are put into words", () => {
  expect([
    inWords("create_order"),
    inWords("findSlot"),
    summaryOf(
      { place: "Lugo", n: 2, start: "2026-11-16T10:00:00+01:00" },
      { ...NONE, fields: { place: "Lugar" } },
      SPANISH,
    ),
    summaryOf({ period: { first: "2026-01-01", last: "2026-03-31", grain: "quarter" } }, NONE, SPANISH),
    summaryOf({ kind: "pie", options: { asked: "as a pie" } }, NONE, SPANISH),
    summaryOf(
      { other_wordings: ["renta", "local"] },
      { ...NONE, fields: { other_wordings: "En otras palabras" } },
      SPANISH,
    ),
  ]).toEqual([
    "Create order",
    "Find slot",
    "lugar: Lugo · n: 2 · start: lun, 16 nov 2026, 10:00 (+01:00)",
    "period: 1 ene 2026 – 31 mar 2026",
    "kind: pie",
    "en otras palabras: renta, local",
  ]);
});

test.each([
  [
    { measure: "receivables_due", split_by: ["by_customer", "month"] },
    "cifra: Vencimientos de clientes · desglose: Cliente, Mes",
  ],
  [{ dataset: "receivables_due_customer" }, "tabla: Vencimientos de clientes · Cliente"],
  [{ dataset: "my_own_file", kind: "bar" }, "tabla: My own file · tipo: barras"],
  [
    { measure: "sales", compare: { kind: "previous_year", period: null } },
    "cifra: Ventas · comparado con: el año anterior",
  ],
  [
    { compare: { kind: "period", period: { first: "2025-01-01", last: "2025-03-31" } } },
    "comparado con: 1 ene 2025 – 31 mar 2025",
  ],
  [
    {
      where: [
        { field: "city", value: "Lugo" },
        { field: "balanceDue", operator: "gt", value: 100 },
      ],
    },
    "condiciones: ciudad = Lugo, saldo pendiente > 100",
  ],
  [{ measure: "of_my_own", ranking: "most" }, "cifra: of_my_own · orden: de más a menos"],
  [
    {
      entity: "customers",
      record_id: "25cb",
      etag: 'W/"1"',
      values: { phoneNumber: "600" },
      company: "Sierra",
    },
    "entidad: Clientes · teléfono: 600 · empresa: Sierra",
  ],
])("figures and tables of a call are said in the reader's words: %o", (args, line) => {
  expect(summaryOf(args, es.tools, SPANISH)).toBe(line);
});

describe("arguments as a form", () => {
  const args = {
    title: "Meeting",
    minutes: 30,
    invite: true,
    who: ["ana"],
    note: "x".repeat(80),
    none: null,
    start: "2026-11-16T10:00:00+01:00",
  };

  test("each argument gets the field of its kind", () => {
    expect(fieldsOf(args).map((field) => field.kind)).toEqual([
      "text",
      "number",
      "boolean",
      "json",
      "long-text",
      "json",
      "moment",
    ]);
  });

  test.each([
    ["plain", args],
    ["those of a record", { entity: "items", values: { displayName: "A", unitPrice: 3 }, company: "S" }],
    ["nested", { lines: [{ item: "1" }], filter: { only: { country: "ES" } }, nothing: {} }],
  ])("an untouched form gives the arguments back: %s", (_what, given) => {
    expect(argsOf(fieldsOf(given))).toEqual({ ok: true, value: given });
  });

  test("the values of a record have a field each", () => {
    const fields = fieldsOf({ entity: "items", values: { displayName: "A", unitPrice: 3 } });
    expect(fields.map(({ name, within, kind }) => [name, within, kind])).toEqual([
      ["entity", null, "text"],
      ["displayName", "values", "text"],
      ["unitPrice", "values", "number"],
    ]);
    const changed = fields.map((field) => (field.name === "unitPrice" ? { ...field, value: "4.5" } : field));
    expect(argsOf(changed)).toEqual({
      ok: true,
      value: { entity: "items", values: { displayName: "A", unitPrice: 4.5 } },
    });
  });

  test.each([
    ["minutes", "soon"],
    ["minutes", " "],
    ["who", "[ana"],
    ["start", ":00+01:00"],
  ])("%s = %j is named as what cannot be read", (name, value) => {
    const fields = fieldsOf(args).map((field) => (field.name === name ? { ...field, value } : field));
    expect(argsOf(fields)).toEqual({ ok: false, field: name });
  });

  test("a moment is moved on the clock it was written for", () => {
    const before = "2026-11-16T10:00:00+01:00";
    expect([
      partsOf(before),
      momentAt("2026-11-17T09:30", before),
      momentAt("2026-11-17T09:30", "2026-11-16T10:00Z"),
      momentAt("2026-11-17T09:30", momentAt("", before)),
    ]).toEqual([
      { local: "2026-11-16T10:00", offset: "+01:00" },
      "2026-11-17T09:30:00+01:00",
      "2026-11-17T09:30:00Z",
      "2026-11-17T09:30:00+01:00",
    ]);
  });

  test("all arguments as JSON have to be an object", () => {
    expect([
      argsOfJson('{"a": 1}').ok,
      argsOfJson("[1]").ok,
      argsOfJson("{").ok,
      argsOfJson("null").ok,
    ]).toEqual([true, false, false, false]);
  });
});

describe("slash commands", () => {
  const agent = {
    agent_id: "a",
    name: "A",
    icon: null,
    color: null,
    description: "",
    capabilities: [],
    tools: [],
    commands: ["/agenda", "/book"],
    examples: {},
  } satisfies Agent;
  const commands = commandsOf([agent]);
  const found = (text: string): readonly string[] =>
    completionsOf(text, commands).map(({ command }) => command);

  test("a slash offers all, more letters fewer", () => {
    expect([found("/"), found("/B"), found("/x")]).toEqual([["/agenda", "/book"], ["/book"], []]);
  });

  test.each(["hello /b", "/book ", "/book a", ""])("%j offers none", (text) => {
    expect(found(text)).toEqual([]);
  });

  test("the choice goes round", () => {
    expect([moved(1, 1, 2), moved(0, -1, 2), moved(0, 1, 2)]).toEqual([0, 1, 1]);
  });
});
