/** Events and what they add up to. */

export { type Namings, namedSource, placeOf, stepBehind, withMarks } from "./citations";
export { EMPTY, fold } from "./fold";
export * from "./generated";
export type * from "./generated-view";
export { tablesOf, withTables } from "./named-tables";
export { type Delivered, fromWire, type WireEvent } from "./wire";
