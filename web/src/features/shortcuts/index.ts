/** Keyboard shortcuts. */

export { SHORTCUTS, ShortcutsDialog } from "./shortcuts-dialog";
