/** The conversation. */

export { ChatPage } from "./chat-page";
export { focusComposer } from "./composer/composer";
export { UsagePopover } from "./usage-popover";
export type { Place } from "./use-place";
