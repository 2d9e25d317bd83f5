/** The sessions of a person. */

export { focusSearch, Sidebar } from "./sidebar";
