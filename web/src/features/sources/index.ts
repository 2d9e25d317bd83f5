/** The sources of an answer. */

export { SourcePanel } from "./source-panel";
