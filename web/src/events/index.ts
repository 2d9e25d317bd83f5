/** Events and what they add up to. */

export { type Namings, namedSource, placeOf, type Work, withMarks, workBehind } from "./citations";
export { EMPTY, fold } from "./fold";
export * from "./generated";
export type * from "./generated-view";
export { type Delivered, fromWire, type WireEvent } from "./wire";
